import { decodeId } from '@trading-automation/contracts';
import pLimit from 'p-limit';
import pg from 'pg';
import { groupBy } from '../launch/group-by.mjs';
import { amountText, units } from './amounts.mjs';
import { ledgerOf } from './venue.mjs';

/**
 * Compares the product's records with the exchange's own ledger. Every sentence that `audit` returns is a fault.
 *
 * 1. No order twice: the exchange has one order for each trade that was accepted, and each of its orders is a trade.
 * 2. No copy is lost or made twice: signals cover everything that leaders filled, except what they had sold again before
 *    the exchange reported it; and each signal has one decision for
 *    each copier of its strategy, settled.
 * 3. Every trade is in the state of its order, with the fills of its order.
 * 4. Balances are the exchange's, and the open lots of an asset are what the exchange holds of it, but for what a sale
 *    left that is less than a step: that no order can sell, so that it is closed with the lot.
 *
 * @typedef {{ trades: number, orders: number, fills: number, signals: number, decisions: Record<string, number>, failures: Record<string, number>, lots: number, external: number, overWhenTold: number }} Figures
 */

/** Accounts that are looked at together. */
const atOnce = 4;

/**
 * @param {import('../e2e/killable-product.mjs').KillableProduct} product
 * @param {import('./cast.mjs').Cast} cast
 * @returns {Promise<{ faults: string[], figures: Figures }>}
 */
export async function audit(product, cast) {
  const database = new pg.Pool({ connectionString: product.databaseUrl, max: atOnce });
  try {
    /** @type {string[]} */
    const faults = [];
    const figures = {
      trades: 0,
      orders: 0,
      fills: 0,
      signals: 0,
      decisions: {},
      failures: {},
      lots: 0,
      external: 0,
      overWhenTold: 0,
    };
    await pLimit(atOnce).map(cast.accounts, async (account) => {
      const ledger = await ledgerOf(product.paperExchangeUrl, account.credentials);
      const books = await readAccount(database, account.id);
      faults.push(...compareOrders(account.id, ledger, books), ...compareHoldings(account.id, ledger, books));
      figures.trades += books.trades.length;
      figures.external += books.trades.filter(({ origin }) => origin === 'EXTERNAL').length;
      figures.orders += ledger.orders.length;
      figures.fills += ledger.fills.length;
      figures.lots += books.lots.length;
    });
    const copying = await readCopying(database);
    faults.push(...compareSignals(copying), ...compareDecisions(copying, cast));
    figures.signals = copying.signals.length;
    figures.overWhenTold = copying.leaderTrades.filter(isOverWhenTold).length;
    figures.decisions = copying.outcomes;
    figures.failures = copying.failures;
    return { faults, figures };
  } finally {
    await database.end();
  }
}

/**
 * Whether everything has come to rest: nothing on its way, nothing left to plan or to settle.
 *
 * @param {string} databaseUrl
 */
export async function unsettled(databaseUrl) {
  return await oneRow(
    databaseUrl,
    `SELECT (SELECT count(*)::int FROM trades WHERE status IN ('PENDING', 'PARTIALLY_FILLED')
                 AND (time_in_force <> 'GTC' OR type = 'MARKET' OR acknowledged_at IS NULL)) AS trades,
         (SELECT count(*)::int FROM decisions WHERE settled_at IS NULL) AS decisions,
         (SELECT count(*)::int FROM strategy_sequences s LEFT JOIN copy_progress p USING (strategy_id)
          WHERE s.last_sequence > coalesce(p.planned_sequence, 0)) AS strategies`,
  );
}

/**
 * @param {string} databaseUrl
 * @returns {Promise<number>} how many there are so far
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

/** States of the exchange, and the state that a trade then has. */
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
 * @param {Awaited<ReturnType<typeof readAccount>>} books
 */
function compareOrders(accountId, ledger, books) {
  /** @type {string[]} */
  const faults = [];
  const say = (/** @type {string} */ what) => faults.push(`${accountId}: ${what}`);
  const tradesOf = groupBy(
    books.trades.filter(({ exchange_order_id }) => exchange_order_id !== null),
    ({ exchange_order_id, symbol }) => `${symbol} ${exchange_order_id}`,
  );
  const fillsOf = groupBy(books.fills, ({ trade_id }) => trade_id);
  const ledgerFillsOf = groupBy(ledger.fills, ({ order_id, symbol }) => `${symbol} ${order_id}`);
  const clientIds = ledger.orders.map((/** @type {any} */ { client_order_id }) => client_order_id);
  if (new Set(clientIds).size !== clientIds.length) say('the exchange has two orders of one client order id');
  for (const order of ledger.orders) {
    const key = `${order.symbol} ${order.order_id}`;
    const trades = tradesOf.get(key) ?? [];
    tradesOf.delete(key);
    const [trade] = trades;
    if (trade === undefined || trades.length > 1) {
      say(`order ${key} (${order.client_order_id}, ${order.status}) has ${trades.length} trades`);
      continue;
    }
    const what = `order ${key}, trade ${trade.id}`;
    const expected = states[/** @type {keyof typeof states} */ (order.status)] ?? [];
    if (!expected.includes(trade.status)) say(`${what}: ${order.status} there, ${trade.status} here`);
    if (units(trade.filled_amount) !== units(order.filled_amount))
      say(`${what}: ${order.filled_amount} filled there, ${trade.filled_amount} here`);
    const there = (ledgerFillsOf.get(key) ?? []).map((/** @type {any} */ { fill_id }) => fill_id).sort();
    const here = (fillsOf.get(trade.id) ?? []).map(({ exchange_fill_id }) => exchange_fill_id).sort();
    if (there.join() !== here.join()) say(`${what}: fills ${there.join()} there, ${here.join()} here`);
  }
  for (const key of tradesOf.keys()) say(`the exchange has no order ${key}`);
  for (const trade of books.trades) {
    const isOver = ['FAILED', 'CANCELLED'].includes(trade.status);
    if (trade.exchange_order_id === null && !isOver)
      say(`trade ${trade.id} is ${trade.status} without an order`);
    if (trade.origin === 'RECONCILIATION') say(`trade ${trade.id} was made up to explain a difference`);
  }
  return faults;
}

