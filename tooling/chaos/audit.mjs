import { decodeId } from '@trading-automation/contracts';
import pLimit from 'p-limit';
import pg from 'pg';
import { groupBy } from '../launch/group-by.mjs';
import { amountText, units } from './amounts.mjs';
import { ledgerOf } from './venue.mjs';

/**
 * Compares the product's records with the exchange's own records (the ledger of the paper exchange). Each string in
 * `violations` describes one difference.
 *
 * 1. No order was placed twice: the exchange has one order for each accepted trade, and each of its orders has one trade.
 * 2. No copy is lost or placed twice. Signals cover everything that leaders bought, except amounts that they had sold
 *    again before the exchange reported the purchase. Each signal has one settled decision per copier of its strategy.
 * 3. Every trade has the state and the fills of its order.
 * 4. Balances equal those of the exchange, and the open lots of an asset equal the exchange's holding. Remainders below
 *    the amount step are excepted: no order can sell them, so they are closed with the lot.
 *
 * @typedef {{ trades: number, orders: number, fills: number, signals: number, decisions: Record<string, number>, failures: Record<string, number>, lots: number, external: number, closedBeforeSignal: number }} Figures
 */

/** The number of accounts that are audited concurrently. */
const concurrency = 4;

/**
 * @param {{ databaseUrl: string, paperExchangeUrl: string }} product
 * @param {Pick<import('./participants.mjs').Participants, 'accounts'> & { copiers: readonly unknown[] }} participants
 * @returns {Promise<{ violations: string[], figures: Figures }>}
 */
export async function audit(product, participants) {
  const database = new pg.Pool({ connectionString: product.databaseUrl, max: concurrency });
  try {
    /** @type {string[]} */
    const violations = [];
    const figures = {
      trades: 0,
      orders: 0,
      fills: 0,
      signals: 0,
      decisions: {},
      failures: {},
      lots: 0,
      external: 0,
      closedBeforeSignal: 0,
    };
    await pLimit(concurrency).map(participants.accounts, async (account) => {
      const ledger = await ledgerOf(product.paperExchangeUrl, account.credentials);
      const records = await readAccount(database, account.id);
      violations.push(
        ...compareOrders(account.id, ledger, records),
        ...compareHoldings(account.id, ledger, records),
      );
      figures.trades += records.trades.length;
      figures.external += records.trades.filter(({ origin }) => origin === 'EXTERNAL').length;
      figures.orders += ledger.orders.length;
      figures.fills += ledger.fills.length;
      figures.lots += records.lots.length;
    });
    const copying = await readCopying(database);
    violations.push(...compareSignals(copying), ...compareDecisions(copying, participants));
    figures.signals = copying.signals.length;
    figures.closedBeforeSignal = copying.leaderTrades.filter(wasClosedBeforeSignal).length;
    figures.decisions = copying.outcomes;
    figures.failures = copying.failures;
    return { violations, figures };
  } finally {
    await database.end();
  }
}

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
 * @param {string} databaseUrl
 * @param {string} sql
 */
async function oneRow(databaseUrl, sql) {
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    const { rows } = await database.query(sql);
    return rows[0];
  } finally {
    await database.end();
  }
}

/**
 * @param {pg.Pool} database
 * @param {string} accountId
 */
