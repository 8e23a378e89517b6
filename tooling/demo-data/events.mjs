import { encodeId } from '@trading-automation/contracts';
import { until } from '../launch/first-trade/scenario.mjs';
import { REJECTED_DAYS, RESERVE_ACCOUNT } from './cast.mjs';
import { insertRows } from './insert-rows.mjs';
import { DAY_MS } from './market.mjs';
import { idOf } from './trade-rows.mjs';
import { instantOf } from './units.mjs';

/** @typedef {import('@trading-automation/sdk').Client} Api */

/** Events are kept for 30 days. */
const EVENT_DAYS = 29;
const RELAYED_WITHIN_MS = 60_000;
/** Younger notifications are unread, and a few of the others. */
const UNREAD_MS = 1.5 * DAY_MS;

/** @typedef {{ id: string, type: import('@trading-automation/contracts').EventType, at: number, data: object }} PastEvent */

/**
 * Writes the demo user's events of the last 29 days, from the records as the API shows them, and waits until the services
 * have relayed them. No webhook may be active meanwhile.
 *
 * @param {import('pg').Client} database
 * @param {{ demo: Api, ids: import('./trade-rows.mjs').Ids, end: number, startedAt: Date, random: import('./random.mjs').Random }} options
 *   `startedAt`: when this run began, by the database's clock
 * @returns {Promise<PastEvent[]>} oldest first
 */
export async function writeEvents(database, { demo, ids, end, startedAt, random }) {
  const userId = idOf(ids.users, 'demo');
  const since = end - EVENT_DAYS * DAY_MS;
  const drafts = [
    ...(await tradeEvents(demo, since)),
    ...(await copierEvents(demo)),
    ...(await accountEvents(demo, ids, end)),
    ...(await moneyEvents(demo)),
  ];
  const events = drafts
    .map((draft) => ({ ...draft, at: Date.parse(draft.on) }))
    .filter(({ at }) => at > since && at < end)
    .sort((a, b) => a.at - b.at)
    .map((draft) => ({ ...draft, id: random.uuid(draft.at) }));
  await insertRows(
    database,
    'outbox_events',
    events.map(({ id, type, at, data }) => ({
      id,
      user_id: userId,
      type,
      payload: `\\x${Buffer.from(payloadOf({ id, type, at, data })).toString('hex')}`,
      created_at: instantOf(at),
    })),
  );
  await untilRelayed(database);
  await forgetOwnEvents(database, userId, startedAt);
  await database.query(MARK_READ, [userId, instantOf(end - UNREAD_MS)]);
  return events;
}

/** @param {PastEvent} event */
const payloadOf = ({ id, type, at, data }) =>
  JSON.stringify({ event_id: encodeId('evt', id), type, timestamp: instantOf(at), data });

/** @typedef {{ type: PastEvent['type'], on: string, data: object }} Draft `on`: when it happened */

/**
 * @param {Api} demo
 * @param {number} since
 * @returns {Promise<Draft[]>}
 */
async function tradeEvents(demo, since) {
  /** @type {Draft[]} */
  const drafts = [];
  for await (const trade of demo.trades.list({ sort: 'updated_at', order: 'desc', limit: 100 })) {
    if (Date.parse(trade.created_at) < since - 10 * DAY_MS) break;
    const { average_price: _, realized_pnl: __, closed_at, filled_at, cancelled_at, ...open } = trade;
    const created = {
      ...open,
      status: 'PENDING',
      filled_amount: 0,
      remaining_amount: trade.amount,
      cost: 0,
      version: 1,
    };
    drafts.push({ type: 'trade.created', on: trade.created_at, data: created });
    if (filled_at !== undefined)
      drafts.push({
        type: 'trade.filled',
        on: filled_at,
        data: { ...open, average_price: trade.average_price, filled_at },
      });
    if (cancelled_at !== undefined) drafts.push({ type: 'trade.cancelled', on: cancelled_at, data: trade });
    if (trade.status === 'FAILED') drafts.push({ type: 'trade.failed', on: trade.updated_at, data: trade });
    if (closed_at !== undefined) drafts.push({ type: 'trade.closed', on: closed_at, data: trade });
  }
  return drafts;
}

/**
 * @param {Api} demo
 * @returns {Promise<Draft[]>}
 */
