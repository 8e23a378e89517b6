import { equityHistory } from './balances.mjs';
import { ACCOUNTS, COPIERS, FOLLOWERS, REJECTED_DAYS, RESERVE_ACCOUNT, STRATEGIES } from './cast.mjs';
import { copiedLotRows, decisionRows, signalRows } from './copy-rows.mjs';
import { insertRows, inTransaction } from './insert-rows.mjs';
import { DAY_MS } from './market.mjs';
import { createRandom } from './random.mjs';
import { createTradeRows, idOf } from './trade-rows.mjs';
import { instantOf } from './units.mjs';

/**
 * Writes what lies in the past, with the rows that the services would have written: trades with their fills and lots,
 * signals, decisions, the equity and the prices of each day. Everything is committed at once.
 *
 * @param {import('pg').Client} database
 * @param {{
 *   simulation: import('./simulation.mjs').Simulation, ids: import('./trade-rows.mjs').Ids, seed: string,
 *   balances: ReadonlyMap<string, Readonly<Record<string, number>>>,
 * }} options
 */
export async function writeHistory(database, { simulation, ids, seed, balances }) {
  const trades = tradeRowsOf(simulation, ids, seed);
  const signals = signalRows(simulation, ids);
  await inTransaction(database, async () => {
    await moveBack(database, simulation, ids);
    await insertRows(database, 'trades', inOrderOfSources(trades.trades));
    await insertRows(database, 'fills', trades.fills);
    await database.query(SET_SOURCE_FILLS, [JSON.stringify(trades.trades)]);
    await insertRows(database, 'lots', trades.lots);
    await insertRows(database, 'lot_closures', trades.lot_closures);
    await database.query(LOT_BOOKS);
    for (const [table, rows] of Object.entries(signals)) await insertRows(database, table, rows);
    await insertRows(database, 'decisions', decisionRows(simulation, ids));
    await insertRows(database, 'copied_lots', copiedLotRows(simulation, ids));
    await insertRows(database, 'equity_snapshots', equityRows(simulation, ids, balances));
    await insertRows(database, 'pair_day_prices', priceRows(simulation, ids));
  });
}

/**
 * @param {import('./simulation.mjs').Simulation} simulation
 * @param {import('./trade-rows.mjs').Ids} ids
 * @param {string} seed
 */
function tradeRowsOf({ positions, unfilled, copies }, ids, seed) {
  const decided = new Map(
    copies.flatMap(({ decisions }) => decisions.map((decision) => [decision.order, decision])),
  );
  const writer = createTradeRows({
    random: createRandom(`${seed}/rows`),
    ids,
    ownerOf: (account) => account.split('.')[0] ?? '',
    decisionOf: (order) => decided.get(order),
  });
  for (const position of positions) writer.addPosition(position);
  for (const order of unfilled) writer.addUnfilled(order);
  for (const { copier, decisions } of copies)
    for (const { order, signal } of decisions)
      if (order?.status === 'FAILED')
        writer.addUnfilled({ account: copier.account, copier: copier.key, pair: signal.round.pair, order });
  return writer.rows;
}

/** A copy refers to its leader's trade, which is inserted first. @param {readonly import('./trade-rows.mjs').Row[]} rows */
const inOrderOfSources = (rows) => {
  const withoutFill = rows.map(({ source_fill_id: _, ...row }) => row);
  return [
    ...withoutFill.filter((row) => row.source_trade_id === undefined),
    ...withoutFill.filter((row) => row.source_trade_id !== undefined),
  ];
};

/** Fills refer to trades and copies to the leader's fills, so the latter reference is set afterwards. */
const SET_SOURCE_FILLS = `
  UPDATE trades t SET source_fill_id = n.source_fill_id
  FROM json_populate_recordset(NULL::trades, $1) n WHERE n.id = t.id AND n.source_fill_id IS NOT NULL`;

/** Each book has the position of its last fill, so that the worker books only later ones. */
const LOT_BOOKS = `
  INSERT INTO lot_books (exchange_account_id, trade_pair_id, last_executed_at, last_fill_id)
  SELECT DISTINCT ON (t.exchange_account_id, t.trade_pair_id) t.exchange_account_id, t.trade_pair_id, f.executed_at, f.id
  FROM fills f JOIN trades t ON t.id = f.trade_id
  ORDER BY t.exchange_account_id, t.trade_pair_id, f.executed_at DESC, f.id DESC
  ON CONFLICT (exchange_account_id, trade_pair_id) DO NOTHING`;