/**
 * @param {string} accountId
 * @param {any} ledger
 * @param {Awaited<ReturnType<typeof readAccount>>} books
 */
function compareHoldings(accountId, ledger, books) {
  /** @type {string[]} */
  const faults = [];
  for (const [asset, { free, locked }] of Object.entries(
    /** @type {Record<string, any>} */ (ledger.balances),
  )) {
    const here = books.account.balances[asset] ?? { free: '0', locked: '0' };
    if (units(here.free) !== units(free) || units(here.locked) !== units(locked))
      faults.push(`${accountId}: ${asset} ${free}+${locked} there, ${here.free}+${here.locked} here`);
    // Everybody began with quote currency alone: what is there of any other asset was bought.
    if (asset === 'USDT') continue;
    const held = units(free) + units(locked);
    const lots = books.lots.filter(({ symbol }) => symbol.startsWith(`${asset}/`));
    const sum = lots.reduce((total, { open_amount }) => total + units(open_amount), 0n);
    if (lots.some(({ open_amount }) => units(open_amount) < 0n))
      faults.push(`${accountId}: a negative lot of ${asset}`);
    const writtenOff = books.sales
      .filter(({ symbol }) => symbol.startsWith(`${asset}/`))
      .reduce((total, sale) => {
        const rest = units(sale.closed) - units(sale.amount);
        if (rest >= units(sale.amount_step)) faults.push(`${accountId}: a sale closed more than it sold`);
        // Less than nothing: sold without a lot.
        return total + rest;
      }, 0n);
    if (sum + writtenOff !== held) {
      const here = `lots of ${amountText(sum)} and ${amountText(writtenOff)} written off here`;
      faults.push(`${accountId}: ${amountText(held)} ${asset} there, ${here}`);
    }
  }
  return faults;
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
    decisions: await rows('SELECT signal_id, copier_id, settled_at, outcome FROM decisions'),
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
          WHERE entry.trade_id = t.id) AS over_and_moved
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
  const faults = [];
  for (const [strategy, ofStrategy] of groupBy(signals, ({ strategy_id }) => strategy_id)) {
    ofStrategy.forEach(({ sequence }, index) => {
      if (Number(sequence) !== index + 1)
        faults.push(`${strategy}: signal ${index + 1} has sequence ${sequence}`);
    });
  }
  for (const trade of leaderTrades) {
    const { id, filled_amount, signalled } = trade;
    if (isOverWhenTold(trade)) continue;
    if (units(signalled ?? '0') !== units(filled_amount))
      faults.push(`leader's trade ${id}: ${filled_amount} filled, ${signalled ?? 0} signalled`);
  }
  return faults;
}

/**
 * Returns whether everything that the trade opened had been sold by fills known when its own fill became known. Then
 * there was nothing left to copy, and no signal was due. If an earlier fill became known later, other sales may now
 * close the trade than did then; in that case the trade counts if nothing of it is left.
 *
 * @param {{ signalled: string | null, opened: string | null, closed_before: string | null, over_and_moved: boolean | null }} trade
 */
function isOverWhenTold({ signalled, opened, closed_before: closed, over_and_moved: isMoved }) {
  if (signalled !== null || opened === null) return false;
  return isMoved === true || (closed !== null && units(opened) === units(closed));
}

/**
 * @param {Awaited<ReturnType<typeof readCopying>>} copying
 * @param {import('./cast.mjs').Cast} cast
 */
function compareDecisions({ signals, decisions, copiers }, cast) {
  /** @type {string[]} */
  const faults = [];
  if (copiers.length !== cast.copiers.length)
    faults.push(`${copiers.length} copiers instead of ${cast.copiers.length}`);
  const counts = new Map();
  for (const { signal_id, copier_id, settled_at } of decisions) {
    const key = `${signal_id} ${copier_id}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    if (settled_at === null)
      faults.push(`the decision of signal ${signal_id} for copier ${copier_id} is open`);
  }
  for (const signal of signals) {
    for (const copier of copiers.filter(({ strategy_id }) => strategy_id === signal.strategy_id)) {
      const count = counts.get(`${signal.id} ${copier.id}`) ?? 0;
      if (count !== 1) faults.push(`signal ${signal.id} has ${count} decisions for copier ${copier.id}`);
    }
  }
  return faults;
}
