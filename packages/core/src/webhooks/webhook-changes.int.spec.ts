import { webhook as webhookSchema, webhookWithSecret } from '@trading-automation/contracts';
import { ResponseReplayed } from '../operations/index.js';
import { WebhooksUnderTest } from './testing/webhooks-under-test.js';

const HOOK = { url: 'https://example.com/hook', events: ['trade.*'], description: 'mine' };

let the: WebhooksUnderTest;
beforeAll(async () => {
  the = await WebhooksUnderTest.open();
});
afterAll(() => the.close());

async function sealedOf(userId: string): Promise<{ webhookId: string; secretSealed: string }> {
  const { id, secret_sealed } = await the.core.row(
    'SELECT id, secret_sealed FROM webhooks WHERE user_id = $1',
    userId,
  );
  return { webhookId: String(id), secretSealed: String(secret_sealed) };
}

describe('changing a webhook', () => {
  it('changes only the given fields, and nothing for an empty update', async () => {
    const actor = await the.core.actor();
    const { secret, ...created } = await the.webhooks.create(actor, HOOK);
    expect(await the.webhooks.update(actor, created.id, {})).toEqual(created);
    const url = 'https://example.com:8443/other';
    const moved = await the.webhooks.update(actor, created.id, { url });
    expect(webhookSchema.strict().parse(moved)).toEqual(moved);
    expect(moved).toEqual({ ...created, url, updated_at: moved.updated_at });
    expect(moved.updated_at > created.updated_at).toBe(true);
    const events = ['trade.*', 'reward.granted', 'trade.*'];
    const changed = await the.webhooks.update(actor, created.id, { events, description: '' });
    expect(changed).toMatchObject({ url, events: ['trade.*', 'reward.granted'], description: '' });
    expect(await the.webhooks.get(actor, created.id)).toEqual(changed);
    expect(secret).toBeDefined();
  });

  it('to inactive moves due deliveries to the dead letters once, and names the user as the reason', async () => {
    const actor = await the.core.actor();
    const { id } = await the.webhooks.create(actor, HOOK);
    const due = [await the.createDueDelivery(actor, id), await the.createDueDelivery(actor, id)];
    const off = await the.webhooks.update(actor, id, { is_active: false });
    expect(off).toMatchObject({ is_active: false, deactivation_reason: 'user' });
    expect(off.deactivated_at).toBeDefined();
    const again = await the.webhooks.update(actor, id, { is_active: false });
    expect(again).toEqual({ ...off, updated_at: again.updated_at });
    const dead = await the.core.rows(
      `SELECT id, event_type, status, attempts, last_status_code, last_error FROM webhook_dead_letters
       WHERE id = ANY($1) ORDER BY id`,
      due,
    );
    expect(dead).toEqual(
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
      await the.core.rows("SELECT FROM webhook_deliveries WHERE id = ANY($1) AND status = 'DEAD'", due),
    ).toHaveLength(2);
    // The user caused it and knows; the event reports only deactivations by the product.
    expect(
      await the.core.rows(
        "SELECT FROM outbox_events WHERE user_id = $1 AND type LIKE 'webhook.%'",
        actor.userId,
      ),
    ).toEqual([]);
  });

  it('to inactive lets a running attempt end: a success counts, a failure is a dead letter immediately', async () => {
    const actor = await the.core.actor();
    const { id } = await the.webhooks.create(actor, HOOK);
    const [good, bad] = [
      await the.claimed(await the.createDueDelivery(actor, id)),
      await the.claimed(await the.createDueDelivery(actor, id)),
    ];
    await the.webhooks.update(actor, id, { is_active: false });
    expect(await the.deliveries.record(good, { statusCode: 200, responseTimeMs: 1 })).toEqual({
      kind: 'ended',
    });
    const failed = { statusCode: 500, error: 'http_status', responseTimeMs: 1 } as const;
    expect(await the.deliveries.record(bad, failed)).toEqual({ kind: 'ended' });
    expect(
      await the.core.rows(
        'SELECT id, last_status_code, last_error FROM webhook_dead_letters WHERE webhook_id = $1',
        bad.webhookId,
      ),
    ).toEqual([{ id: bad.deliveryId, last_status_code: 500, last_error: 'webhook_inactive' }]);
  });

  it('to active resets the failures, and the time and reason of the deactivation', async () => {
    const actor = await the.core.actor();
    const { id, is_active } = await the.webhooks.create(actor, HOOK);
    expect(is_active).toBe(true);
    await the.core.rows(
      `UPDATE webhooks SET is_active = false, consecutive_failures = 12, consecutive_dead_letters = 2,
         deactivated_at = now(), deactivation_reason = 'consecutive_failures' WHERE user_id = $1`,
      actor.userId,
    );
    const still = await the.webhooks.update(actor, id, { is_active: false });
    expect(still).toMatchObject({ deactivation_reason: 'consecutive_failures', consecutive_failures: 12 });
    const on = await the.webhooks.update(actor, id, { is_active: true });
    expect(on).toMatchObject({ is_active: true, consecutive_failures: 0 });
    expect(on).not.toHaveProperty('deactivated_at');
    expect(on).not.toHaveProperty('deactivation_reason');
    const [row] = await the.core.rows(
      'SELECT consecutive_dead_letters AS count FROM webhooks WHERE user_id = $1',
      actor.userId,
    );
    expect(row).toEqual({ count: 0 });
    const attempt = await the.claimed(await the.createDueDelivery(actor, id));
    await the.deliveries.record(attempt, { error: 'timeout', responseTimeMs: 1 });
    expect(await the.webhooks.get(actor, id)).toMatchObject({ is_active: true, consecutive_failures: 1 });
    expect(await the.webhooks.update(actor, id, { is_active: true })).toMatchObject({
      consecutive_failures: 0,
    });
  });

  it('and concurrent deliveries leave nothing due to an inactive webhook', async () => {
    const actor = await the.core.actor();
    const { id } = await the.webhooks.create(actor, HOOK);
    const due = await Promise.all(Array.from({ length: 20 }, () => the.createDueDelivery(actor, id)));
    const [, ...claims] = await Promise.all([
      the.webhooks.update(actor, id, { is_active: false }),
      ...due.map((deliveryId) => the.deliveries.claim(deliveryId, 1)),
    ]);
    for (const claim of claims) {
      if (claim.kind === 'send')
        await the.deliveries.record(claim.attempt, { error: 'timeout', responseTimeMs: 1 });
    }
    expect(
      await the.core.rows("SELECT id FROM webhook_deliveries WHERE id = ANY($1) AND status <> 'DEAD'", due),
    ).toEqual([]);
    expect(await the.core.rows('SELECT FROM webhook_dead_letters WHERE id = ANY($1)', due)).toHaveLength(20);
  });
});

