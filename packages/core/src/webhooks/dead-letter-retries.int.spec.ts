import { decodeId, encodeId } from '@trading-automation/contracts';
import { eventually } from '@trading-automation/runtime/testing';

import { type Actor, ResponseReplayed } from '../operations/index.js';
import { WebhooksUnderTest } from './testing/webhooks-under-test.js';
import { WebhookFanOut } from './webhook-fan-out.service.js';

let the: WebhooksUnderTest;
let actor: Actor;
let hook: string;
beforeAll(async () => {
  the = await WebhooksUnderTest.open();
});
afterAll(() => the.close());
beforeEach(async () => {
  actor = await the.core.actor();
  hook = await the.createWebhook(actor);
});

const webhookId = () => decodeId('whk', hook);
const createDeadLetter = (event?: Parameters<WebhooksUnderTest['createDeadLetter']>[2]) =>
  the.createDeadLetter(actor, hook, event);
const retryMany = (asked: Parameters<WebhooksUnderTest['deadLetters']['retryMany']>[2] = {}, who = actor) =>
  the.deadLetters.retryMany(who, hook, asked);
const statusesOf = async (ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await the.deadLetters.get(actor, hook, id)).status));
/** Every run of this webhook's events except the first. */
const laterRuns = () =>
  the.core.rows(
    `SELECT event_id, run, status, is_parked FROM webhook_deliveries WHERE webhook_id = $1 AND run > 0 ORDER BY id`,
    webhookId(),
  );

/** Creates dead letters a millisecond apart; returns their ids, oldest first. */
async function createDeadLetters(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made += 1_000)
    ids.push(...(await createDeadLetterBatch(made, Math.min(1_000, count - made))));
  return ids;
}

async function createDeadLetterBatch(after: number, count: number): Promise<string[]> {
  const rows = await the.core.rows(
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
    after,
  );
  return rows
    .sort((a, b) => Number(a.created_at) - Number(b.created_at))
    .map(({ id }) => encodeId('dlq', String(id)));
}

/** Returns the statements that `work` sends to the database. */
async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const { database } = the.core.platform;
  const { logger } = database;
  let count = 0;
  const counting = Object.create(logger, {
    logQuery: {
      value: () => {
        count++;
      },
    },
  });
  database.logger = counting;
  try {
    await work();
  } finally {
    database.logger = logger;
  }
  return count;
}

