/**
 * Measures for `webhooks.mjs` how fast a batch of events is delivered by the product or by a baseline. One such
 * measurement is a round. Also measures the delay of single events.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeId } from '@trading-automation/contracts';
import { appendEvent, appendEvents, inTransaction, newUuid } from '@trading-automation/persistence';

const DEADLINE_MS = 120_000;
/** An event type without notifications in the product, so that only webhooks are measured. */
const TYPE = 'trade.partially_filled';

/**
 * @typedef {{ settledMs: number, receivedMs: number, addMs: number }} Round all in milliseconds; `settledMs`: from the start
 *   until the last delivery was settled; `receivedMs`: from the first to the last arrival at the receiver; `addMs`: for
 *   adding the jobs before the start
 */

/** Creates an event of the same size as a trade's event. */
function newEvent(userId) {
  const id = newUuid();
  const publicId = encodeId('evt', id);
  const timestamp = new Date().toISOString();
  const data = {
    id: encodeId('trd', newUuid()),
    exchange_account_id: encodeId('acc', newUuid()),
    trade_pair_id: encodeId('pair', newUuid()),
    symbol: 'BTC/USDT',
    trading_type: 'spot',
    origin: 'API',
    type: 'LIMIT',
    side: 'BUY',
    reduce_only: false,
    time_in_force: 'GTC',
    price: '60000.01',
    amount: '0.00125',
    filled_amount: '0.00063',
    cost: '37.8000063',
    fees: [{ amount: '0.00000063', currency: 'BTC' }],
    status: 'PENDING',
    sub_status: 'PARTIALLY_FILLED',
    version: 4,
    submitted_at: timestamp,
    created_at: timestamp,
    updated_at: timestamp,
  };
  const body = JSON.stringify({ event_id: publicId, type: TYPE, timestamp, data });
  return { id, publicId, userId, type: TYPE, body, payload: Buffer.from(body) };
}

/** Creates `count` events, for the users in turn. */
function newEvents({ webhooks }, count) {
  const users = [...new Set(webhooks.map(({ userId }) => userId))];
  return Array.from({ length: count }, (_, index) => newEvent(users[index % users.length]));
}

function secretsOf(webhooks) {
  return Object.fromEntries(webhooks.map(({ publicId, secret }) => [publicId, secret]));
}

/**
 * Returns the milliseconds from the first to the last arrival.
 * @throws if the receiver did not get each delivery once with a valid signature
 */
function receivedMsOf({ total, arrivals, invalidSignatures }, count) {
  if (invalidSignatures.length > 0)
    throw new Error(`${invalidSignatures.length} signatures are invalid: ${invalidSignatures[0]}`);
  if (total !== count || arrivals.length !== count)
    throw new Error(`expected ${count} deliveries; got ${arrivals.length} in ${total} requests`);
  const instants = arrivals.map(([, atMs]) => atMs);
  return Math.max(...instants) - Math.min(...instants);
}

/**
 * Measures the product, from the commit of the events to the commit that records the last attempt.
 *
 * @returns {Promise<Round>}
 */
export async function productRound(context, { events: count, responseDelayMs, checksSignatures }) {
  const { database, receiver, webhooks } = context;
  const events = newEvents(context, count);
  const expectedCount = count * (webhooks.length / new Set(webhooks.map(({ userId }) => userId)).size);
  const waitForAll = await receiver.expect({
    count: expectedCount,
    responseDelayMs,
    ...(checksSignatures ? { secrets: secretsOf(webhooks) } : {}),
  });
  const xid = await inTransaction(database, async (tx) => {
    await appendEvents(tx, events);
    return (await tx.query('SELECT pg_current_xact_id()::xid::text AS xid'))[0].xid;
  });
  const receivedMs = receivedMsOf(await waitForAll(), expectedCount);
  await untilRecorded(database);
  const [{ settledMs, attempts }] = await database.query(
    `SELECT count(*)::int AS attempts, (extract(epoch FROM max(pg_xact_commit_timestamp(a.xmin))
       - pg_xact_commit_timestamp($1::text::xid)) * 1000)::float8 AS "settledMs"
     FROM webhook_deliveries d JOIN webhook_attempts a ON a.delivery_id = d.id
     WHERE d.event_id = ANY($2) AND d.status = 'SUCCEEDED' AND a.status = 'SUCCEEDED'`,
    [xid, events.map(({ id }) => id)],
  );
  if (attempts !== expectedCount)
    throw new Error(`expected ${expectedCount} recorded attempts; got ${attempts}`);
  return { settledMs, receivedMs, addMs: 0 };
}

