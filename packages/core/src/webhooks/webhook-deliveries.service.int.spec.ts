/** Tests of claims, results and limits of deliveries. `row 17` is a row of the known failures in docs/trading/rules.md. */
import type { EventType } from '@trading-automation/contracts';
import { appendEvent, inTransaction, newUuid } from '@trading-automation/persistence';
import { eventually } from '@trading-automation/runtime/testing';
import { CoreUnderTest } from '../testing/index.js';
import type { OverdueDelivery } from './admission.queries.js';
import { type DeliveryRef, deadLetterDueDeliveries } from './delivery.queries.js';
import { DELIVERY_LIMITS, type DeliveryLimits } from './delivery.rules.js';
import {
  type ClaimResult,
  DeliverySettings,
  WebhookDeliveriesService,
} from './webhook-deliveries.service.js';
import { WebhookFanOut } from './webhook-fan-out.service.js';

const SUCCEEDED = { statusCode: 200, responseTimeMs: 5 };
const FAILED = { statusCode: 500, error: 'http_status', responseTimeMs: 5 } as const;

let core: CoreUnderTest;
let deliveries: WebhookDeliveriesService;

beforeEach(async () => {
  core = await CoreUnderTest.open();
  deliveries = createDispatcher();
});
afterEach(() => core.close());

/** Creates a dispatcher on the database of the test. */
function createDispatcher(limits: Partial<DeliveryLimits> = {}): WebhookDeliveriesService {
  return new WebhookDeliveriesService(
    core.platform,
    new DeliverySettings(60_000, undefined, { ...DELIVERY_LIMITS, ...limits }),
  );
}

