import { webhook as webhookSchema, webhookWithSecret } from '@trading-automation/contracts';
import { ResponseReplayed } from '../operations/index.js';
import { WebhooksUnderTest } from './testing/webhooks-under-test.js';

const HOOK = { url: 'https://example.com/hook', events: ['trade.*'], description: 'mine' };

let env: WebhooksUnderTest;
beforeAll(async () => {
  env = await WebhooksUnderTest.open();
});
afterAll(() => env.close());

async function readSealedSecret(userId: string): Promise<{ webhookId: string; secretSealed: string }> {
  const { id, secret_sealed } = await env.core.row(
    'SELECT id, secret_sealed FROM webhooks WHERE user_id = $1',
    userId,
  );
  return { webhookId: String(id), secretSealed: String(secret_sealed) };
}

describe('changing a webhook', () => {
  it('changes only the fields of the request; an empty request changes nothing', async () => {
    const actor = await env.core.actor();
    const { secret, ...created } = await env.webhooks.create(actor, HOOK);
    expect(await env.webhooks.update(actor, created.id, {})).toEqual(created);
    const url = 'https://example.com:8443/other';
    const updatedUrl = await env.webhooks.update(actor, created.id, { url });
    expect(webhookSchema.strict().parse(updatedUrl)).toEqual(updatedUrl);
    expect(updatedUrl).toEqual({ ...created, url, updated_at: updatedUrl.updated_at });
    expect(updatedUrl.updated_at > created.updated_at).toBe(true);
    const events = ['trade.*', 'reward.granted', 'trade.*'];
    const changed = await env.webhooks.update(actor, created.id, { events, description: '' });
    expect(changed).toMatchObject({ url, events: ['trade.*', 'reward.granted'], description: '' });
    expect(await env.webhooks.get(actor, created.id)).toEqual(changed);
    expect(secret).toBeDefined();
  });

  it('to inactive moves its due deliveries to the dead letters, and stores the reason `user`; a repetition changes nothing', async () => {
    const actor = await env.core.actor();
    const { id } = await env.webhooks.create(actor, HOOK);
    const due = [await env.createDueDelivery(actor, id), await env.createDueDelivery(actor, id)];
    const deactivated = await env.webhooks.update(actor, id, { is_active: false });
    expect(deactivated).toMatchObject({ is_active: false, deactivation_reason: 'user' });
    expect(deactivated.deactivated_at).toBeDefined();
    const repeated = await env.webhooks.update(actor, id, { is_active: false });
    expect(repeated).toEqual({ ...deactivated, updated_at: repeated.updated_at });
    const deadLetters = await env.core.rows(
      `SELECT id, event_type, status, attempts, last_status_code, last_error FROM webhook_dead_letters
       WHERE id = ANY($1) ORDER BY id`,
      due,
    );
    expect(deadLetters).toEqual(
      [...due].sort().map((deadId) => ({
        id: deadId,
        event_type: 'trade.created',
        status: 'PENDING',
        attempts: 0,
        last_status_code: null,
        last_error: 'webhook_inactive',
      })),
    );
    expect(
      await env.core.rows("SELECT FROM webhook_deliveries WHERE id = ANY($1) AND status = 'DEAD'", due),
    ).toHaveLength(2);
    // `webhook.deactivated` is emitted only if the product deactivates the webhook, not if the user does.
    expect(
      await env.core.rows(
        "SELECT FROM outbox_events WHERE user_id = $1 AND type LIKE 'webhook.%'",
        actor.userId,
      ),
    ).toEqual([]);
  });

  it('to inactive does not interrupt an attempt in flight: a success is recorded, a failure becomes a dead letter at once', async () => {
    const actor = await env.core.actor();
    const { id } = await env.webhooks.create(actor, HOOK);
    const [succeeding, failing] = [
      await env.claimAttempt(await env.createDueDelivery(actor, id)),
      await env.claimAttempt(await env.createDueDelivery(actor, id)),
    ];
    await env.webhooks.update(actor, id, { is_active: false });
    expect(await env.deliveries.record(succeeding, { statusCode: 200, responseTimeMs: 1 })).toEqual({
      kind: 'ended',
    });
    const failed = { statusCode: 500, error: 'http_status', responseTimeMs: 1 } as const;
    expect(await env.deliveries.record(failing, failed)).toEqual({ kind: 'ended' });
    expect(
      await env.core.rows(
        'SELECT id, last_status_code, last_error FROM webhook_dead_letters WHERE webhook_id = $1',
        failing.webhookId,
      ),
    ).toEqual([{ id: failing.deliveryId, last_status_code: 500, last_error: 'webhook_inactive' }]);
  });

  it('to active resets its failures, and the time and reason of its deactivation', async () => {
    const actor = await env.core.actor();
    const { id, is_active } = await env.webhooks.create(actor, HOOK);
    expect(is_active).toBe(true);
    await env.core.rows(
      `UPDATE webhooks SET is_active = false, consecutive_failures = 12, consecutive_dead_letters = 2,
         deactivated_at = now(), deactivation_reason = 'consecutive_failures' WHERE user_id = $1`,
      actor.userId,
    );
    const stillInactive = await env.webhooks.update(actor, id, { is_active: false });
    expect(stillInactive).toMatchObject({
      deactivation_reason: 'consecutive_failures',
      consecutive_failures: 12,
    });
    const activated = await env.webhooks.update(actor, id, { is_active: true });
    expect(activated).toMatchObject({ is_active: true, consecutive_failures: 0 });
    expect(activated).not.toHaveProperty('deactivated_at');
    expect(activated).not.toHaveProperty('deactivation_reason');
    const [row] = await env.core.rows(
      'SELECT consecutive_dead_letters AS count FROM webhooks WHERE user_id = $1',
      actor.userId,
    );
    expect(row).toEqual({ count: 0 });
    const attempt = await env.claimAttempt(await env.createDueDelivery(actor, id));
    await env.deliveries.record(attempt, { error: 'timeout', responseTimeMs: 1 });
    expect(await env.webhooks.get(actor, id)).toMatchObject({ is_active: true, consecutive_failures: 1 });
    expect(await env.webhooks.update(actor, id, { is_active: true })).toMatchObject({
      consecutive_failures: 0,
    });
  });

  it('to inactive while its deliveries are being claimed leaves none of them due', async () => {
    const actor = await env.core.actor();
    const { id } = await env.webhooks.create(actor, HOOK);
    const due = await Promise.all(Array.from({ length: 20 }, () => env.createDueDelivery(actor, id)));
    const [, ...claims] = await Promise.all([
      env.webhooks.update(actor, id, { is_active: false }),
      ...due.map((deliveryId) => env.deliveries.claim(deliveryId, 1)),
    ]);
    for (const claim of claims) {
      if (claim.kind === 'send')
        await env.deliveries.record(claim.attempt, { error: 'timeout', responseTimeMs: 1 });
    }
    expect(
      await env.core.rows("SELECT id FROM webhook_deliveries WHERE id = ANY($1) AND status <> 'DEAD'", due),
    ).toEqual([]);
    expect(await env.core.rows('SELECT FROM webhook_dead_letters WHERE id = ANY($1)', due)).toHaveLength(20);
  });
});