async function copierEvents(demo) {
  /** @type {Draft[]} */
  const drafts = [];
  for await (const copier of demo.copiers.list({ limit: 100 })) {
    if (copier.stopped_at !== undefined)
      drafts.push({ type: 'copier.stopped', on: copier.stopped_at, data: { ...copier, open_lots: [] } });
    const { data } = await demo.copiers.decisions(copier.id, { limit: 100 });
    for (const decision of data) {
      if (decision.outcome === 'PENDING' && decision.code === 'BELOW_MINIMUM')
        drafts.push({ type: 'copier.exit_delayed', on: decision.created_at, data: decision });
      const isReported = decision.outcome === 'SKIPPED' || decision.outcome === 'FAILED';
      if (!isReported || decision.code === 'NOT_HELD' || decision.code === 'NOT_ACTIVE') continue;
      drafts.push({ type: 'copier.trade_skipped', on: decision.created_at, data: decision });
    }
  }
  return drafts;
}

/**
 * @param {Api} demo
 * @param {import('./trade-rows.mjs').Ids} ids
 * @param {number} end
 * @returns {Promise<Draft[]>}
 */
async function accountEvents(demo, ids, end) {
  const reserve = await demo.exchanges.get(encodeId('exa', idOf(ids.accounts, RESERVE_ACCOUNT)));
  const failedAt = end - REJECTED_DAYS * DAY_MS + 300_000;
  /** @type {Draft[]} */
  const drafts = [
    { type: 'exchange.sync_failed', on: instantOf(failedAt), data: reserve },
    { type: 'exchange.credentials_rejected', on: instantOf(failedAt + 50), data: reserve },
  ];
  for await (const key of demo.apiKeys.list({ limit: 100 })) {
    drafts.push({ type: 'key.created', on: key.created_at, data: key });
    if (key.revoked_at !== null && key.revoked_at !== undefined)
      drafts.push({ type: 'key.revoked', on: key.revoked_at, data: key });
  }
  for await (const webhook of demo.webhooks.list({ limit: 100 }))
    if (webhook.deactivation_reason === 'consecutive_failures' && webhook.deactivated_at !== undefined)
      drafts.push({ type: 'webhook.deactivated', on: webhook.deactivated_at, data: webhook });
  return drafts;
}

/**
 * @param {Api} demo
 * @returns {Promise<Draft[]>}
 */
async function moneyEvents(demo) {
  /** @type {Draft[]} */
  const drafts = [];
  for await (const reward of demo.rewards.list({ limit: 100 })) {
    drafts.push({ type: 'reward.granted', on: reward.created_at, data: reward });
    if (reward.claimed_at !== undefined)
      drafts.push({ type: 'reward.claimed', on: reward.claimed_at, data: reward });
  }
  const ends = /** @type {const} */ ({
    COMPLETED: 'withdrawal.completed',
    CANCELLED: 'withdrawal.cancelled',
    FAILED: 'withdrawal.failed',
  });
  for await (const withdrawal of demo.withdrawals.list({ limit: 100 })) {
    drafts.push({ type: 'withdrawal.created', on: withdrawal.created_at, data: withdrawal });
    const type = ends[/** @type {keyof typeof ends} */ (withdrawal.status)];
    if (type !== undefined) drafts.push({ type, on: withdrawal.updated_at, data: withdrawal });
  }
  return drafts;
}

/** Waits until every consumer of events has handled all of them. @param {import('pg').Client} database */
async function untilRelayed(database) {
  await until(
    async () => (await database.query(COUNT_WAITING)).rows[0].waiting,
    (waiting) => waiting === 0,
    RELAYED_WITHIN_MS,
  );
}

const COUNT_WAITING = `
  SELECT ((SELECT count(*) FROM outbox_events WHERE position IS NULL)
    + (SELECT count(*) FROM outbox_progress p, outbox_sequence s WHERE p.position < s.last_position))::int AS waiting`;

/**
 * Deletes the events of the records that this run has just made, whose times now lie in the past.
 *
 * @param {import('pg').Client} database
 * @param {string} userId
 * @param {Date} startedAt
 */
async function forgetOwnEvents(database, userId, startedAt) {
  const params = [userId, startedAt];
  await database.query(DELETE_OWN_NOTIFICATIONS, params);
  await database.query(DELETE_OWN_EVENTS, params);
}

const DELETE_OWN_NOTIFICATIONS = `
  DELETE FROM notifications n USING outbox_events e
  WHERE e.id = n.event_id AND e.user_id = $1 AND e.created_at > $2 AND e.type !~ '^(trade|withdrawal)[.]'`;

const DELETE_OWN_EVENTS = `
  DELETE FROM outbox_events WHERE user_id = $1 AND created_at > $2 AND type !~ '^(trade|withdrawal)[.]'`;

const MARK_READ = `
  UPDATE notifications SET read_at = created_at + interval '3 hours', updated_at = created_at + interval '3 hours'
  WHERE user_id = $1 AND created_at < $2 AND hashtext(id::text) % 12 <> 0`;
