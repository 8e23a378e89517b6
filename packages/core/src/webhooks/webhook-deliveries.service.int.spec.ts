import { setTimeout as sleep } from 'node:timers/promises';
import type { EventType } from '@trading-automation/contracts';
import { appendEvent, inTransaction, newUuid } from '@trading-automation/persistence';
import { CoreUnderTest } from '../testing/index.js';
import type { DeliveryRef } from './delivery.queries.js';
import { DeliverySettings, WebhookDeliveries } from './webhook-deliveries.service.js';
import { WebhookFanOut } from './webhook-fan-out.js';

const SUCCEEDED = { statusCode: 200, responseTimeMs: 5 };
const FAILED = { statusCode: 500, error: 'http_status', responseTimeMs: 5 } as const;

let core: CoreUnderTest;
let deliveries: WebhookDeliveries;

beforeEach(async () => {
  core = await CoreUnderTest.open();
  deliveries = new WebhookDeliveries(core.platform, new DeliverySettings(60_000));
});
afterEach(() => core.close());

async function addHook(): Promise<{ id: string; userId: string }> {
  const [id, userId] = [newUuid(), newUuid()];
  await core.rows('INSERT INTO users (id) VALUES ($1)', userId);
  await core.rows(
    `INSERT INTO webhooks (id, user_id, url, events, description, secret_sealed)
     VALUES ($1, $2, 'https://example.com/', '{trade.*}', '', 'sealed')`,
    id,
    userId,
  );
  return { id, userId };
}

async function emit(userId: string, type: EventType = 'trade.created'): Promise<string> {
  const id = newUuid();
  await inTransaction(core.platform.database, (tx) =>
    appendEvent(tx, { id, userId, type, payload: Buffer.from(`{"event_id":"${id}"}`) }),
  );
  return id;
}

/** A delivery that is due, as the relay would make it. */
async function owe(webhookId: string, eventId: string, dueIn = '0 seconds'): Promise<string> {
  const id = newUuid();
  await core.rows(
    `INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, status, next_at)
     VALUES ($1, $2, $3, 'trade.created', 'DUE', clock_timestamp() + $4::interval)`,
    id,
    webhookId,
    eventId,
    dueIn,
  );
  return id;
}

async function claimed(deliveryId: string, attempt: number) {
  const claim = await deliveries.claim(deliveryId, attempt);
  if (claim.kind !== 'send') throw new Error(`claim: ${claim.kind}`);
  return claim.attempt;
}

describe('a claim', () => {
  it('is given to one of many that ask at once; the others are told to wait for the lease', async () => {
    const hook = await addHook();
    const id = await owe(hook.id, await emit(hook.userId));
    const claims = await Promise.all(Array.from({ length: 20 }, () => deliveries.claim(id, 1)));
    expect(claims.filter(({ kind }) => kind === 'send')).toHaveLength(1);
    for (const claim of claims) {
      if (claim.kind === 'send') continue;
      expect(claim).toEqual({ kind: 'wait', waitMs: expect.any(Number) });
      expect(claim.kind === 'wait' && claim.waitMs).toBeGreaterThan(50_000);
    }
  });

  it('is never given early', async () => {
    const hook = await addHook();
    const id = await owe(hook.id, await emit(hook.userId), '20 seconds');
    const claim = await deliveries.claim(id, 1);
    expect(claim).toEqual({ kind: 'wait', waitMs: expect.any(Number) });
    expect(claim.kind === 'wait' && claim.waitMs).toBeGreaterThan(15_000);
  });

  it('carries the stored bytes, and ends what is done, unknown or of another attempt', async () => {
    const hook = await addHook();
    const eventId = await emit(hook.userId);
    const id = await owe(hook.id, eventId);
    expect(await deliveries.claim(id, 2)).toEqual({ kind: 'over' });
    const attempt = await claimed(id, 1);
    expect(Buffer.from(attempt.payload).toString()).toBe(`{"event_id":"${eventId}"}`);
    expect(await deliveries.record(attempt, SUCCEEDED)).toEqual({ kind: 'ended' });
    expect(await deliveries.claim(id, 1)).toEqual({ kind: 'over' });
    expect(await deliveries.claim(newUuid(), 1)).toEqual({ kind: 'over' });
  });

  it.each([
    ['a success', SUCCEEDED],
    ['a failure', FAILED],
  ])('that lost its lease to another writes nothing any more, be it %s', async (_what, result) => {
    const hook = await addHook();
    const id = await owe(hook.id, await emit(hook.userId));
    const late = await claimed(id, 1);
    await core.rows(
      "UPDATE webhook_deliveries SET lease_until = now() - interval '1 second' WHERE id = $1",
      id,
    );
    const next = await claimed(id, 1);
    expect(await deliveries.record(late, result)).toEqual({ kind: 'superseded' });
    expect(await core.rows('SELECT FROM webhook_attempts')).toEqual([]);
    expect(await deliveries.record(next, SUCCEEDED)).toEqual({ kind: 'ended' });
    expect(await core.rows('SELECT attempt, status FROM webhook_attempts')).toEqual([
      { attempt: 1, status: 'SUCCEEDED' },
    ]);
  });
});

