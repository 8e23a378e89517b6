/** Tests of bulk retries of dead letters. `F21` in a title refers to this fault in docs/reliability.md. */
import { decodeId, encodeId } from '@trading-automation/contracts';
import { eventually } from '@trading-automation/runtime/testing';

import { type Actor, ResponseReplayed } from '../operations/index.js';
import { WebhooksUnderTest } from './testing/webhooks-under-test.js';
import { WebhookFanOut } from './webhook-fan-out.service.js';

let env: WebhooksUnderTest;
let actor: Actor;
let hook: string;
beforeAll(async () => {
  env = await WebhooksUnderTest.open();
});
afterAll(() => env.close());
beforeEach(async () => {
  actor = await env.core.actor();
  hook = await env.createWebhook(actor);
});

const webhookId = () => decodeId('whk', hook);
const createDeadLetter = (event?: Parameters<WebhooksUnderTest['createDeadLetter']>[2]) =>
  env.createDeadLetter(actor, hook, event);
const retryMany = (
  filter: Parameters<WebhooksUnderTest['deadLetters']['retryMany']>[2] = {},
  caller = actor,
) => env.deadLetters.retryMany(caller, hook, filter);
const statusesOf = async (ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await env.deadLetters.get(actor, hook, id)).status));
/** Returns the deliveries of this webhook that belong to a retry or replay (run 1 and up). */
const laterRuns = () =>
  env.core.rows(
    `SELECT event_id, run, status, is_parked FROM webhook_deliveries WHERE webhook_id = $1 AND run > 0 ORDER BY id`,
    webhookId(),
  );

/** Creates `count` dead letters that are one millisecond apart; returns their ids, oldest first. */
async function createDeadLetters(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let created = 0; created < count; created += 1_000)
    ids.push(...(await createDeadLetterBatch(created, Math.min(1_000, count - created))));
  return ids;
}

async function createDeadLetterBatch(existingCount: number, count: number): Promise<string[]> {
  const rows = await env.core.rows(
    `WITH events AS (
       INSERT INTO outbox_events (id, user_id, type, payload)
       SELECT gen_random_uuid(), $2, 'trade.filled', '{}' FROM generate_series(1, $3::int) RETURNING id
     ), dead AS (
       INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, status, attempts)
       SELECT gen_random_uuid(), $1, id, 'trade.filled', 'DEAD', 5 FROM events RETURNING id, webhook_id, event_type
     )
     INSERT INTO webhook_dead_letters (id, webhook_id, event_type, attempts, last_error, created_at)
     SELECT id, webhook_id, event_type, 5, 'timeout',
       '2026-01-31T12:00:00Z'::timestamptz + ($4::int + row_number() OVER ()) * interval '1 millisecond'
     FROM dead RETURNING id, created_at`,
    webhookId(),
    actor.userId,
    count,
    existingCount,
  );
  return rows
    .sort((a, b) => Number(a.created_at) - Number(b.created_at))
    .map(({ id }) => encodeId('dlq', String(id)));
}

/** Returns the number of statements that `work` sends to the database. */
async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const { database } = env.core.platform;
  const { logger } = database;
  let count = 0;
  const countingLogger = Object.create(logger, {
    logQuery: {
      value: () => {
        count++;
      },
    },
  });
  database.logger = countingLogger;
  try {
    await work();
  } finally {
    database.logger = logger;
  }
  return count;
}

