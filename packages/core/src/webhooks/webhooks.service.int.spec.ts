import {
  decodeId,
  EVENT_TYPES,
  encodeId,
  RESPONSE_TIME_MAX_MS,
  webhook as webhookSchema,
  webhookWithSecret,
} from '@trading-automation/contracts';
import { callTimeoutMs, newUuid } from '@trading-automation/persistence';
import { eventually } from '@trading-automation/runtime/testing';
import type { Actor } from '../operations/index.js';

import { generateSealingKeyPair, Opener, Sealer, type SealingKeyPair } from '../sealing/index.js';
import { CoreUnderTest, countStatements } from '../testing/index.js';
import { WebhookSecrets } from './webhook-secret.js';
import { ATTEMPT_TIMEOUT_MAX_MS, WEBHOOK_TEST_TIMES, WebhookTestsService } from './webhook-tests.service.js';
import { WebhooksService } from './webhooks.service.js';

const LIST_QUERY = { limit: 20, sort: 'created_at', order: 'desc', include: [] } as const;
const HOOK = { url: 'https://example.com/hook', events: ['trade.*'], description: 'mine' };

let core: CoreUnderTest;
let keys: SealingKeyPair;
let webhooks: WebhooksService;
/** The same service as `webhooks`, but a test event times out after 100 ms. */
let shortTimeoutWebhooks: WebhooksService;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  keys = await generateSealingKeyPair();
  const secrets = new WebhookSecrets(await Sealer.for(keys), false);
  const dependencies = [core.platform, core.lists, core.commands, secrets] as const;
  webhooks = new WebhooksService(...dependencies);
  shortTimeoutWebhooks = new WebhooksService(...dependencies, { startWithinMs: 100, operationMs: 100 });
});
afterAll(() => core.close());

describe('creating a webhook', () => {
  it('returns the record and its secret, which only the holder of the private key can open again', async () => {
    const actor = await core.actor();
    const created = await webhooks.create(actor, HOOK);
    expect(webhookWithSecret.parse(created)).toEqual(created);
    expect(created).toMatchObject({ ...HOOK, is_active: true, consecutive_failures: 0 });
    expect(created.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const [row] = await core.rows('SELECT id, secret_sealed FROM webhooks WHERE user_id = $1', actor.userId);
    expect(row?.secret_sealed).not.toContain(created.secret.slice(6));
    const opener = await Opener.with([keys]);
    expect(await opener.open(String(row?.secret_sealed), `webhook/${row?.id}`)).toBe(created.secret);
  });

  it('generates a different secret for every webhook', async () => {
    const actor = await core.actor();
    const secrets = await Promise.all(Array.from({ length: 20 }, () => webhooks.create(actor, HOOK)));
    expect(new Set(secrets.map(({ secret }) => secret)).size).toBe(20);
  });

  it('is rejected while the user has 50 webhooks, even if the requests are concurrent; it succeeds after one is deleted', async () => {
    const actor = await core.actor();
    const outcomes = await Promise.allSettled(Array.from({ length: 55 }, () => webhooks.create(actor, HOOK)));
    const created = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(created).toHaveLength(50);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'limit_reached' });
    }
    await webhooks.delete(actor, created[0]!.id);
    await expect(webhooks.create(actor, HOOK)).resolves.toBeDefined();
  });
});

describe('a URL', () => {
  it.each([
    ['http://127.0.0.1/', 'blocked_address'],
    ['http://10.1.2.3/', 'blocked_address'],
    ['http://169.254.169.254/latest', 'blocked_address'],
    ['http://[::1]/', 'blocked_address'],
    ['http://[fd00:ec2::254]/', 'blocked_address'],
    ['http://[::ffff:7f00:1]/', 'blocked_address'],
    ['http://2130706433/', 'blocked_address'],
    ['http://0x7f000001/', 'blocked_address'],
    ['http://0177.0.0.1/', 'blocked_address'],
    ['http://127.1/', 'blocked_address'],
    ['http://0/', 'blocked_address'],
    ['http://①②⑦.0.0.1/', 'blocked_address'],
    ['http://127.0.0.1./', 'blocked_address'],
    ['http://localhost:8080/', 'blocked_address'],
    ['http://metadata.google.internal/', 'blocked_address'],
    ['gopher://example.com/', 'invalid_url'],
    ['file:///etc/passwd', 'invalid_url'],
    ['https://user@example.com/', 'invalid_url'],
    ['https://example.com/#part', 'invalid_url'],
    ['https://example.com:6379/', 'invalid_url'],
    ['/hook', 'invalid_url'],
  ])('%s is rejected with %s, for a new and for an updated webhook', async (url, code) => {
    const actor = await core.actor();
    const rejection = { code: 'validation_failed', details: [{ field: 'url', code }] };
    await expect(webhooks.create(actor, { ...HOOK, url })).rejects.toMatchObject(rejection);
    expect(await core.rows('SELECT FROM webhooks WHERE user_id = $1', actor.userId)).toEqual([]);
    const { secret, ...created } = await webhooks.create(actor, HOOK);
    await expect(webhooks.update(actor, created.id, { url, description: 'new' })).rejects.toMatchObject(
      rejection,
    );
    expect(await webhooks.get(actor, created.id)).toEqual(created);
    expect(secret).toBeDefined();
  });
});