describe('retrying many', () => {
  it('F21: 10,000 concurrently with itself, single retries and discards has one effect for each', async () => {
    const ids = await createDeadLetters(10_000);
    const outcomes = await Promise.all([
      ...Array.from({ length: 3 }, () => retryMany().then(({ retried }) => retried)),
      ...ids.slice(0, 10).map((id) => the.deadLetters.retry(actor, hook, id).then(one, refused)),
      ...ids.slice(5, 15).map((id) => the.deadLetters.discard(actor, hook, id).then(none, refused)),
      ...ids.slice(-10).map((id) => the.deadLetters.discard(actor, hook, id).then(none, refused)),
    ]);
    const { pending, retried, discarded } = await the.deadLetters.stats(actor, hook);
    expect([pending, retried + discarded]).toEqual([0, 10_000]);
    expect(outcomes.reduce((sum, count) => sum + count, 0)).toBe(retried);
    const [runs] = await the.core.rows(
      `SELECT count(*)::int AS all, count(DISTINCT event_id)::int AS events, max(run) AS run,
         count(*) FILTER (WHERE status = 'DUE')::int AS due
       FROM webhook_deliveries WHERE webhook_id = $1 AND run > 0`,
      webhookId(),
    );
    expect(runs).toEqual({ all: retried, events: retried, run: 1, due: retried });
    expect(await retryMany()).toEqual({ retried: 0, has_more: false });
  }, 60_000);

  it('retries the 10,000 oldest in a few statements, and reports that there are more', async () => {
    const ids = await createDeadLetters(10_030);
    let answer = {};
    const statements = await statementsOf(async () => {
      answer = await retryMany();
    });
    expect(answer).toEqual({ retried: 10_000, has_more: true });
    expect(statements).toBeLessThan(30);
    expect(statements).toBeGreaterThan(3);
    const left = await the.core.rows(
      "SELECT id FROM webhook_dead_letters WHERE webhook_id = $1 AND status = 'PENDING' ORDER BY created_at",
      webhookId(),
    );
    expect(left.map(({ id }) => encodeId('dlq', String(id)))).toEqual(ids.slice(-30));
    expect(await retryMany()).toEqual({ retried: 30, has_more: false });
  }, 60_000);

  it('creates jobs up to the in-flight limit; the others are parked in order', async () => {
    const ids = await createDeadLetters(30);
    const { platform } = the.core;
    const notified: string[] = [];
    const waiting: string[] = [];
    const fanOut = new WebhookFanOut(platform);
    const stops = [
      fanOut.subscribe((refs) => notified.push(...refs.map(({ deliveryId }) => deliveryId))),
      fanOut.subscribeParked((userIds) => waiting.push(...userIds)),
    ];
    await the.core.untilListening();
    await retryMany();
    await eventually(() => waiting.length > 0);
    for (const stop of stops) stop();
    const inserted = await the.core.rows(
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
    expect(waiting).toEqual([actor.userId]);
  });

  it('queues behind deliveries that are already parked', async () => {
    const earlier = await the.createDueDelivery(actor, hook);
    await the.core.rows('UPDATE webhook_deliveries SET is_parked = true WHERE id = $1', earlier);
    await createDeadLetters(2);
    await retryMany();
    expect((await laterRuns()).map(({ is_parked }) => is_parked)).toEqual([true, true]);
  });

  it('retries only those of a time range (start inclusive, end exclusive) and a type', async () => {
    const [first, second, third] = [
      await createDeadLetter(),
      await createDeadLetter({ type: 'trade.filled' }),
      await createDeadLetter(),
    ];
    const all = [first.id, second.id, third.id];
    const at = async (id: string) => (await the.deadLetters.get(actor, hook, id)).created_at;
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

  it('does not change discarded and retried ones, or other webhooks', async () => {
    const [discarded, retried, pending] = [
      await createDeadLetter(),
      await createDeadLetter(),
      await createDeadLetter(),
    ];
    const other = await the.createWebhook(actor);
    const others = await the.createDeadLetter(actor, other);
    await the.deadLetters.discard(actor, hook, discarded.id);
    await the.deadLetters.retry(actor, hook, retried.id);
    expect(await retryMany()).toEqual({ retried: 1, has_more: false });
    expect(await statusesOf([discarded.id, retried.id, pending.id])).toEqual([
      'DISCARDED',
      'RETRIED',
      'RETRIED',
    ]);
    expect(await laterRuns()).toHaveLength(2);
    expect(await the.deadLetters.get(actor, other, others.id)).toMatchObject({ status: 'PENDING' });
  });

  it('schedules a run for each dead letter of an event that died twice, with the original bytes', async () => {
    const { uuid } = await createDeadLetter({ data: '{"amount":0.10}' });
    const { event_id } = await the.core.row('SELECT event_id FROM webhook_deliveries WHERE id = $1', uuid);
    await the.webhooks.replay(actor, hook, { event_id: encodeId('evt', String(event_id)) });
    const [replayed] = await the.core.rows(
      'SELECT id FROM webhook_deliveries WHERE event_id = $1 AND run = 1',
      event_id,
    );
    await the.failAll(String(replayed?.id));
    expect(await retryMany()).toEqual({ retried: 2, has_more: false });
    const runs = await the.core.rows(
      'SELECT id, run, status FROM webhook_deliveries WHERE event_id = $1 ORDER BY run',
      event_id,
    );
    expect(runs.map(({ run, status }) => [run, status])).toEqual([
      [0, 'DEAD'],
      [1, 'DEAD'],
      [2, 'DUE'],
      [3, 'DUE'],
    ]);
    const attempt = await the.claimed(String(runs[3]?.id));
    expect(Buffer.from(attempt.payload).toString()).toContain('{"amount":0.10}');
  });

  it('to an inactive webhook is rejected and leaves all pending', async () => {
    const { id } = await createDeadLetter();
    await the.webhooks.update(actor, hook, { is_active: false });
    await expect(retryMany()).rejects.toMatchObject({
      code: 'invalid_state',
      details: [{ state: 'INACTIVE' }],
    });
    expect(await statusesOf([id])).toEqual(['PENDING']);
  });

  it('during a deactivation is rejected, or all become dead letters again: nothing stays due', async () => {
    for (let round = 0; round < 10; round++) {
      await createDeadLetters(20);
      await Promise.all([
        retryMany().catch((error) => expect(error).toMatchObject({ code: 'invalid_state' })),
        the.webhooks.update(actor, hook, { is_active: false }),
      ]);
      expect((await laterRuns()).filter(({ status }) => status !== 'DEAD')).toEqual([]);
      const { pending } = await the.deadLetters.stats(actor, hook);
      expect(pending).toBe(20);
      await the.webhooks.update(actor, hook, { is_active: true });
      expect(await retryMany()).toEqual({ retried: 20, has_more: false });
      await the.core.rows(
        "UPDATE webhook_deliveries SET status = 'SUCCEEDED', next_at = NULL WHERE webhook_id = $1 AND status = 'DUE'",
        webhookId(),
      );
      await the.core.rows(
        'DELETE FROM webhook_deliveries WHERE webhook_id = $1 AND run > 0 AND status = $2',
        webhookId(),
        'SUCCEEDED',
      );
    }
  });

  it('with a repeated Idempotency-Key schedules nothing more', async () => {
    await createDeadLetter();
    const again = { ...actor, idempotency: the.core.idempotencyContext(actor.userId, 'retry-many') };
    expect(await retryMany({}, again)).toEqual({ retried: 1, has_more: false });
    await createDeadLetter();
    await expect(retryMany({}, again)).rejects.toBeInstanceOf(ResponseReplayed);
    expect(await the.deadLetters.stats(actor, hook)).toEqual({ pending: 1, retried: 1, discarded: 0 });
  });

  it("needs ADMIN, and does not find another user's, a deleted or a malformed webhook", async () => {
    const { id } = await createDeadLetter();
    const trader: Actor = { ...actor, credential: { ...actor.credential, permissions: ['TRADE'] } };
    await expect(retryMany({}, trader)).rejects.toMatchObject({ code: 'permission_denied' });
    await expect(retryMany({}, await the.core.actor())).rejects.toMatchObject({
      code: 'not_found',
      details: [],
    });
    const deleted = await the.createWebhook(actor);
    await the.webhooks.delete(actor, deleted);
    for (const asked of [deleted, 'whk_nonsense', id])
      await expect(the.deadLetters.retryMany(actor, asked, {})).rejects.toMatchObject({ code: 'not_found' });
    expect(await statusesOf([id])).toEqual(['PENDING']);
  });
});

const one = () => 1;
const none = () => 0;
/** A request that loses to another gets the state, and never fails otherwise. */
const refused = (error: unknown) => {
  expect(error).toMatchObject({ code: 'invalid_state' });
  return 0;
};
