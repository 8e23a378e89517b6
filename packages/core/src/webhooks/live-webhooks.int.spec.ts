import type { Actor } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { generateSealingKeyPair, Sealer } from '../sealing/index.js';
import { CoreUnderTest } from '../testing/index.js';
import { WebhookSecrets } from './webhook-secret.js';
import { WebhooksService } from './webhooks.service.js';

const INPUT = { events: ['*'], description: '' };

describe('in the live world, a webhook', () => {
  let core: CoreUnderTest;
  let actor: Actor;
  /** The services of the test world, in which the webhook with http was created, and of the live world. */
  let inTest: WebhooksService;
  let inLive: WebhooksService;
  beforeAll(async () => {
    core = await CoreUnderTest.open();
    actor = await core.actor('ADMIN');
    const secrets = new WebhookSecrets(await Sealer.for(await generateSealingKeyPair()), false);
    const serviceOn = (platform: Platform) =>
      new WebhooksService(platform, core.lists, core.commands, secrets);
    inTest = serviceOn(core.platform);
    const { database, listener, instance } = core.platform;
    inLive = serviceOn({ database, listener, instance, world: 'live' } as Platform);
  });
  afterAll(() => core.close());

  const refusal = {
    code: 'validation_failed',
    details: [{ field: 'url', code: 'invalid_url', message: 'The scheme must be https in the live world.' }],
  };

  it('is created and updated with an https URL only', async () => {
    await expect(inLive.create(actor, { ...INPUT, url: 'http://example.com/hook' })).rejects.toMatchObject(
      refusal,
    );
    const { id } = await inLive.create(actor, { ...INPUT, url: 'https://example.com/hook' });
    await expect(inLive.update(actor, id, { url: 'http://example.com/hook' })).rejects.toMatchObject(refusal);
  });

  it('with an http URL from before is not activated, but it is once its URL is https', async () => {
    const { id } = await inTest.create(actor, { ...INPUT, url: 'http://example.com/hook' });
    await inLive.update(actor, id, { is_active: false });
    await expect(inLive.update(actor, id, { is_active: true })).rejects.toMatchObject(refusal);
    expect((await inLive.get(actor, id)).is_active).toBe(false);
    const repaired = await inLive.update(actor, id, { is_active: true, url: 'https://example.com/hook' });
    expect(repaired).toMatchObject({ is_active: true, url: 'https://example.com/hook' });
  });
});
