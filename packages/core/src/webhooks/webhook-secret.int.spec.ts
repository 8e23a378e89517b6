import { WebhooksUnderTest } from './testing/webhooks-under-test.js';
import { newWebhookSecret, webhookSecretBytes } from './webhook-secret.js';

describe('W5: the secret of a webhook', () => {
  it('is 32 random bytes: 10,000 of them are distinct, and every byte varies', () => {
    const secrets = Array.from({ length: 10_000 }, newWebhookSecret);
    expect(new Set(secrets).size).toBe(10_000);
    const seen = Array.from({ length: 32 }, () => new Set<number>());
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      for (const [place, byte] of webhookSecretBytes(secret).entries()) seen[place]?.add(byte);
    }
    // All 256 values occur at each position; a constant or biased byte would show.
    expect(seen.map(({ size }) => size)).toEqual(Array(32).fill(256));
  });

  it('differs among webhooks of one user and of many, created concurrently, and after rotation', async () => {
    const the = await WebhooksUnderTest.open();
    const input = { url: 'https://example.com/hook', events: ['*'], description: '' };
    const actors = await Promise.all(Array.from({ length: 10 }, () => the.core.actor()));
    const created = await Promise.all(
      actors.flatMap((actor) =>
        Array.from({ length: 5 }, async () => ({ actor, hook: await the.webhooks.create(actor, input) })),
      ),
    );
    const rotated = await Promise.all(
      created.map(({ actor, hook }) => the.webhooks.rotateSecret(actor, hook.id)),
    );
    const secrets = [...created.map(({ hook }) => hook.secret), ...rotated.map(({ secret }) => secret)];
    expect(new Set(secrets).size).toBe(100);
    const sealed = await the.core.rows('SELECT id, secret_sealed FROM webhooks');
    const opened = await Promise.all(
      sealed.map((row) =>
        the.secretOf({ webhookId: String(row.id), secretSealed: String(row.secret_sealed) }),
      ),
    );
    expect(opened.sort()).toEqual(rotated.map(({ secret }) => secret).sort());
    await the.close();
  });
});
