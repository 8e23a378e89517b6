/** Tests of webhook secrets. W5 is the row of docs/security/threats.md that the tests prove. */
import { WebhooksUnderTest } from './testing/webhooks-under-test.js';
import { newWebhookSecret, webhookSecretBytes } from './webhook-secret.js';

describe('W5: the secret of a webhook', () => {
  it('contains 32 random bytes: 10,000 secrets are distinct, and every byte varies', () => {
    const secrets = Array.from({ length: 10_000 }, newWebhookSecret);
    expect(new Set(secrets).size).toBe(10_000);
    const seen = Array.from({ length: 32 }, () => new Set<number>());
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      for (const [position, byte] of webhookSecretBytes(secret).entries()) seen[position]?.add(byte);
    }
    // Each position has all 256 values. A constant byte has one value, and a biased byte lacks some.
    expect(seen.map(({ size }) => size)).toEqual(Array(32).fill(256));
  });

  it('is unique among webhooks that ten users create concurrently, and after rotation', async () => {
    const env = await WebhooksUnderTest.open();
    const input = { url: 'https://example.com/hook', events: ['*'], description: '' };
    const actors = await Promise.all(Array.from({ length: 10 }, () => env.core.actor()));
    const created = await Promise.all(
      actors.flatMap((actor) =>
        Array.from({ length: 5 }, async () => ({ actor, hook: await env.webhooks.create(actor, input) })),
      ),
    );
    const rotated = await Promise.all(
      created.map(({ actor, hook }) => env.webhooks.rotateSecret(actor, hook.id)),
    );
    const secrets = [...created.map(({ hook }) => hook.secret), ...rotated.map(({ secret }) => secret)];
    expect(new Set(secrets).size).toBe(100);
    const sealed = await env.core.rows('SELECT id, secret_sealed FROM webhooks');
    const opened = await Promise.all(
      sealed.map((row) =>
        env.secretOf({ webhookId: String(row.id), secretSealed: String(row.secret_sealed) }),
      ),
    );
    expect(opened.sort()).toEqual(rotated.map(({ secret }) => secret).sort());
    await env.close();
  });
});