describe('a webhook', () => {
  it('is shown to its owner without its secret', async () => {
    const actor = await core.actor();
    const created = await webhooks.create(actor, HOOK);
    const { secret, ...record } = created;
    expect(await webhooks.get(actor, created.id)).toEqual(record);
    const second = await webhooks.create(actor, { ...HOOK, events: [...EVENT_TYPES] });
    const page = await webhooks.list(actor, { ...LIST_QUERY });
    expect(page.items.map(({ id }) => id)).toEqual([second.id, created.id]);
    expect(page.items[1]).toEqual(record);
    expect(page.items.map((item) => webhookSchema.strict().parse(item))).toEqual(page.items);
    expect(JSON.stringify(page)).not.toContain('whsec_');
    expect(secret).toBeDefined();
  });

  it('is not found by any operation if it is deleted or unknown or belongs to another user', async () => {
    const [owner, other] = [await core.actor(), await core.actor()];
    const { id } = await webhooks.create(owner, HOOK);
    const deleted = await webhooks.create(other, HOOK);
    await webhooks.delete(other, deleted.id);
    for (const webhookId of [id, deleted.id, 'whk_00000000000000000000000000', 'trd_1', '']) {
      for (const request of [
        webhooks.get(other, webhookId),
        webhooks.update(other, webhookId, { description: 'theirs' }),
        webhooks.update(other, webhookId, {}),
        webhooks.rotateSecret(other, webhookId),
        webhooks.delete(other, webhookId),
        webhooks.deliveries(other, webhookId, { ...LIST_QUERY }),
        webhooks.test(other, webhookId),
      ]) {
        await expect(request).rejects.toMatchObject({ code: 'not_found' });
      }
    }
    expect(await webhooks.get(owner, id)).toMatchObject({ id, description: HOOK.description });
  });

  it('is loaded together with others by their ids, in one statement and without its secret', async () => {
    const [owner, other] = [await core.actor(), await core.actor()];
    const [first, second] = [await webhooks.create(owner, HOOK), await webhooks.create(owner, HOOK)];
    const [otherUsersWebhook, deletedWebhook] = [
      await webhooks.create(other, HOOK),
      await webhooks.create(owner, HOOK),
    ];
    await webhooks.delete(owner, deletedWebhook.id);
    const ids = [
      second.id,
      otherUsersWebhook.id,
      deletedWebhook.id,
      first.id,
      encodeId('whk', newUuid()),
      'whk_x',
      second.id,
    ];
    const [firstView, secondView] = [
      await webhooks.get(owner, first.id),
      await webhooks.get(owner, second.id),
    ];
    expect(await webhooks.getMany(owner, ids)).toEqual([
      secondView,
      null,
      null,
      firstView,
      null,
      null,
      secondView,
    ]);
    const load = () => webhooks.getMany(owner, ids);
    expect(await countStatements(core.platform.database, load)).toBe(1);
    expect(await webhooks.getMany(owner, ['whk_x'])).toEqual([null]);
    const withoutPermissions: Actor = { ...owner, credential: { ...owner.credential, permissions: [] } };
    await expect(webhooks.getMany(withoutPermissions, ids)).rejects.toMatchObject({
      code: 'permission_denied',
    });
  });

  it('requires ADMIN to be changed, and READ to be read', async () => {
    const owner = await core.actor();
    const { id } = await webhooks.create(owner, HOOK);
    const trader: Actor = { ...owner, credential: { ...owner.credential, permissions: ['TRADE'] } };
    expect(await webhooks.get(trader, id)).toMatchObject({ id });
    for (const request of [
      webhooks.create(trader, HOOK),
      webhooks.update(trader, id, {}),
      webhooks.rotateSecret(trader, id),
      webhooks.delete(trader, id),
      webhooks.test(trader, id),
    ])
      await expect(request).rejects.toMatchObject({ code: 'permission_denied' });
  });

  it('loses its secret and its due deliveries when it is deleted', async () => {
    const actor = await core.actor();
    const { id } = await webhooks.create(actor, HOOK);
    const [row] = await core.rows('SELECT id FROM webhooks WHERE user_id = $1', actor.userId);
    const eventId = newUuid();
    await core.rows(
      'INSERT INTO outbox_events (id, user_id, type, payload) VALUES ($1, $2, $3, $4)',
      eventId,
      actor.userId,
      'trade.created',
      Buffer.from('{}'),
    );
    await core.rows(
      `INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, status, next_at)
       VALUES ($1, $2, $3, 'trade.created', 'DUE', now())`,
      newUuid(),
      row?.id,
      eventId,
    );
    expect(await webhooks.delete(actor, id)).toEqual({ id, deleted: true });
    expect(
      await core.rows('SELECT secret_sealed, is_active FROM webhooks WHERE user_id = $1', actor.userId),
    ).toEqual([{ secret_sealed: null, is_active: false }]);
    expect(await core.rows('SELECT status FROM webhook_deliveries WHERE event_id = $1', eventId)).toEqual([
      { status: 'DISCARDED' },
    ]);
    expect((await webhooks.list(actor, { ...LIST_QUERY })).items).toEqual([]);
  });
});

