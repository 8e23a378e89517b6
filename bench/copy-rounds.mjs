/** Measures one signal with its copies, and the baseline with the same orders. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeId } from '@trading-automation/contracts';
import { serviceNodeOptions } from '../tooling/launch/service-list.mjs';
import { mapConcurrently, ordersAtVenue } from './copy-venue.mjs';

/** This amount minus the exchange's fee is a multiple of the pair's amount step, so an exit leaves no remainder. */
const LEADER_BUYS = '0.01';
const LEADER_SELLS = '0.00999';
const DEADLINE_MS = 120_000;
const CONCURRENCY = 16;

/**
 * Places the leader's order, and waits until all copies of it are settled.
 *
 * @returns {Promise<Figures | null>} null if the order filled at two prices and therefore emitted two signals
 *
 * @typedef {{ copies: number, sentP50Ms: number, sentP99Ms: number, filledP50Ms: number, filledP99Ms: number, filledMs: number,
 *   storedMs: number | null, acknowledgedMs: number, settledMs: number, signalId: string }} Figures all times are since the
 *   leader's fill was stored
 */
export async function copyRound({ database, leader }, side) {
  const trade = await leader.api.trades.create({
    exchange_account_id: leader.account.id,
    trade_pair_id: leader.pairId,
    strategy_id: leader.strategyId,
    type: 'MARKET',
    side,
    amount: side === 'BUY' ? LEADER_BUYS : LEADER_SELLS,
  });
  const tradeId = decodeId('trd', trade.id);
  await untilSettled(database, tradeId);
  const signals = await rowsOf(database, 'SELECT id FROM signals WHERE source_trade_id = $1', [tradeId]);
  await assertDecided(database, tradeId);
  if (signals.length !== 1) return null;
  const [figures] = await rowsOf(database, FIGURES, [signals[0].id]);
  return { signalId: signals[0].id, ...figures };
}

/**
 * Waits until the follow-up work of a round is done: relaying events and refreshing rollups. Neither the next
 * round nor the baseline may measure this work.
 */
export async function waitUntilIdle({ database }) {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    await sleep(1_000);
    const [{ left }] = await rowsOf(
      database,
      `SELECT (SELECT count(*) FROM result_marks)
         + (SELECT count(*) FROM outbox_events WHERE position IS NULL) AS left`,
    );
    if (Number(left) === 0) break;
    if (performance.now() > deadline) throw new Error(`not idle: ${left} items of follow-up work are left`);
  }
  await sleep(500);
}

const rowsOf = async (database, sql, parameters) => (await database.query(sql, parameters)).rows;

const UNFINISHED = `
  SELECT (SELECT count(*)::int FROM signals WHERE source_trade_id = $1) AS signals,
    (SELECT count(*)::int FROM trades WHERE id = $1 AND status = 'PENDING') AS leading,
    (SELECT count(*)::int FROM strategy_sequences s LEFT JOIN copy_progress p USING (strategy_id)
     WHERE s.last_sequence > coalesce(p.planned_sequence, 0)) AS unplanned,
    (SELECT count(*)::int FROM decisions WHERE settled_at IS NULL) AS unsettled`;

/** Polls rarely, because frequent polling would distort the measurement. */
async function untilSettled(database, tradeId) {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    await sleep(500);
    const [unfinished] = await rowsOf(database, UNFINISHED, [tradeId]);
    const { signals, leading, unplanned, unsettled } = unfinished;
    if (signals > 0 && leading + unplanned + unsettled === 0) return;
    if (performance.now() > deadline) throw new Error(`not settled: ${JSON.stringify(unfinished)}`);
  }
}

/** Throws unless every copier has one decision on every signal of the trade, with an order that filled. */
async function assertDecided(database, tradeId) {
  const [counts] = await rowsOf(
    database,
    `SELECT count(*)::int AS expected, count(d.id)::int AS decided, count(DISTINCT t.exchange_order_id)::int AS ordered,
       count(*) FILTER (WHERE t.status = 'FILLED')::int AS filled,
       json_agg(DISTINCT concat_ws(' ', d.outcome, d.code)) AS outcomes
     FROM signals s JOIN copiers c ON c.strategy_id = s.strategy_id
     LEFT JOIN decisions d ON d.signal_id = s.id AND d.copier_id = c.id LEFT JOIN trades t ON t.id = d.trade_id
     WHERE s.source_trade_id = $1`,
    [tradeId],
  );
  const { expected, decided, ordered, filled } = counts;
  if (decided !== expected || ordered !== expected || filled !== expected)
    throw new Error(`not every copier copied: ${JSON.stringify(counts)}`);
}