async function createWebhook(userId = newUuid()): Promise<{ id: string; userId: string }> {
  const id = newUuid();
  await core.rows('INSERT INTO users (id) VALUES ($1) ON CONFLICT DO NOTHING', userId);
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

/** Inserts a due delivery, as the fan-out does. */
async function insertDelivery(webhookId: string, eventId: string, dueIn = '0 seconds'): Promise<string> {
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

async function claimAttempt(deliveryId: string, attempt: number) {
  const claim = await deliveries.claim(deliveryId, attempt);
  if (claim.kind !== 'send') throw new Error(`claim: ${claim.kind}`);
  return claim.attempt;
}

describe('a claim', () => {
  it('is granted to one of many concurrent requests; the others must wait', async () => {
    const hook = await createWebhook();
    const id = await insertDelivery(hook.id, await emit(hook.userId));
    const claims = await Promise.all(Array.from({ length: 20 }, () => deliveries.claim(id, 1)));
    expect(claims.filter(({ kind }) => kind === 'send')).toHaveLength(1);
    for (const claim of claims) {
      if (claim.kind === 'send') continue;
      expect(claim).toEqual({ kind: 'wait', waitMs: expect.any(Number) });
      expect(claim.kind === 'wait' && claim.waitMs).toBeLessThanOrEqual(2_000);
    }
  });

  it('is never granted early', async () => {
    const hook = await createWebhook();
    const id = await insertDelivery(hook.id, await emit(hook.userId), '20 seconds');
    const claim = await deliveries.claim(id, 1);
    expect(claim).toEqual({ kind: 'wait', waitMs: expect.any(Number) });
    expect(claim.kind === 'wait' && claim.waitMs).toBeGreaterThan(15_000);
  });

  it('returns the stored bytes, and `over` for an attempt that is completed, unknown or not the next one', async () => {
    const hook = await createWebhook();
    const eventId = await emit(hook.userId);
    const id = await insertDelivery(hook.id, eventId);
    expect(await deliveries.claim(id, 2)).toEqual({ kind: 'over' });
    const attempt = await claimAttempt(id, 1);
    expect(Buffer.from(attempt.payload).toString()).toBe(`{"event_id":"${eventId}"}`);
    expect(await deliveries.record(attempt, SUCCEEDED)).toEqual({ kind: 'ended' });
    expect(await deliveries.claim(id, 1)).toEqual({ kind: 'over' });
    expect(await deliveries.claim(newUuid(), 1)).toEqual({ kind: 'over' });
  });

  it.each([
    ['a success', SUCCEEDED],
    ['a failure', FAILED],
  ])('that has lost its lease to another claim cannot record %s', async (_case, result) => {
    const hook = await createWebhook();
    const id = await insertDelivery(hook.id, await emit(hook.userId));
    const late = await claimAttempt(id, 1);
    await core.rows(
      "UPDATE webhook_deliveries SET lease_until = now() - interval '1 second' WHERE id = $1",
      id,
    );
    const next = await claimAttempt(id, 1);
    expect(await deliveries.record(late, result)).toEqual({ kind: 'superseded' });
    expect(await core.rows('SELECT FROM webhook_attempts')).toEqual([]);
    expect(await deliveries.record(next, SUCCEEDED)).toEqual({ kind: 'ended' });
    expect(await core.rows('SELECT attempt, status FROM webhook_attempts')).toEqual([
      { attempt: 1, status: 'SUCCEEDED' },
    ]);
  });
});

describe('a failure', () => {
  it('schedules the next attempt after the published delay, in the stored row and in the result', async () => {
    const hook = await createWebhook();
    const id = await insertDelivery(hook.id, await emit(hook.userId));
    const recorded = await deliveries.record(await claimAttempt(id, 1), FAILED);
    expect(recorded).toEqual({ kind: 'retry', attempt: 2, delayMs: 5_000, lane: 'main' });
    const [row] = await core.rows(
      `SELECT d.next_at = a.next_attempt_at AS same, d.next_at - interval '5 seconds' <= a.created_at AS "isScheduled"
       FROM webhook_deliveries d JOIN webhook_attempts a ON a.delivery_id = d.id`,
    );
    expect(row).toEqual({ same: true, isScheduled: true });
  });

  it('is counted for each of twelve concurrent deliveries of one webhook, and the webhook is deactivated once', async () => {
    const hook = await createWebhook();
    const ids = await Promise.all(
      Array.from({ length: 12 }, async () => insertDelivery(hook.id, await emit(hook.userId))),
    );
    await core.rows('UPDATE webhook_deliveries SET attempts = 4');
    deliveries = createDispatcher({ perWebhookMax: 12 });
    const attempts = await Promise.all(ids.map((id) => claimAttempt(id, 5)));
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
  it('row 17: creates one delivery per event and webhook even if two relays run, and notifies of deliveries that need a job', async () => {
    const notified: DeliveryRef[] = [];
    const parked: string[] = [];
    const errors: unknown[] = [];
    const fanOut = new WebhookFanOut(core.platform);
    const unsubscribes = [
      fanOut.subscribe((refs) => notified.push(...refs)),
      fanOut.subscribeParked((userIds) => parked.push(...userIds)),
    ];
    await core.untilListening();
    // 225 deliveries do not fit into one notification; the first user's deliveries also exceed the in-flight limit.
    const users = Array.from({ length: 15 }, () => newUuid());
    for (const userId of users) await Promise.all(Array.from({ length: 15 }, () => createWebhook(userId)));
    const events = await Promise.all(users.map((userId) => emit(userId)));
    const burst = await Promise.all(Array.from({ length: 9 }, () => emit(users[0]!)));
    const relays = [1, 2].map(() => fanOut.start((error) => errors.push(error)));
    const storedDeliveries = () => core.rows('SELECT id, event_id, is_parked FROM webhook_deliveries');
    await eventually(async () => (await storedDeliveries()).length >= (events.length + burst.length) * 15);
    await Promise.all(relays.map((relay) => relay.stop()));
    const rows = await storedDeliveries();
    const withJobs = rows.filter(({ is_parked }) => is_parked === false).map(({ id }) => id);
    await eventually(() => notified.length >= withJobs.length && parked.length > 0);
    for (const unsubscribe of unsubscribes) unsubscribe();
    expect(rows).toHaveLength((events.length + burst.length) * 15);
    expect(new Set(rows.map(({ event_id }) => event_id))).toEqual(new Set([...events, ...burst]));
    expect(withJobs).toHaveLength(14 * 15 + 16);
    expect(notified.map(({ deliveryId }) => deliveryId).sort()).toEqual(withJobs.sort());
    expect(notified.every(({ attempt }) => attempt === 1)).toBe(true);
    expect(parked).toContain(users[0]);
    expect(errors).toEqual([]);
  });

  it('prevents the deletion of an event while a delivery of it exists', async () => {
    const hook = await createWebhook();
    const eventId = await emit(hook.userId);
    await insertDelivery(hook.id, eventId);
    await expect(core.rows('DELETE FROM outbox_events WHERE id = $1', eventId)).rejects.toMatchObject({
      driverError: { code: '23503' },
    });
  });
});

describe('the number of attempts in flight', () => {
  const kinds = (claims: readonly ClaimResult[]) => claims.map(({ kind }) => kind).sort();

  async function createDueDeliveries(hook: { id: string; userId: string }, count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let i = 0; i < count; i++) ids.push(await insertDelivery(hook.id, await emit(hook.userId)));
    return ids;
  }

  it('is at most four for a webhook over all dispatchers; other deliveries are parked, and admitted oldest first as attempts end', async () => {
    const hook = await createWebhook();
    const ids = await createDueDeliveries(hook, 9);
    const dispatchers = [deliveries, createDispatcher()];
    const claims = await Promise.all(ids.map((id, i) => dispatchers[i % 2]!.claim(id, 1)));
    expect(kinds(claims)).toEqual([...Array(5).fill('parked'), ...Array(4).fill('send')]);
    expect(await deliveries.admissible([hook.userId])).toEqual([]);
    expect(await deliveries.parkedUsers()).toEqual([hook.userId]);
    for (const claim of claims.filter(({ kind }) => kind === 'send').slice(0, 2)) {
      if (claim.kind === 'send') await deliveries.record(claim.attempt, SUCCEEDED);
    }
    const parked = ids.filter((_id, i) => claims[i]!.kind === 'parked');
    expect(await deliveries.admissible([hook.userId])).toEqual(
      parked.slice(0, 2).map((deliveryId) => ({ deliveryId, attempt: 1, lane: 'main' })),
    );
    expect(kinds(await Promise.all(parked.slice(0, 3).map((id) => deliveries.claim(id, 1))))).toEqual([
      'parked',
      'send',
      'send',
    ]);
    expect(await core.rows("SELECT FROM webhook_deliveries WHERE status = 'SENDING'")).toHaveLength(4);
  });

  it('is counted under the user’s lock, and includes claims that were made while waiting for the lock', async () => {
    const hook = await createWebhook();
    const ids = await createDueDeliveries(hook, 8);
    const waiting = async () =>
      (
        await core.rows(
          `SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
           WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted`,
        )
      ).length;
    const pending = await inTransaction(core.platform.database, async (tx) => {
      await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('webhook caps ' || $1, 0))", [
        hook.userId,
      ]);
      const claims = [deliveries, createDispatcher()].map((dispatcher, nth) =>
        Promise.all(ids.slice(4 * nth, 4 * nth + 4).map((id) => dispatcher.claim(id, 1))),
      );
      await eventually(async () => (await waiting()) >= 2);
      return { claims: Promise.all(claims) };
    });
    expect(kinds((await pending.claims).flat())).toEqual([
      ...Array(4).fill('parked'),
      ...Array(4).fill('send'),
    ]);
  });

  it('is at most sixteen for a user, shared evenly by the user’s webhooks, and independent of other users', async () => {
    const userId = newUuid();
    const hooks = await Promise.all(Array.from({ length: 6 }, () => createWebhook(userId)));
    const ids = (await Promise.all(hooks.map((hook) => createDueDeliveries(hook, 5)))).flat();
    const claims = await Promise.all(ids.map((id) => deliveries.claim(id, 1)));
    expect(claims.filter(({ kind }) => kind === 'send')).toHaveLength(16);
    const other = await createWebhook();
    expect(
      kinds(await Promise.all((await createDueDeliveries(other, 4)).map((id) => deliveries.claim(id, 1)))),
    ).toEqual(Array(4).fill('send'));
    for (const claim of claims) if (claim.kind === 'send') await deliveries.record(claim.attempt, SUCCEEDED);
    const next = await deliveries.admissible([userId]);
    // Four webhooks have one delivery left. Two webhooks have five, of which four may be in flight.
    expect(next).toHaveLength(12);
    const rows = await core.rows(
      'SELECT webhook_id FROM webhook_deliveries WHERE id = ANY($1)',
      next.slice(0, 6).map(({ deliveryId }) => deliveryId),
    );
    expect(new Set(rows.map(({ webhook_id }) => webhook_id)).size).toBe(6);
  });

  it('is at most one if the last attempt of the webhook failed; from the third failure on, the slow lane serves the webhook', async () => {
    const hook = await createWebhook();
    const ids = await createDueDeliveries(hook, 3);
    expect(await deliveries.record(await claimAttempt(ids[0]!, 1), FAILED)).toMatchObject({ lane: 'main' });
    const claims = await Promise.all(ids.slice(1).map((id) => deliveries.claim(id, 1)));
    expect(kinds(claims)).toEqual(['parked', 'send']);
    await core.rows('UPDATE webhooks SET consecutive_failures = 2');
    const [sent] = claims.filter(({ kind }) => kind === 'send');
    const recorded = sent?.kind === 'send' && (await deliveries.record(sent.attempt, FAILED));
    expect(recorded).toMatchObject({ kind: 'retry', lane: 'slow' });
    const waiting = ids.find((_id, i) => i > 0 && claims[i - 1]!.kind === 'parked')!;
    expect(await deliveries.admissible([hook.userId])).toEqual([
      { deliveryId: waiting, attempt: 1, lane: 'slow' },
    ]);
    expect(await deliveries.claim(waiting, 1, 'main')).toEqual({ kind: 'slow' });
    expect(await deliveries.claim(waiting, 1, 'slow')).toMatchObject({ kind: 'send' });
  });

  it('is counted without deadlocks if many webhooks are deactivated concurrently', async () => {
    const userId = newUuid();
    const hooks = await Promise.all(Array.from({ length: 4 }, () => createWebhook(userId)));
    const ids = (await Promise.all(hooks.map((hook) => createDueDeliveries(hook, 8)))).flat();
    const dispatchers = [deliveries, createDispatcher()];
    const deactivate = () =>
      Promise.all(
        hooks.map(({ id }) => inTransaction(core.platform.database, (tx) => deadLetterDueDeliveries(tx, id))),
      );
    const outcomes = await Promise.allSettled([
      ...ids.map((id, i) => dispatchers[i % 2]!.claim(id, 1)),
      ...ids.toReversed().map((id, i) => dispatchers[i % 2]!.claim(id, 1)),
      deactivate(),
    ]);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
  });
});

