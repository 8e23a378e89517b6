import { decodeId } from '@trading-automation/contracts';
import pg from 'pg';

/** Reads what the product says about accounts, signals and copies. */

/** An exit below the exchange's minimum stays pending until the price or the lot has grown. It is not unfinished work. */
const WAITS_FOR_MINIMUM =
  "kind IN ('REDUCE', 'CLOSE') AND code IS NOT DISTINCT FROM 'BELOW_MINIMUM' AND pending_trade_id IS NULL AND is_applied";

/**
 * Counts unfinished work: trades in flight, unsettled decisions, and strategies with unplanned signals.
 *
 * @param {string} databaseUrl
 */
export async function unsettled(databaseUrl) {
  return await oneRow(
    databaseUrl,
    `SELECT (SELECT count(*)::int FROM trades WHERE status IN ('PENDING', 'PARTIALLY_FILLED')
                 AND (time_in_force <> 'GTC' OR type = 'MARKET' OR acknowledged_at IS NULL)) AS trades,
         (SELECT count(*)::int FROM decisions WHERE settled_at IS NULL AND NOT (${WAITS_FOR_MINIMUM})) AS decisions,
         (SELECT count(*)::int FROM strategy_sequences s LEFT JOIN copy_progress p USING (strategy_id)
          WHERE s.last_sequence > coalesce(p.planned_sequence, 0)) AS strategies`,
  );
}

/**
 * @param {string} databaseUrl
 * @returns {Promise<number>} the number of signals so far
 */
export async function countSignals(databaseUrl) {
  return (await oneRow(databaseUrl, 'SELECT count(*)::int AS count FROM signals')).count;
}

/**
 * Reads how far copying is behind: the age of the oldest signal that is not planned for all copiers, in seconds, and the
 * number of orders that the exchange has not acknowledged.
 *
 * @param {string} databaseUrl
 * @returns {Promise<{ oldestSignalSeconds: number, waitingOrders: number }>}
 */
export async function readBacklog(databaseUrl) {
  return await oneRow(
    databaseUrl,
    `SELECT (SELECT coalesce(extract(epoch FROM clock_timestamp() - min(g.signal_at)), 0)::float8 FROM signals g
         LEFT JOIN copy_progress p USING (strategy_id)
         WHERE g.sequence > coalesce(p.planned_sequence, 0)) AS "oldestSignalSeconds",
       (SELECT count(*)::int FROM trades WHERE status = 'PENDING' AND acknowledged_at IS NULL) AS "waitingOrders"`,
  );
}

/**
 * @param {string} databaseUrl
 * @param {string} sql
 */
async function oneRow(databaseUrl, sql) {
  const database = new pg.Client({ connectionString: databaseUrl });
  // The storm kills Postgres at any moment. Between two steps, pg reports that as this event; the next query is rejected.
  database.on('error', () => undefined);
  await database.connect();
  try {
    const { rows } = await database.query(sql);
    return rows[0];
  } finally {
    await database.end();
  }
}

/** Returns the database's id of an account. @param {string} accountId */
export function accountUuid(accountId) {
  const uuid = decodeId('exa', accountId);
  if (uuid === null) throw new Error(`not the id of an exchange account: ${accountId}`);
  return uuid;
}

/**
 * Reads the product's rows about an account.
 *
 * @param {pg.Pool} database
 * @param {string} accountId
 * @returns {Promise<import('./compare-accounts.mjs').AccountRecords>}
 */
export async function readAccount(database, accountId) {
  const id = accountUuid(accountId);
  const rows = async (/** @type {string} */ sql) => (await database.query(sql, [id])).rows;
  return {
    trades: await rows('SELECT * FROM trades WHERE exchange_account_id = $1'),
    fills: await rows('SELECT * FROM fills WHERE exchange_account_id = $1'),
    lots: await rows('SELECT * FROM lots WHERE exchange_account_id = $1 AND open_amount <> 0'),
    sales: await rows(
      `SELECT t.symbol, f.amount, p.amount_step, coalesce(sum(c.amount), 0) AS closed
       FROM fills f JOIN trades t ON t.id = f.trade_id JOIN trade_pairs p ON p.id = t.trade_pair_id
       LEFT JOIN lot_closures c ON c.fill_id = f.id
       WHERE f.exchange_account_id = $1 AND t.side = 'SELL' GROUP BY f.id, t.symbol, p.amount_step`,
    ),
    account: (await rows('SELECT * FROM exchange_accounts WHERE id = $1'))[0],
  };
}

/**
 * Reads the reports on copies and the orders that the product says it placed for them.
 *
 * @param {pg.Pool} database
 * @returns {Promise<{ reports: import('./judge-copies.mjs').Report[], orders: import('./judge-copies.mjs').CopyOrder[] }>}
 */