describe('a bulk retry', () => {
  it('F21: resolves each of 10,000 dead letters once, despite concurrent bulk retries, single retries and discards', async () => {
    const ids = await createDeadLetters(10_000);
    const outcomes = await Promise.all([
      ...Array.from({ length: 3 }, () => retryMany().then(({ retried }) => retried)),
      ...ids
        .slice(0, 10)
        .map((id) => env.deadLetters.retry(actor, hook, id).then(returnOne, expectInvalidState)),
      ...ids
        .slice(5, 15)
        .map((id) => env.deadLetters.discard(actor, hook, id).then(returnZero, expectInvalidState)),
      ...ids
        .slice(-10)
        .map((id) => env.deadLetters.discard(actor, hook, id).then(returnZero, expectInvalidState)),
    ]);
    const { pending, retried, discarded } = await env.deadLetters.stats(actor, hook);
    expect([pending, retried + discarded]).toEqual([0, 10_000]);
    expect(outcomes.reduce((sum, count) => sum + count, 0)).toBe(retried);
    const [runs] = await env.core.rows(
      `SELECT count(*)::int AS all, count(DISTINCT event_id)::int AS events, max(run) AS run,
         count(*) FILTER (WHERE status = 'DUE')::int AS due
       FROM webhook_deliveries WHERE webhook_id = $1 AND run > 0`,
      webhookId(),
    );
    expect(runs).toEqual({ all: retried, events: retried, run: 1, due: retried });
    expect(await retryMany()).toEqual({ retried: 0, has_more: false });
  }, 60_000);

  it('retries the 10,000 oldest dead letters in a few statements, and reports that there are more', async () => {
    const ids = await createDeadLetters(10_030);
    let result = {};
    const statementCount = await countStatements(async () => {
      result = await retryMany();
    });
    expect(result).toEqual({ retried: 10_000, has_more: true });
    expect(statementCount).toBeLessThan(30);
    expect(statementCount).toBeGreaterThan(3);
    const pending = await env.core.rows(
      "SELECT id FROM webhook_dead_letters WHERE webhook_id = $1 AND status = 'PENDING' ORDER BY created_at",
      webhookId(),
    );
    expect(pending.map(({ id }) => encodeId('dlq', String(id)))).toEqual(ids.slice(-30));
    expect(await retryMany()).toEqual({ retried: 30, has_more: false });
  }, 60_000);

  it('notifies of deliveries up to the in-flight limit, oldest first, and parks the others', async () => {
    const ids = await createDeadLetters(30);
    const { platform } = env.core;
    const notified: string[] = [];
    const parkedUserIds: string[] = [];
    const fanOut = new WebhookFanOut(platform);
    const stops = [
      fanOut.subscribe((refs) => notified.push(...refs.map(({ deliveryId }) => deliveryId))),
      fanOut.subscribeParked((userIds) => parkedUserIds.push(...userIds)),
    ];
    await env.core.untilListening();
    await retryMany();
    await eventually(() => parkedUserIds.length > 0);
    for (const stop of stops) stop();
    const inserted = await env.core.rows(
      `SELECT r.id, r.is_parked, d.id AS dead_id FROM webhook_deliveries r
       JOIN webhook_deliveries d ON d.webhook_id = r.webhook_id AND d.event_id = r.event_id AND d.run = 0
       WHERE r.webhook_id = $1 AND r.run = 1 ORDER BY r.next_at, r.id`,
      webhookId(),
    );
    expect(inserted.map(({ dead_id }) => encodeId('dlq', String(dead_id)))).toEqual(ids);
    expect(inserted.map(({ is_parked }) => is_parked)).toEqual(ids.map((_, index) => index >= 4));
    expect(notified.sort()).toEqual(
      inserted
        .slice(0, 4)
        .map(({ id }) => id)
        .sort(),
    );
    expect(parkedUserIds).toEqual([actor.userId]);
  });

  it('parks all its deliveries if the webhook already has a parked delivery', async () => {
    const parkedId = await env.createDueDelivery(actor, hook);
    await env.core.rows('UPDATE webhook_deliveries SET is_parked = true WHERE id = $1', parkedId);
    await createDeadLetters(2);
    await retryMany();
    expect((await laterRuns()).map(({ is_parked }) => is_parked)).toEqual([true, true]);
  });

  it('retries only the dead letters of the requested type and time range, which includes its start but not its end', async () => {
    const [first, second, third] = [
      await createDeadLetter(),
      await createDeadLetter({ type: 'trade.filled' }),
      await createDeadLetter(),
    ];
    const all = [first.id, second.id, third.id];
    const at = async (id: string) => (await env.deadLetters.get(actor, hook, id)).created_at;
    const [from, to] = [await at(second.id), await at(third.id)];
    expect(await retryMany({ from, to, event_type: 'trade.created' })).toEqual({
      retried: 0,
      has_more: false,
    });
    expect(await retryMany({ from, to })).toEqual({ retried: 1, has_more: false });
    expect(await statusesOf(all)).toEqual(['PENDING', 'RETRIED', 'PENDING']);
    expect(await retryMany({ event_type: 'trade.filled' })).toEqual({ retried: 0, has_more: false });
    expect(await retryMany({ to })).toEqual({ retried: 1, has_more: false });
    expect(await statusesOf(all)).toEqual(['RETRIED', 'RETRIED', 'PENDING']);
    expect(await retryMany({ from: to.replace('Z', '+00:00') })).toEqual({ retried: 1, has_more: false });
  });

  it('does not change dead letters that are already resolved or belong to other webhooks', async () => {
    const [discarded, retried, pending] = [
      await createDeadLetter(),
      await createDeadLetter(),
      await createDeadLetter(),
    ];
    const other = await env.createWebhook(actor);
    const otherDeadLetter = await env.createDeadLetter(actor, other);
    await env.deadLetters.discard(actor, hook, discarded.id);
    await env.deadLetters.retry(actor, hook, retried.id);
    expect(await retryMany()).toEqual({ retried: 1, has_more: false });
    expect(await statusesOf([discarded.id, retried.id, pending.id])).toEqual([
      'DISCARDED',
      'RETRIED',
      'RETRIED',
    ]);
    expect(await laterRuns()).toHaveLength(2);
    expect(await env.deadLetters.get(actor, other, otherDeadLetter.id)).toMatchObject({ status: 'PENDING' });
  });

  it('schedules a run with the original bytes for each of two dead letters of the same event', async () => {
    const { uuid } = await createDeadLetter({ data: '{"amount":0.10}' });
    const { event_id } = await env.core.row('SELECT event_id FROM webhook_deliveries WHERE id = $1', uuid);
    await env.webhooks.replay(actor, hook, { event_id: encodeId('evt', String(event_id)) });
    const [replayed] = await env.core.rows(
      'SELECT id FROM webhook_deliveries WHERE event_id = $1 AND run = 1',
      event_id,
    );
    await env.failAllAttempts(String(replayed?.id));
    expect(await retryMany()).toEqual({ retried: 2, has_more: false });
    const runs = await env.core.rows(
      'SELECT id, run, status FROM webhook_deliveries WHERE event_id = $1 ORDER BY run',
      event_id,
    );
    expect(runs.map(({ run, status }) => [run, status])).toEqual([
      [0, 'DEAD'],
      [1, 'DEAD'],
      [2, 'DUE'],
      [3, 'DUE'],
    ]);
    const attempt = await env.claimAttempt(String(runs[3]?.id));
    expect(Buffer.from(attempt.payload).toString()).toContain('{"amount":0.10}');
  });

  it('is rejected and leaves all dead letters pending if the webhook is inactive', async () => {
    const { id } = await createDeadLetter();
    await env.webhooks.update(actor, hook, { is_active: false });
    await expect(retryMany()).rejects.toMatchObject({
      code: 'invalid_state',
      details: [{ state: 'INACTIVE' }],
    });
    expect(await statusesOf([id])).toEqual(['PENDING']);
  });

  it('that is concurrent with a deactivation is rejected, or all its deliveries become dead letters again', async () => {
    for (let round = 0; round < 10; round++) {
      await createDeadLetters(20);
      await Promise.all([
        retryMany().catch((error) => expect(error).toMatchObject({ code: 'invalid_state' })),
        env.webhooks.update(actor, hook, { is_active: false }),
      ]);
      expect((await laterRuns()).filter(({ status }) => status !== 'DEAD')).toEqual([]);
      const { pending } = await env.deadLetters.stats(actor, hook);
      expect(pending).toBe(20);
      await env.webhooks.update(actor, hook, { is_active: true });
      expect(await retryMany()).toEqual({ retried: 20, has_more: false });
      await env.core.rows(
        "UPDATE webhook_deliveries SET status = 'SUCCEEDED', next_at = NULL WHERE webhook_id = $1 AND status = 'DUE'",
        webhookId(),
      );
      await env.core.rows(
        'DELETE FROM webhook_deliveries WHERE webhook_id = $1 AND run > 0 AND status = $2',
        webhookId(),
        'SUCCEEDED',
      );
    }
  });

  it('schedules no further run if its Idempotency-Key was already used', async () => {
    await createDeadLetter();
    const idempotentActor = {
      ...actor,
      idempotency: env.core.idempotencyContext(actor.userId, 'retry-many'),
    };
    expect(await retryMany({}, idempotentActor)).toEqual({ retried: 1, has_more: false });
    await createDeadLetter();
    await expect(retryMany({}, idempotentActor)).rejects.toBeInstanceOf(ResponseReplayed);
    expect(await env.deadLetters.stats(actor, hook)).toEqual({ pending: 1, retried: 1, discarded: 0 });
  });

  it('requires ADMIN, and an existing webhook of the caller', async () => {
    const { id } = await createDeadLetter();
    const trader: Actor = { ...actor, credential: { ...actor.credential, permissions: ['TRADE'] } };
    await expect(retryMany({}, trader)).rejects.toMatchObject({ code: 'permission_denied' });
    await expect(retryMany({}, await env.core.actor())).rejects.toMatchObject({
      code: 'not_found',
      details: [],
    });
    const deleted = await env.createWebhook(actor);
    await env.webhooks.delete(actor, deleted);
    for (const unknownWebhookId of [deleted, 'whk_nonsense', id])
      await expect(env.deadLetters.retryMany(actor, unknownWebhookId, {})).rejects.toMatchObject({
        code: 'not_found',
      });
    expect(await statusesOf([id])).toEqual(['PENDING']);
  });
});

const returnOne = () => 1;
const returnZero = () => 0;
/**
 * Asserts that a concurrent request resolved the dead letter first; returns 0, because this request retried nothing.
 */
const expectInvalidState = (error: unknown) => {
  expect(error).toMatchObject({ code: 'invalid_state' });
  return 0;
};