describe('the attempts of a dispatcher', () => {
  const backdate = (column: string) =>
    core.rows(`UPDATE webhook_dispatchers SET ${column} = ${column} - interval '1 hour'`);

  it('pass to another dispatcher after missed heartbeats, but only after some other dispatcher has sent heartbeats for one whole timeout', async () => {
    const hook = await createWebhook();
    const id = await insertDelivery(hook.id, await emit(hook.userId));
    const other = createDispatcher();
    await deliveries.heartbeat();
    const late = await claimAttempt(id, 1);
    await backdate('seen_at');
    await other.heartbeat();
    expect(await other.claim(id, 1)).toMatchObject({ kind: 'wait' });
    expect(await other.overdue({ graceMs: 10_000, limit: 5 })).toEqual([]);
    await core.rows("UPDATE webhook_dispatchers SET since = since - interval '1 hour'");
    const newDispatcher = createDispatcher();
    await newDispatcher.heartbeat();
    expect(await newDispatcher.overdue({ graceMs: 10_000, limit: 5 })).toMatchObject([
      { deliveryId: id, attempt: 1 },
    ]);
    const next = await newDispatcher.claim(id, 1);
    expect(next).toMatchObject({ kind: 'send', attempt: { attempt: 1, claims: 2 } });
    expect(await deliveries.record(late, SUCCEEDED)).toEqual({ kind: 'superseded' });
  });

  it('stay with it while it sends heartbeats; a dispatcher that was interrupted itself cannot take them over at once', async () => {
    const hook = await createWebhook();
    const id = await insertDelivery(hook.id, await emit(hook.userId));
    const other = createDispatcher();
    await Promise.all([deliveries.heartbeat(), other.heartbeat()]);
    await core.rows("UPDATE webhook_dispatchers SET since = since - interval '1 hour'");
    await claimAttempt(id, 1);
    expect(await other.claim(id, 1)).toMatchObject({ kind: 'wait' });
    await backdate('seen_at');
    await other.heartbeat();
    // `other` now has a gap in its own heartbeats: the database may have been unavailable to all dispatchers.
    expect(await other.claim(id, 1)).toMatchObject({ kind: 'wait' });
    expect(await other.overdue({ graceMs: 10_000, limit: 5 })).toEqual([]);
  });

  it('are released immediately when it stops', async () => {
    const hook = await createWebhook();
    const id = await insertDelivery(hook.id, await emit(hook.userId));
    const other = createDispatcher();
    await Promise.all([deliveries.heartbeat(), other.heartbeat()]);
    await core.rows("UPDATE webhook_dispatchers SET since = since - interval '1 hour'");
    await claimAttempt(id, 1);
    await deliveries.releaseLeases();
    expect(await other.claim(id, 1)).toMatchObject({ kind: 'send' });
  });
});