/**
 * Moves the times of the records that the API has just made into the past.
 *
 * @param {import('pg').Client} database
 * @param {import('./simulation.mjs').Simulation} simulation
 * @param {import('./trade-rows.mjs').Ids} ids
 */
async function moveBack(database, { market, before }, ids) {
  const opened = instantOf(market.start);
  const accountIds = ACCOUNTS.map(({ key }) => idOf(ids.accounts, key));
  await database.query('UPDATE users SET created_at = $2 WHERE id = ANY ($1)', [
    [...ids.users.values()],
    opened,
  ]);
  await database.query(OPEN_ACCOUNTS, [accountIds, opened]);
  await rejectCredentials(database, ids, market.end);
  for (const { key, since, archived } of STRATEGIES)
    await database.query('UPDATE strategies SET created_at = $2, updated_at = $3 WHERE id = $1', [
      idOf(ids.strategies, key),
      instantOf(before(since)),
      instantOf(before(archived ?? since)),
    ]);
  for (const { key, since, until, status, reason } of COPIERS) {
    const from = instantOf(before(since));
    const stopped = until === undefined ? null : instantOf(before(until));
    await database.query(START_COPIER, [idOf(ids.copiers, key), from, status, reason ?? null, stopped]);
  }
  for (const [place, [user, strategy]] of FOLLOWERS.entries()) {
    const from = instantOf(before(8 + place * 3));
    await database.query(START_COPIER, [
      idOf(ids.copiers, `${user}.${strategy}`),
      from,
      'ACTIVE',
      null,
      null,
    ]);
  }
  await database.query(CLOSE_ONLY);
}

/** The accounts are opened one after another. */
const OPEN_ACCOUNTS = `
  UPDATE exchange_accounts a SET created_at = $2::timestamptz + n.place * interval '11 minutes'
  FROM unnest($1::uuid[]) WITH ORDINALITY AS n (id, place) WHERE n.id = a.id`;

/**
 * Makes the reserve account one whose credentials the exchange rejected at the last sync. The worker does not try again
 * until there are new ones.
 *
 * @param {import('pg').Client} database
 * @param {import('./trade-rows.mjs').Ids} ids
 * @param {number} end
 */
export async function rejectCredentials(database, ids, end) {
  const at = instantOf(end - REJECTED_DAYS * DAY_MS);
  await database.query(FAIL_LAST_SYNC, [idOf(ids.accounts, RESERVE_ACCOUNT), at]);
}

const FAIL_LAST_SYNC = `
  UPDATE exchange_accounts SET is_active = false, last_sync_at = $2, updated_at = $2 WHERE id = $1`;

/** A trigger stores the terms of the profit share that a copier accepts at its start. */
const START_COPIER = `
  UPDATE copiers SET status = $3, status_reason = $4, created_at = $2, started_at = $2, stopped_at = $5,
    updated_at = coalesce($5::timestamptz, $2), followed_sequence = 0 WHERE id = $1`;

/** Copiers of an archived strategy copy no entries. */
const CLOSE_ONLY = `
  UPDATE copiers c SET status = 'CLOSE_ONLY', status_reason = 'STRATEGY_ARCHIVED', stopped_at = s.updated_at,
    updated_at = s.updated_at
  FROM strategies s WHERE s.id = c.strategy_id AND s.status = 'ARCHIVED' AND c.status = 'ACTIVE'`;

/**
 * The worker records the equity of today.
 *
 * @param {import('./simulation.mjs').Simulation} simulation
 * @param {import('./trade-rows.mjs').Ids} ids
 * @param {ReadonlyMap<string, Readonly<Record<string, number>>>} balances
 */
function equityRows(simulation, ids, balances) {
  return ACCOUNTS.flatMap(({ key }) =>
    equityHistory(simulation, key, balances.get(key) ?? {})
      .slice(0, -1)
      .map(({ at, amount }) => ({
        exchange_account_id: idOf(ids.accounts, key),
        currency: 'USDT',
        period: instantOf(at - (at % 300_000)),
        taken_at: instantOf(at),
        amount: amount.toFixed(8),
      })),
  );
}

/**
 * @param {import('./simulation.mjs').Simulation} simulation
 * @param {import('./trade-rows.mjs').Ids} ids
 */
function priceRows({ market }, ids) {
  return [...ids.pairs].flatMap(([symbol, id]) =>
    market.days.slice(0, -1).map((day) => ({
      trade_pair_id: id,
      day: instantOf(day).slice(0, 10),
      price: market.priceAt(symbol, day + DAY_MS - 60_000).toFixed(market.pairOf(symbol).tickDecimals),
      taken_at: instantOf(day + DAY_MS - 60_000),
    })),
  );
}