describe('a test event', () => {
  it('has one attempt, which is stored as a delivery, does not count as a failure and does not reach other webhooks', async () => {
    const actor = await core.actor();
    const { id } = await webhooks.create(actor, { ...HOOK, events: ['*'] });
    const sent: { payload: string; attempt: number }[] = [];
    const server = new WebhookTestsService(core.platform).serve({
      send: async ({ payload, attempt }) => {
        sent.push({ payload: Buffer.from(payload).toString(), attempt });
        return { statusCode: 500, error: 'http_status', responseTimeMs: 7, responseBody: 'no' };
      },
      onError: (error) => {
        throw error;
      },
    });
    const delivery = await webhooks.test(actor, id);
    await server.stop();
    expect(delivery).toMatchObject({
      event_type: 'webhook.test',
      run: 0,
      attempt: 1,
      status: 'FAILED',
      status_code: 500,
      error: 'http_status',
      response_time_ms: 7,
      response_body: 'no',
    });
    expect(delivery.next_attempt_at).toBeUndefined();
    expect(sent).toHaveLength(1);
    const event = JSON.parse(sent[0]!.payload);
    expect(event).toMatchObject({ event_id: delivery.event_id, type: 'webhook.test', data: { id } });
    expect(sent[0]!.payload).not.toContain('whsec_');
    expect(await webhooks.get(actor, id)).toMatchObject({ consecutive_failures: 0 });
    expect(await core.rows('SELECT FROM outbox_events WHERE user_id = $1', actor.userId)).toEqual([]);
    const page = await webhooks.deliveries(actor, id, { ...LIST_QUERY, sort: 'attempted_at' });
    expect(page.items).toEqual([delivery]);
  });

  it('has a null response body if the receiver does not respond', async () => {
    const actor = await core.actor();
    const { id } = await webhooks.create(actor, HOOK);
    const server = new WebhookTestsService(core.platform).serve({
      send: async () => ({ error: 'timeout', responseTimeMs: 7 }),
      onError: (error) => {
        throw error;
      },
    });
    const delivery = await webhooks.test(actor, id);
    await server.stop();
    expect(delivery).toMatchObject({ error: 'timeout', response_body: null });
    expect(delivery.status_code).toBeUndefined();
  });

  it('fails with not_found if its webhook is deleted before it is sent', async () => {
    const actor = await core.actor();
    const { id } = await webhooks.create(actor, HOOK);
    const request = webhooks.test(actor, id);
    const outcome = expect(request).rejects.toMatchObject({ code: 'not_found' });
    await untilRow("SELECT FROM process_calls WHERE name = 'webhook.test'");
    await webhooks.delete(actor, id);
    const server = new WebhookTestsService(core.platform).serve({
      send: () => Promise.reject(new Error('sent after all')),
      onError: () => undefined,
    });
    await outcome;
    await server.stop();
  });

  it('has the time of a whole attempt, within the longest response time of an API', () => {
    expect(WEBHOOK_TEST_TIMES.operationMs).toBeGreaterThanOrEqual(ATTEMPT_TIMEOUT_MAX_MS);
    expect(callTimeoutMs(WEBHOOK_TEST_TIMES)).toBeLessThanOrEqual(RESPONSE_TIME_MAX_MS);
  });

  it('of one user wait for each other, and leave slots to other users', async () => {
    const [presser, quiet] = [await core.actor(), await core.actor()];
    const hooks = await Promise.all(Array.from({ length: 6 }, () => webhooks.create(presser, HOOK)));
    const own = await webhooks.create(quiet, HOOK);
    let sendingCount = 0;
    let respond = () => {};
    const responded = new Promise<void>((resolve) => {
      respond = resolve;
    });
    const server = new WebhookTestsService(core.platform).serve({
      send: async ({ webhookId }) => {
        if (webhookId !== decodeId('whk', own.id)) {
          sendingCount += 1;
          await responded;
        }
        return { statusCode: 200, responseTimeMs: 1 };
      },
      onError: (error) => {
        throw error;
      },
    });
    const slow = hooks.map(({ id }) => webhooks.test(presser, id).catch((error) => error.code));
    await eventually(() => sendingCount === 4);
    await expect(webhooks.test(quiet, own.id)).resolves.toMatchObject({ status: 'SUCCEEDED' });
    expect(sendingCount).toBe(4);
    const refused = await Promise.race(slow);
    expect(refused).toBe('rate_limited');
    respond();
    await Promise.all(slow);
    await server.stop();
  });

  it('fails with service_unavailable if no dispatcher responds', async () => {
    const actor = await core.actor();
    const { id } = await webhooks.create(actor, HOOK);
    await expect(shortTimeoutWebhooks.test(actor, id)).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});

/** Resolves once the query returns a row. */
async function untilRow(query: string): Promise<void> {
  await eventually(async () => (await core.rows(query)).length > 0);
}