const since = (instant) => `(extract(epoch FROM ${instant} - s.emitted_at) * 1000)::float8`;
const FIGURES = `
  SELECT count(*)::int AS copies,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY ${since('t.submitted_at')}) AS "sentP50Ms",
    percentile_cont(0.99) WITHIN GROUP (ORDER BY ${since('t.submitted_at')}) AS "sentP99Ms",
    percentile_cont(0.5) WITHIN GROUP (ORDER BY ${since('f.executed_at')}) AS "filledP50Ms",
    percentile_cont(0.99) WITHIN GROUP (ORDER BY ${since('f.executed_at')}) AS "filledP99Ms",
    max(${since('f.executed_at')}) AS "filledMs",
    max(${since('pg_xact_commit_timestamp(l.xmin)')}) AS "storedMs",
    max(${since('t.acknowledged_at')}) AS "acknowledgedMs", max(${since('d.settled_at')}) AS "settledMs"
  FROM signals s
  JOIN decisions d ON d.signal_id = s.id
  JOIN trades t ON t.id = d.trade_id
  JOIN copied_lots l ON l.copier_id = d.copier_id AND l.lot_trade_id = s.lot_trade_id
  CROSS JOIN LATERAL (SELECT min(executed_at) AS executed_at FROM fills WHERE trade_id = t.id) f
  WHERE s.id = $1`;

/** Returns the orders of a signal's copies for the accounts of the baseline. */
export async function baselineOrders(database, { accounts, baselineAccounts }, signalId) {
  const indexes = new Map(accounts.map(({ uuid }, index) => [uuid, index]));
  const copies = await rowsOf(
    database,
    `SELECT t.exchange_account_id AS account, trim_scale(t.amount)::text AS quantity, trim_scale(t.price)::text AS price
     FROM decisions d JOIN trades t ON t.id = d.trade_id WHERE d.signal_id = $1 ORDER BY t.submitted_at, t.id`,
    [signalId],
  );
  return copies.map(({ account, quantity, price }) => {
    const { api_key, api_secret } = baselineAccounts[indexes.get(account)];
    const order = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', timeInForce: 'IOC', quantity, price };
    return { apiKey: api_key, secret: api_secret, ...order, newOrderRespType: 'FULL' };
  });
}

/** Runs the baseline in a separate process, like the worker. @returns {Promise<number>} milliseconds until all orders were acknowledged */
export async function baselineRound(url, orders) {
  const child = fork(join(import.meta.dirname, 'copy-baseline.mjs'), [], { execArgv: [serviceNodeOptions] });
  child.send({ url, orders });
  const [{ ms, filled }] = await once(child, 'message');
  child.disconnect();
  if (filled !== orders.length)
    throw new Error(`${orders.length - filled} orders of the baseline were not filled`);
  return ms;
}

/** Throws unless the exchange has exactly one order for each copy, and no other orders. */
export async function assertLedgers({ database, paperExchangeUrl, accounts }) {
  const copies = await rowsOf(
    database,
    `SELECT exchange_account_id AS account, venue_client_order_id AS id FROM trades WHERE copier_id IS NOT NULL`,
  );
  const expected = groupByAccount(copies);
  await mapConcurrently(accounts, CONCURRENCY, async ({ uuid, credentials }) => {
    const atExchange = (await ordersAtVenue(paperExchangeUrl, credentials)).map(
      (order) => order.client_order_id,
    );
    const inProduct = (expected.get(uuid) ?? []).map(({ id }) => id);
    if (atExchange.sort().join() !== inProduct.sort().join())
      throw new Error(
        `account ${uuid}: ${atExchange.length} orders at the exchange, ${inProduct.length} copies in the product`,
      );
  });
  return copies.length;
}

function groupByAccount(copies) {
  const groups = new Map();
  for (const copy of copies) groups.set(copy.account, [...(groups.get(copy.account) ?? []), copy]);
  return groups;
}