describe('a failure', () => {
  it('tells when the next attempt is due, by the published schedule, to the row as to the caller', async () => {
    const hook = await addHook();
    const id = await owe(hook.id, await emit(hook.userId));
    const recorded = await deliveries.record(await claimed(id, 1), FAILED);
    expect(recorded).toEqual({ kind: 'retry', attempt: 2, delayMs: 5_000 });
    const [row] = await core.rows(
      `SELECT date_trunc('milliseconds', d.next_at) = a.next_attempt_at AS same, d.next_at - interval '5 seconds' <= a.created_at AS "isScheduled"
       FROM webhook_deliveries d JOIN webhook_attempts a ON a.delivery_id = d.id`,
    );
    expect(row).toEqual({ same: true, isScheduled: true });
  });

  it('at many deliveries of one webhook at once is counted each time, and deactivates once', async () => {
    const hook = await addHook();
    const ids = await Promise.all(
      Array.from({ length: 12 }, async () => owe(hook.id, await emit(hook.userId))),
    );
    await core.rows('UPDATE webhook_deliveries SET attempts = 4');
    const attempts = await Promise.all(ids.map((id) => claimed(id, 5)));
    await Promise.all(attempts.map((attempt) => deliveries.record(attempt, FAILED)));
    const [row] = await core.rows(
      'SELECT is_active, consecutive_failures, consecutive_dead_letters FROM webhooks',
    );
    expect(row).toEqual({ is_active: false, consecutive_failures: 12, consecutive_dead_letters: 12 });
    expect(await core.rows('SELECT FROM webhook_dead_letters')).toHaveLength(12);
    expect(await core.rows("SELECT FROM outbox_events WHERE type = 'webhook.deactivated'")).toHaveLength(1);
  });
});

describe('the fan-out', () => {
  it('row 17: makes one delivery for each event, whoever runs it, and tells of each once it stands', async () => {
    const hook = await addHook();
    const told: DeliveryRef[] = [];
    const errors: unknown[] = [];
    const fanOut = new WebhookFanOut(core.platform);
    const unsubscribe = fanOut.subscribe((refs) => told.push(...refs));
    while (!core.platform.listener.connected) await sleep(10);
    const relays = [1, 2].map(() => fanOut.start((error) => errors.push(error)));
    // More than one notification can carry.
    const events = await Promise.all(Array.from({ length: 450 }, () => emit(hook.userId)));
    while (told.length < events.length) await sleep(10);
    await Promise.all(relays.map((relay) => relay.stop()));
    unsubscribe();
    const rows = await core.rows('SELECT id, event_id FROM webhook_deliveries');
    expect(rows.map(({ event_id }) => event_id).sort()).toEqual([...events].sort());
    expect(told.map(({ deliveryId }) => deliveryId).sort()).toEqual(rows.map(({ id }) => id).sort());
    expect(told.every(({ attempt }) => attempt === 1)).toBe(true);
    expect(errors).toEqual([]);
  });

  it('keeps an event for as long as a delivery of it stands', async () => {
    const hook = await addHook();
    const eventId = await emit(hook.userId);
    await owe(hook.id, eventId);
    await expect(core.rows('DELETE FROM outbox_events WHERE id = $1', eventId)).rejects.toMatchObject({
      driverError: { code: '23503' },
    });
  });
});

describe('what is overdue', () => {
  it('is listed oldest first, page by page, with leases that ended and without what is at work', async () => {
    const hook = await addHook();
    const ages = ['-5 minutes', '-3 minutes', '-1 minute', '-1 second', '1 hour'];
    const ids: string[] = [];
    for (const age of ages) ids.push(await owe(hook.id, await emit(hook.userId), age));
    const working = await owe(hook.id, await emit(hook.userId));
    await claimed(working, 1);
    const dead = await owe(hook.id, await emit(hook.userId));
    await claimed(dead, 1);
    await core.rows(
      "UPDATE webhook_deliveries SET lease_until = now() - interval '2 minutes' WHERE id = $1",
      dead,
    );
    const found: string[] = [];
    let after: Parameters<WebhookDeliveries['overdue']>[2];
    for (;;) {
      const page = await deliveries.overdue(10_000, 2, after);
      found.push(...page.map(({ deliveryId }) => deliveryId));
      after = page.at(-1);
      if (page.length < 2) break;
    }
    expect(found).toEqual([ids[0], ids[1], dead, ids[2]]);
  });
});
