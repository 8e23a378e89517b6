/** One round of each contender of `webhooks.mjs`, and the wait of single events. */
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeId } from '@trading-automation/contracts';
import { appendEvent, appendEvents, inTransaction, newUuid } from '@trading-automation/persistence';

const DEADLINE_MS = 120_000;
/** An event type without notifications in the product, so that only webhooks are measured. */
const TYPE = 'trade.partially_filled';

/**
 * @typedef {{ settledMs: number, receivedMs: number, addMs: number }} Round milliseconds until the last delivery was
 *   settled, from the start; from the first byte at the receiver to the last delivery's; and of adding jobs before it
 */

/** An event of the size that a trade's has. */
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

/** As many events, for the users in turn. */
function newEvents({ hooks }, count) {
  const users = [...new Set(hooks.map(({ userId }) => userId))];
  return Array.from({ length: count }, (_, nth) => newEvent(users[nth % users.length]));
}

function secretsOf(hooks) {
  return Object.fromEntries(hooks.map(({ publicId, secret }) => [publicId, secret]));
}

/** What a receiver saw, where it is what was owed. @throws otherwise */
function assertSeen({ total, arrivals, refused }, count) {
  if (refused.length > 0) throw new Error(`${refused.length} signatures are wrong: ${refused[0]}`);
  if (total !== count || arrivals.length !== count)
    throw new Error(`${count} deliveries came in ${total} requests`);
  const instants = arrivals.map(([, atMs]) => atMs);
  const [firstAtMs, lastAtMs] = [Math.min(...instants), Math.max(...instants)];
  return { firstAtMs, lastAtMs, receivedMs: lastAtMs - firstAtMs };
}

/**
 * The product: from the commit of the events to the commit of the last delivery's record.
 *
 * @returns {Promise<Round>}
 */
export async function productRound(scene, { events: count, waitMs, isChecked }) {
  const { database, receiver, hooks } = scene;
  const events = newEvents(scene, count);
  const owed = count * (hooks.length / new Set(hooks.map(({ userId }) => userId)).size);
  const seen = await receiver.expect({
    count: owed,
    waitMs,
    ...(isChecked ? { secrets: secretsOf(hooks) } : {}),
  });
  const xid = await inTransaction(database, async (tx) => {
    await appendEvents(tx, events);
    return (await tx.query('SELECT pg_current_xact_id()::xid::text AS xid'))[0].xid;
  });
  const { receivedMs } = assertSeen(await seen(), owed);
  await untilRecorded(database);
  const [{ settledMs, attempts }] = await database.query(
    `SELECT count(*)::int AS attempts, (extract(epoch FROM max(pg_xact_commit_timestamp(a.xmin))
       - pg_xact_commit_timestamp($1::text::xid)) * 1000)::float8 AS "settledMs"
     FROM webhook_deliveries d JOIN webhook_attempts a ON a.delivery_id = d.id
     WHERE d.event_id = ANY($2) AND d.status = 'SUCCEEDED' AND a.status = 'SUCCEEDED'`,
    [xid, events.map(({ id }) => id)],
  );
  if (attempts !== owed)
    throw new Error(`${owed} deliveries are owed, and ${attempts} attempts are recorded`);
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
 * A peer: from its start to its last answer, with the same bodies to the same webhooks.
 *
 * @returns {Promise<Round>}
 */
export async function baselineRound(scene, peer, { events: count, waitMs, isChecked, isQueued }) {
  const { receiver, hooks, redisUrl, concurrency } = scene;
  const deliveries = newEvents(scene, count).flatMap(({ publicId, userId, body }) =>
    hooks
      .filter((hook) => hook.userId === userId)
      .map((hook) => ({
        id: publicId,
        webhookId: hook.publicId,
        path: hook.path,
        secret: hook.secret,
        body,
      })),
  );
  const expected = { count: deliveries.length, waitMs, ...(isChecked ? { secrets: secretsOf(hooks) } : {}) };
  const seen = await receiver.expect(expected);
  const asked = { receiverUrl: receiver.url, deliveries, concurrency };
  const { ms, addMs } = await peer(isQueued ? { ...asked, redisUrl } : asked);
  const { receivedMs } = assertSeen(await seen(), deliveries.length);
  return { settledMs: ms, receivedMs, addMs };
}

/**
 * Events that are committed one by one at a steady rate, whatever becomes of those before.
 *
 * @returns {Promise<number[]>} for each delivery the milliseconds from the commit, by the database's clock, to its first byte
 */
export async function measureWaits(scene, { perSecond, seconds }) {
  const { database, receiver, hooks } = scene;
  const events = newEvents(scene, perSecond * seconds);
  const owed = events.length * (hooks.length / new Set(hooks.map(({ userId }) => userId)).size);
  const seen = await receiver.expect({ count: owed });
  const beganAt = performance.now();
  const commits = events.map(async (event, nth) => {
    await sleep(beganAt + (nth * 1000) / perSecond - performance.now());
    const [{ xid }] = await inTransaction(database, async (tx) => {
      await appendEvent(tx, event);
      return tx.query('SELECT pg_current_xact_id()::xid::text AS xid');
    });
    return xid;
  });
  const xids = await Promise.all(commits);
  const { arrivals } = await seen();
  await untilRecorded(database);
  const rows = await database.query(
    `SELECT (extract(epoch FROM pg_xact_commit_timestamp(xid::xid)) * 1000)::float8 AS "atMs"
     FROM unnest($1::text[]) WITH ORDINALITY AS t (xid, nth) ORDER BY nth`,
    [xids],
  );
  const committedAtMs = new Map(events.map(({ publicId }, nth) => [publicId, rows[nth].atMs]));
  return arrivals.map(([delivery, atMs]) => atMs - committedAtMs.get(delivery.split(' ')[1]));
}