describe('a pending attempt', () => {
  it('uses the URL and the secret that the webhook has when the attempt starts', async () => {
    const actor = await the.core.actor();
    const { id, secret: first } = await the.webhooks.create(actor, HOOK);
    const deliveryId = await the.createDueDelivery(actor, id);
    const before = await the.claimed(deliveryId);
    expect(await the.secretOf(before)).toBe(first);
    await the.deliveries.record(before, { error: 'timeout', responseTimeMs: 1 });
    const { secret: second } = await the.webhooks.rotateSecret(actor, id);
    const url = 'https://example.com/elsewhere';
    await the.webhooks.update(actor, id, { url });
    await the.core.rows('UPDATE webhook_deliveries SET next_at = now() WHERE id = $1', deliveryId);
    const after = await the.claimed(deliveryId, 2);
    expect(after.url).toBe(url);
    expect(await the.secretOf(after)).toBe(second);
    expect(after).toMatchObject({ eventId: before.eventId, payload: before.payload });
  });
});

describe('rotating a secret', () => {
  it('returns a new one, stores it sealed, and stores nothing of the old one', async () => {
    const actor = await the.core.actor();
    const created = await the.webhooks.create(actor, HOOK);
    const rotated = await the.webhooks.rotateSecret(actor, created.id);
    expect(webhookWithSecret.strict().parse(rotated)).toEqual(rotated);
    const { secret, secret_last_rotated_at, updated_at } = rotated;
    expect(rotated).toEqual({ ...created, secret, secret_last_rotated_at, updated_at });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(secret).not.toBe(created.secret);
    expect(secret_last_rotated_at > created.secret_last_rotated_at).toBe(true);
    const row = await sealedOf(actor.userId);
    expect(await the.secretOf(row)).toBe(secret);
    expect(JSON.stringify(await the.webhooks.get(actor, created.id))).not.toContain('whsec_');
  });

  it('several times concurrently leaves the secret of one of the responses', async () => {
    const actor = await the.core.actor();
    const { id } = await the.webhooks.create(actor, HOOK);
    const answers = await Promise.all(Array.from({ length: 5 }, () => the.webhooks.rotateSecret(actor, id)));
    const secrets = answers.map(({ secret }) => secret);
    expect(new Set(secrets).size).toBe(5);
    const row = await sealedOf(actor.userId);
    expect(secrets).toContain(await the.secretOf(row));
  });

  it('with a repeated Idempotency-Key rotates once', async () => {
    const actor = await the.core.actor();
    const { id } = await the.webhooks.create(actor, HOOK);
    const again = { ...actor, idempotency: the.core.idempotencyContext(actor.userId, 'rotate') };
    const { secret } = await the.webhooks.rotateSecret(again, id);
    await expect(the.webhooks.rotateSecret(again, id)).rejects.toBeInstanceOf(ResponseReplayed);
    expect(await the.secretOf(await sealedOf(actor.userId))).toBe(secret);
  });
});