describe('a pending attempt', () => {
  it('uses the URL and the secret that the webhook has when the attempt starts', async () => {
    const actor = await env.core.actor();
    const { id, secret: first } = await env.webhooks.create(actor, HOOK);
    const deliveryId = await env.createDueDelivery(actor, id);
    const before = await env.claimAttempt(deliveryId);
    expect(await env.secretOf(before)).toBe(first);
    await env.deliveries.record(before, { error: 'timeout', responseTimeMs: 1 });
    const { secret: second } = await env.webhooks.rotateSecret(actor, id);
    const url = 'https://example.com/elsewhere';
    await env.webhooks.update(actor, id, { url });
    await env.core.rows('UPDATE webhook_deliveries SET next_at = now() WHERE id = $1', deliveryId);
    const after = await env.claimAttempt(deliveryId, 2);
    expect(after.url).toBe(url);
    expect(await env.secretOf(after)).toBe(second);
    expect(after).toMatchObject({ eventId: before.eventId, payload: before.payload });
  });
});

describe('rotating a secret', () => {
  it('returns a new secret, and stores only the new secret, sealed', async () => {
    const actor = await env.core.actor();
    const created = await env.webhooks.create(actor, HOOK);
    const rotated = await env.webhooks.rotateSecret(actor, created.id);
    expect(webhookWithSecret.strict().parse(rotated)).toEqual(rotated);
    const { secret, secret_last_rotated_at, updated_at } = rotated;
    expect(rotated).toEqual({ ...created, secret, secret_last_rotated_at, updated_at });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(secret).not.toBe(created.secret);
    expect(secret_last_rotated_at > created.secret_last_rotated_at).toBe(true);
    const row = await readSealedSecret(actor.userId);
    expect(await env.secretOf(row)).toBe(secret);
    expect(JSON.stringify(await env.webhooks.get(actor, created.id))).not.toContain('whsec_');
  });

  it('several times concurrently stores the secret of one of the responses', async () => {
    const actor = await env.core.actor();
    const { id } = await env.webhooks.create(actor, HOOK);
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => env.webhooks.rotateSecret(actor, id)),
    );
    const secrets = responses.map(({ secret }) => secret);
    expect(new Set(secrets).size).toBe(5);
    const row = await readSealedSecret(actor.userId);
    expect(secrets).toContain(await env.secretOf(row));
  });

  it('twice with the same Idempotency-Key has one effect', async () => {
    const actor = await env.core.actor();
    const { id } = await env.webhooks.create(actor, HOOK);
    const idempotentActor = { ...actor, idempotency: env.core.idempotencyContext(actor.userId, 'rotate') };
    const { secret } = await env.webhooks.rotateSecret(idempotentActor, id);
    await expect(env.webhooks.rotateSecret(idempotentActor, id)).rejects.toBeInstanceOf(ResponseReplayed);
    expect(await env.secretOf(await readSealedSecret(actor.userId))).toBe(secret);
  });
});