export async function readReports(database) {
  const reports = await database.query(
    `SELECT d.signal_id AS "signalId", d.copier_id AS "copierId", d.exchange_account_id AS "accountId", d.trade_id AS "tradeId",
       d.lot_trade_id AS "lotId", d.sequence::int, d.symbol, d.kind,
       (extract(epoch FROM d.signal_at) * 1000)::float8 AS "signalAt", c.max_signal_age_ms AS "maxAgeMs",
       d.outcome, d.code, d.target_amount AS "targetAmount", d.filled_amount AS "filledAmount",
       d.settled_at IS NOT NULL AS "isSettled", concat_ws(', ', 'account ' || d.exchange_account_id, 'trade ' || t.id,
         'signal stored after ' || round(extract(epoch FROM s.emitted_at - d.signal_at), 1) || ' s',
         'planned after ' || round(extract(epoch FROM d.created_at - d.signal_at), 1) || ' s',
         'last sent after ' || round(extract(epoch FROM t.submitted_at - d.signal_at), 1) || ' s',
         t.probes || ' probes') AS history
     FROM decisions d JOIN copiers c ON c.id = d.copier_id JOIN signals s ON s.id = d.signal_id
     LEFT JOIN trades t ON t.id = d.trade_id`,
  );
  const orders = await database.query(
    `SELECT id AS "tradeId", exchange_account_id AS "accountId", copier_id AS "copierId", source_trade_id AS "lotId",
       (copy->>'sequence')::int AS sequence, symbol, exchange_order_id AS "exchangeOrderId", failure_code AS "failureCode",
       side = (SELECT source.side FROM trades source WHERE source.id = trades.source_trade_id) AS "isEntry"
     FROM trades WHERE copier_id IS NOT NULL`,
  );
  return { reports: reports.rows, orders: orders.rows };
}

/**
 * @param {pg.Pool} database
 * @param {number} [until] only signals until this instant, in milliseconds since the epoch
 * @returns {Promise<import('./compare-signals.mjs').Signal[]>} ordered by strategy and sequence
 */
export async function readSignals(database, until) {
  const { rows } = await database.query(
    `SELECT id, strategy_id AS "strategyId", sequence::int, lot_trade_id AS "lotId", kind FROM signals
     WHERE $1::timestamptz IS NULL OR signal_at <= $1 ORDER BY strategy_id, sequence`,
    [until === undefined ? null : new Date(until)],
  );
  return rows;
}

/**
 * @param {pg.Pool} database
 * @returns {Promise<{ id: string, strategyId: string, accountId: string }[]>} the copiers that were started
 */
export async function readCopiers(database) {
  const { rows } = await database.query(
    'SELECT id, strategy_id AS "strategyId", exchange_account_id AS "accountId" FROM copiers WHERE started_at IS NOT NULL',
  );
  return rows;
}

/**
 * Reads the leaders' orders to buy on spot.
 *
 * @typedef {Omit<import('./compare-signals.mjs').Purchase, 'filledAmount'> & { accountId: string, symbol: string, exchangeOrderId: string }} PurchaseRow
 *
 * @param {pg.Pool} database
 * @returns {Promise<PurchaseRow[]>}
 */
export async function readPurchases(database) {
  const { rows } = await database.query(
    `SELECT t.id, t.exchange_account_id AS "accountId", t.symbol, t.exchange_order_id AS "exchangeOrderId",
       (SELECT max(s.cumulative_amount) FROM signals s
        WHERE s.source_trade_id = t.id AND s.kind IN ('OPEN', 'INCREASE')) AS signalled,
       (SELECT sum(l.opened_amount) FROM lots l WHERE l.trade_id = t.id) AS opened,
       (SELECT sum(c.amount) FROM lot_closures c JOIN fills entry ON entry.id = c.lot_id
          JOIN fills exit ON exit.id = c.fill_id
        WHERE entry.trade_id = t.id AND exit.created_at <= entry.created_at) AS "closedBefore",
       coalesce((SELECT sum(l.open_amount) FROM lots l WHERE l.trade_id = t.id) = 0 AND EXISTS (
          SELECT 1 FROM fills entry JOIN fills earlier ON earlier.exchange_account_id = entry.exchange_account_id
            AND earlier.executed_at <= entry.executed_at AND earlier.created_at > entry.created_at
          JOIN trades other ON other.id = earlier.trade_id AND other.trade_pair_id = t.trade_pair_id
        WHERE entry.trade_id = t.id), false) AS "isClosedAfterRewind"
     FROM trades t WHERE t.strategy_id IS NOT NULL AND t.side = 'BUY' AND t.trading_type = 'spot' AND t.filled_amount > 0`,
  );
  return rows;
}

/**
 * Counts the outcomes of decisions, and the failures of trades by their code.
 *
 * @param {pg.Pool} database
 */
export async function readCounts(database) {
  const outcomes = await database.query(
    `SELECT CASE WHEN kind IN ('OPEN', 'INCREASE') THEN 'entry' ELSE 'exit' END || ' ' || outcome AS outcome, code,
       count(*)::int AS count FROM decisions GROUP BY 1, 2`,
  );
  const failures = await database.query(
    `SELECT failure_code, count(*)::int AS count FROM trades WHERE status = 'FAILED' GROUP BY 1`,
  );
  return {
    decisions: Object.fromEntries(
      outcomes.rows.map(({ outcome, code, count }) => [[outcome, code].filter(Boolean).join(' '), count]),
    ),
    failures: Object.fromEntries(failures.rows.map(({ failure_code, count }) => [failure_code, count])),
  };
}