/** Polls rarely, because frequent polling would distort the measurement. */
async function untilRecorded(database) {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    await sleep(50);
    const [{ open }] = await database.query(
      "SELECT count(*)::int AS open FROM webhook_deliveries WHERE status = 'DUE' OR status = 'SENDING'",
    );
    if (open === 0) return;
    if (performance.now() > deadline) throw new Error(`${open} deliveries are not recorded`);
  }
}

/**
 * Measures a baseline, from its start to the last response, with bodies of the same size for the same webhooks.
 *
 * @returns {Promise<Round>}
 */
export async function baselineRound(
  context,
  runBaseline,
  { events: count, responseDelayMs, checksSignatures, isQueued },
) {
  const { receiver, webhooks, redisUrl, concurrency } = context;
  const deliveries = newEvents(context, count).flatMap(({ publicId, userId, body }) =>
    webhooks
      .filter((webhook) => webhook.userId === userId)
      .map((webhook) => ({
        id: publicId,
        webhookId: webhook.publicId,
        path: webhook.path,
        secret: webhook.secret,
        body,
      })),
  );
  const expected = {
    count: deliveries.length,
    responseDelayMs,
    ...(checksSignatures ? { secrets: secretsOf(webhooks) } : {}),
  };
  const waitForAll = await receiver.expect(expected);
  const round = { receiverUrl: receiver.url, deliveries, concurrency };
  const { ms, addMs } = await runBaseline(isQueued ? { ...round, redisUrl } : round);
  const receivedMs = receivedMsOf(await waitForAll(), deliveries.length);
  return { settledMs: ms, receivedMs, addMs };
}

/**
 * Commits events one by one at a steady rate, without waiting for earlier ones.
 *
 * @returns {Promise<number[]>} for each delivery, the milliseconds from the commit (by the database's clock) to its arrival
 */
export async function measureDelays(context, { perSecond, seconds }) {
  const { database, receiver, webhooks } = context;
  const events = newEvents(context, perSecond * seconds);
  const expectedCount =
    events.length * (webhooks.length / new Set(webhooks.map(({ userId }) => userId)).size);
  const waitForAll = await receiver.expect({ count: expectedCount });
  const startedAt = performance.now();
  const commits = events.map(async (event, index) => {
    await sleep(startedAt + (index * 1000) / perSecond - performance.now());
    const [{ xid }] = await inTransaction(database, async (tx) => {
      await appendEvent(tx, event);
      return tx.query('SELECT pg_current_xact_id()::xid::text AS xid');
    });
    return xid;
  });
  const xids = await Promise.all(commits);
  const { arrivals } = await waitForAll();
  await untilRecorded(database);
  const rows = await database.query(
    `SELECT (extract(epoch FROM pg_xact_commit_timestamp(xid::xid)) * 1000)::float8 AS "atMs"
     FROM unnest($1::text[]) WITH ORDINALITY AS t (xid, nth) ORDER BY nth`,
    [xids],
  );
  const committedAtMs = new Map(events.map(({ publicId }, index) => [publicId, rows[index].atMs]));
  return arrivals.map(([delivery, atMs]) => atMs - committedAtMs.get(delivery.split(' ')[1]));
}