async function readAccount(database, accountId) {
  const id = decodeId('exa', accountId);
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

/** For each order status of the exchange, the status that the order's trade must have. */
const states = {
  NEW: ['PENDING'],
  PARTIALLY_FILLED: ['PARTIALLY_FILLED'],
  FILLED: ['FILLED'],
  CANCELED: ['CANCELLED'],
  EXPIRED: ['CANCELLED'],
  EXPIRED_IN_MATCH: ['CANCELLED'],
};

/**
 * @param {string} accountId
 * @param {any} ledger
 * @param {Awaited<ReturnType<typeof readAccount>>} records
 */
function compareOrders(accountId, ledger, records) {
  /** @type {string[]} */
  const violations = [];
  const report = (/** @type {string} */ difference) => violations.push(`${accountId}: ${difference}`);
  const tradesOf = groupBy(
    records.trades.filter(({ exchange_order_id }) => exchange_order_id !== null),
    ({ exchange_order_id, symbol }) => `${symbol} ${exchange_order_id}`,
  );
  const fillsOf = groupBy(records.fills, ({ trade_id }) => trade_id);
  const ledgerFillsOf = groupBy(ledger.fills, ({ order_id, symbol }) => `${symbol} ${order_id}`);
  const clientIds = ledger.orders.map((/** @type {any} */ { client_order_id }) => client_order_id);
  if (new Set(clientIds).size !== clientIds.length)
    report('the exchange has two orders with the same client order id');
  for (const order of ledger.orders) {
    const key = `${order.symbol} ${order.order_id}`;
    const trades = tradesOf.get(key) ?? [];
    tradesOf.delete(key);
    const [trade] = trades;
    if (trade === undefined || trades.length > 1) {
      report(`order ${key} (${order.client_order_id}, ${order.status}) has ${trades.length} trades`);
      continue;
    }
    const ids = `order ${key}, trade ${trade.id}`;
    const expected = states[/** @type {keyof typeof states} */ (order.status)] ?? [];
    if (!expected.includes(trade.status))
      report(`${ids}: status ${order.status} at the exchange, ${trade.status} in the product`);
    if (units(trade.filled_amount) !== units(order.filled_amount))
      report(`${ids}: filled ${order.filled_amount} at the exchange, ${trade.filled_amount} in the product`);
    const atExchange = (ledgerFillsOf.get(key) ?? []).map((/** @type {any} */ { fill_id }) => fill_id).sort();
    const inProduct = (fillsOf.get(trade.id) ?? []).map(({ exchange_fill_id }) => exchange_fill_id).sort();
    if (atExchange.join() !== inProduct.join())
      report(`${ids}: fills ${atExchange.join()} at the exchange, ${inProduct.join()} in the product`);
  }
  for (const key of tradesOf.keys()) report(`the exchange has no order ${key}`);
  for (const trade of records.trades) {
    const isOver = ['FAILED', 'CANCELLED'].includes(trade.status);
    if (trade.exchange_order_id === null && !isOver)
      report(`trade ${trade.id} is ${trade.status} without an order`);
    if (trade.origin === 'RECONCILIATION') report(`trade ${trade.id} is a write-off of a shortfall`);
  }
  return violations;
}

/**
 * @param {string} accountId
 * @param {any} ledger
 * @param {Awaited<ReturnType<typeof readAccount>>} records
 */
function compareHoldings(accountId, ledger, records) {
  /** @type {string[]} */
  const violations = [];
  for (const [asset, { free, locked }] of Object.entries(
    /** @type {Record<string, any>} */ (ledger.balances),
  )) {
    const inProduct = records.account.balances[asset] ?? { free: '0', locked: '0' };
    if (units(inProduct.free) !== units(free) || units(inProduct.locked) !== units(locked))
      violations.push(
        `${accountId}: ${asset} ${free}+${locked} at the exchange, ${inProduct.free}+${inProduct.locked} in the product`,
      );
    // Every account started with quote currency only, so every other asset was bought.
    if (asset === 'USDT') continue;
    const held = units(free) + units(locked);
    const lots = records.lots.filter(({ symbol }) => symbol.startsWith(`${asset}/`));
    const sum = lots.reduce((total, { open_amount }) => total + units(open_amount), 0n);
    if (lots.some(({ open_amount }) => units(open_amount) < 0n))
      violations.push(`${accountId}: a negative lot of ${asset}`);
    const remainders = records.sales
      .filter(({ symbol }) => symbol.startsWith(`${asset}/`))
      .reduce((total, sale) => {
        const remainder = units(sale.closed) - units(sale.amount);
        if (remainder >= units(sale.amount_step))
          violations.push(`${accountId}: a sale closed more than it sold`);
        // A negative remainder is an amount that was sold without a lot.
        return total + remainder;
      }, 0n);
    if (sum + remainders !== held) {
      const lotsInProduct = `open lots of ${amountText(sum)} and remainders of ${amountText(remainders)} in the product`;
      violations.push(`${accountId}: ${amountText(held)} ${asset} at the exchange, ${lotsInProduct}`);
    }
  }
  return violations;
}

/** @param {pg.Pool} database */
async function readCopying(database) {
  const rows = async (/** @type {string} */ sql) => (await database.query(sql)).rows;
  const counted = await rows('SELECT outcome, code, count(*)::int AS count FROM decisions GROUP BY 1, 2');
  const failed = await rows(
    `SELECT failure_code, count(*)::int AS count FROM trades WHERE status = 'FAILED' GROUP BY 1`,
  );
  return {
    failures: Object.fromEntries(failed.map(({ failure_code, count }) => [failure_code, count])),
    signals: await rows('SELECT * FROM signals ORDER BY strategy_id, sequence'),
    decisions: await rows(
      `SELECT signal_id, copier_id, settled_at, outcome, ${WAITS_FOR_MINIMUM} AS is_waiting FROM decisions`,
    ),
    copiers: await rows('SELECT id, strategy_id FROM copiers WHERE started_at IS NOT NULL'),
    leaderTrades: await rows(
      `SELECT t.id, t.filled_amount,
         (SELECT max(s.cumulative_amount) FROM signals s
          WHERE s.source_trade_id = t.id AND s.kind IN ('OPEN', 'INCREASE')) AS signalled,
         (SELECT sum(l.opened_amount) FROM lots l WHERE l.trade_id = t.id) AS opened,
         (SELECT sum(c.amount) FROM lot_closures c JOIN fills entry ON entry.id = c.lot_id
            JOIN fills exit ON exit.id = c.fill_id
          WHERE entry.trade_id = t.id AND exit.created_at <= entry.created_at) AS closed_before,
         (SELECT sum(l.open_amount) FROM lots l WHERE l.trade_id = t.id) = 0 AND EXISTS (
            SELECT 1 FROM fills entry JOIN fills earlier ON earlier.exchange_account_id = entry.exchange_account_id
              AND earlier.executed_at <= entry.executed_at AND earlier.created_at > entry.created_at
            JOIN trades other ON other.id = earlier.trade_id AND other.trade_pair_id = t.trade_pair_id
          WHERE entry.trade_id = t.id) AS closed_after_rewind
       FROM trades t WHERE t.strategy_id IS NOT NULL AND t.side = 'BUY' AND t.filled_amount > 0`,
    ),
    outcomes: Object.fromEntries(
      counted.map(({ outcome, code, count }) => [[outcome, code].filter(Boolean).join(' '), count]),
    ),
  };
}

/** @param {Awaited<ReturnType<typeof readCopying>>} copying */
function compareSignals({ signals, leaderTrades }) {
  /** @type {string[]} */
  const violations = [];
  for (const [strategy, signalsOfStrategy] of groupBy(signals, ({ strategy_id }) => strategy_id)) {
    signalsOfStrategy.forEach(({ sequence }, index) => {
      if (Number(sequence) !== index + 1)
        violations.push(`${strategy}: signal ${index + 1} has sequence ${sequence}`);
    });
  }
  for (const trade of leaderTrades) {
    const { id, filled_amount, signalled } = trade;
    if (wasClosedBeforeSignal(trade)) continue;
    if (units(signalled ?? '0') !== units(filled_amount))
      violations.push(`leader's trade ${id}: filled ${filled_amount}, covered by signals ${signalled ?? 0}`);
  }
  return violations;
}

/**
 * Returns whether known fills had already sold everything that the trade opened, when its own fill was reported. Then
 * no signal was due, because nothing was left to copy. If a fill that was executed earlier is reported later, the lot
 * book is rewound, and other sales than before may close the trade. In that case the function returns true if no open
 * lot of the trade is left.
 *
 * @param {{ signalled: string | null, opened: string | null, closed_before: string | null, closed_after_rewind: boolean | null }} trade
 */
function wasClosedBeforeSignal({ signalled, opened, closed_before: closed, closed_after_rewind: isRewound }) {
  if (signalled !== null || opened === null) return false;
  return isRewound === true || (closed !== null && units(opened) === units(closed));
}

/**
 * @param {Awaited<ReturnType<typeof readCopying>>} copying
 * @param {{ copiers: readonly unknown[] }} participants
 */
function compareDecisions({ signals, decisions, copiers }, participants) {
  /** @type {string[]} */
  const violations = [];
  if (copiers.length !== participants.copiers.length)
    violations.push(`${copiers.length} copiers instead of ${participants.copiers.length}`);
  const counts = new Map();
  for (const { signal_id, copier_id, settled_at, is_waiting } of decisions) {
    const key = `${signal_id} ${copier_id}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    if (settled_at === null && !is_waiting)
      violations.push(`the decision of signal ${signal_id} for copier ${copier_id} is not settled`);
  }
  for (const signal of signals) {
    for (const copier of copiers.filter(({ strategy_id }) => strategy_id === signal.strategy_id)) {
      const count = counts.get(`${signal.id} ${copier.id}`) ?? 0;
      if (count !== 1) violations.push(`signal ${signal.id} has ${count} decisions for copier ${copier.id}`);
    }
  }
  return violations;
}