describe('the list of overdue deliveries', () => {
  it('includes parked deliveries of an inactive webhook; a claim moves them to the dead letters', async () => {
    const hook = await createWebhook();
    const id = await insertDelivery(hook.id, await emit(hook.userId));
    await core.rows('UPDATE webhook_deliveries SET is_parked = true');
    expect(await deliveries.parkedUsers()).toEqual([hook.userId]);
    await core.rows('UPDATE webhooks SET is_active = false');
    expect(await deliveries.parkedUsers()).toEqual([]);
    expect(await deliveries.overdue({ graceMs: 10_000, limit: 5 })).toMatchObject([{ deliveryId: id }]);
    expect(await deliveries.claim(id, 1)).toEqual({ kind: 'over' });
    expect(await core.rows('SELECT id, last_error FROM webhook_dead_letters')).toEqual([
      { id, last_error: 'webhook_inactive' },
    ]);
  });

  it('is sorted oldest first, in pages, and includes deliveries with expired leases, but none with valid leases', async () => {
    const hook = await createWebhook();
    const offsets = ['-5 minutes', '-3 minutes', '-1 minute', '-1 second', '1 hour'];
    const ids: string[] = [];
    for (const offset of offsets) ids.push(await insertDelivery(hook.id, await emit(hook.userId), offset));
    const leased = await insertDelivery(hook.id, await emit(hook.userId));
    await claimAttempt(leased, 1);
    const expired = await insertDelivery(hook.id, await emit(hook.userId));
    await claimAttempt(expired, 1);
    await core.rows(
      "UPDATE webhook_deliveries SET lease_until = now() - interval '2 minutes' WHERE id = $1",
      expired,
    );
    const overdueIds: string[] = [];
    let after: OverdueDelivery | undefined;
    for (;;) {
      const page = await deliveries.overdue({ graceMs: 10_000, limit: 2, after });
      overdueIds.push(...page.map(({ deliveryId }) => deliveryId));
      after = page.at(-1);
      if (page.length < 2) break;
    }
    expect(overdueIds).toEqual([ids[0], ids[1], expired, ids[2]]);
  });
});
