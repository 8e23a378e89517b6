import { groupBy } from '../launch/group-by.mjs';
import { units } from './amounts.mjs';
import { longestLifeWithin } from './lives.mjs';

/**
 * Judges the copies of a storm. What happened is the exchange's record of orders and fills; what the product says about
 * it are its reports, one for each signal and copier.
 *
 * @typedef {import('./compare-accounts.mjs').Ledger} Ledger
 * @typedef {import('./compare-signals.mjs').Signal} Signal
 * @typedef {{
 *   signalId: string, copierId: string, accountId: string, tradeId: string | null, lotId: string, sequence: number, symbol: string, kind: string,
 *   signalAt: number, maxAgeMs: number, outcome: string, code: string | null, targetAmount: string,
 *   filledAmount: string, isSettled: boolean, history: string,
 * }} Report `signalAt`: milliseconds since the epoch; `history`: when the copy reached which step
 * @typedef {{
 *   tradeId: string, accountId: string, copierId: string, lotId: string, sequence: number, symbol: string,
 *   isEntry: boolean, exchangeOrderId: string | null, failureCode: string | null,
 * }} CopyOrder an order that the product says it placed for a copier; `isEntry`: whether its side is that of the leader's lot
 * @typedef {{
 *   copiers: readonly { id: string, strategyId: string, accountId: string }[], signals: readonly Signal[], reports: readonly Report[],
 *   orders: readonly CopyOrder[], ledgers: ReadonlyMap<string, Ledger>,
 * }} CopyRecord `ledgers`: of leaders and copiers, by the id of the account
 */

/** A worker that lived for this long within a signal's age must have copied it. */
const LIFE_MS = 10_000;
const ENTRIES = ['OPEN', 'INCREASE'];
const COPIED = ['COPIED', 'CLAMPED'];

export const isEntry = (/** @type {{ kind: string }} */ { kind }) => ENTRIES.includes(kind);

const orderKey = (/** @type {string} */ symbol, /** @type {string} */ orderId) => `${symbol} ${orderId}`;
export const lotKey = (/** @type {{ copierId: string, lotId: string }} */ { copierId, lotId }) =>
  `copier ${copierId}, lot ${lotId}`;

/**
 * Finds orders that were placed twice: two orders under one id, an order that no report explains, a second order for one
 * entry, fills beyond what the reports state, and exits of a lot that filled more than its entries.
 *
 * @param {CopyRecord} record
 */
export function findDuplicates(record) {
  const findings = [];
  const claims = groupBy(
    record.orders.filter(({ exchangeOrderId }) => exchangeOrderId !== null),
    ({ accountId, symbol, exchangeOrderId }) => `${accountId} ${orderKey(symbol, exchangeOrderId ?? '')}`,
  );
  const copierAccounts = new Set(record.copiers.map(({ accountId }) => accountId));
  for (const [accountId, ledger] of record.ledgers) {
    const orders = withoutForced(ledger);
    for (const [clientOrderId, same] of groupBy(orders, (order) => order.client_order_id)) {
      if (same.length > 1) findings.push(`${accountId}: ${same.length} orders with the id ${clientOrderId}`);
    }
    if (!copierAccounts.has(accountId)) continue;
    for (const order of orders) {
      const key = orderKey(order.symbol, order.order_id);
      const count = claims.get(`${accountId} ${key}`)?.length ?? 0;
      if (count !== 1) findings.push(`${accountId}: ${count} copies explain the order ${key}`);
    }
  }
  const entries = record.orders.filter((order) => order.isEntry && order.exchangeOrderId !== null);
  for (const [key, same] of groupBy(entries, (order) => `${lotKey(order)}, signal ${order.sequence}`)) {
    if (same.length > 1) findings.push(`${key}: ${same.length} orders for one entry`);
  }
  const sums = [...comparedFills(record)];
  for (const { key, kind, atExchange, reported } of sums) {
    if (atExchange > reported) findings.push(`${key}: ${kind} fills exceed the reports`);
  }
  for (const [key, ofLot] of groupBy(sums, (sum) => sum.key)) {
    const filled = (/** @type {string} */ kind) => ofLot.find((sum) => sum.kind === kind)?.atExchange ?? 0n;
    if (filled('exit') > filled('entry')) findings.push(`${key}: exit fills exceed the entry fills`);
  }
  return findings;
}

/** Returns the orders that were placed. Liquidations and auto-deleveraging are orders of the exchange. @param {Ledger} ledger */
function withoutForced({ orders, liquidations = [] }) {
  const forced = new Set(liquidations.map(({ symbol, order_id }) => orderKey(symbol, order_id)));
  return orders.filter(({ symbol, order_id }) => !forced.has(orderKey(symbol, order_id)));
}

/**
 * Finds copies that were lost: a signal without a report, an entry that never ended, fills and orders that reports state
 * and the exchange does not have.
 *
 * @param {CopyRecord} record
 */
export function findLostCopies(record) {
  const findings = [];
  const reports = groupBy(record.reports, ({ signalId, copierId }) => `${signalId} ${copierId}`);
  const copiersOf = groupBy(record.copiers, ({ strategyId }) => strategyId);
  for (const signal of record.signals) {
    for (const copier of copiersOf.get(signal.strategyId) ?? []) {
      const count = reports.get(`${signal.id} ${copier.id}`)?.length ?? 0;
      if (count !== 1) findings.push(`signal ${signal.id} has ${count} reports for copier ${copier.id}`);
    }
  }
  const known = new Set(
    [...record.ledgers].flatMap(([accountId, { orders }]) =>
      orders.map(({ symbol, order_id }) => `${accountId} ${orderKey(symbol, order_id)}`),
    ),
  );
  const isKnown = (/** @type {CopyOrder} */ { accountId, symbol, exchangeOrderId }) =>
    known.has(`${accountId} ${orderKey(symbol, exchangeOrderId ?? '')}`);
  for (const order of record.orders) {
    if (order.exchangeOrderId !== null && !isKnown(order))
      findings.push(`${lotKey(order)}: the exchange has no order ${order.exchangeOrderId}`);
  }
  const ordered = new Set(
    record.orders.filter(isKnown).map((order) => `${lotKey(order)}, signal ${order.sequence}`),
  );
  for (const report of record.reports.filter(isEntry)) {
    const key = `${lotKey(report)}, signal ${report.sequence}`;
    if (!report.isSettled) findings.push(`${key}: the entry has not ended`);
    else if (COPIED.includes(report.outcome) && !ordered.has(key))
      findings.push(`${key}: ${report.outcome} without an order at the exchange`);
  }
  for (const { key, kind, atExchange, reported } of comparedFills(record)) {
    if (atExchange < reported) findings.push(`${key}: the reports exceed the ${kind} fills`);
  }
  return findings;
}

/**
 * Compares, for the entries and the exits of each lot, the fills at the exchange with those in the reports. An exit's order may
 * contain the amounts of earlier exits of its lot, so exits are compared together.
 *
 * @param {CopyRecord} record
 */
function comparedFills({ reports, orders, ledgers }) {
  /** @type {Map<string, { key: string, kind: string, atExchange: bigint, reported: bigint }>} */
  const sums = new Map();
  const sumOf = (
    /** @type {{ copierId: string, lotId: string }} */ lot,
    /** @type {'entry' | 'exit'} */ kind,
  ) => {
    const key = lotKey(lot);
    const sum = sums.get(`${key} ${kind}`) ?? { key, kind, atExchange: 0n, reported: 0n };
    sums.set(`${key} ${kind}`, sum);
    return sum;
  };
  for (const report of reports)
    sumOf(report, isEntry(report) ? 'entry' : 'exit').reported += units(report.filledAmount);
  for (const { order, venueOrder } of placedOrders({ orders, ledgers }))
    sumOf(order, order.isEntry ? 'entry' : 'exit').atExchange += units(venueOrder.filled_amount);
  return sums.values();
}

/**
 * Returns the copies' orders that the exchange has.
 *
 * @param {Pick<CopyRecord, 'orders' | 'ledgers'>} record
 */
export function placedOrders({ orders, ledgers }) {
  const venueOrders = new Map(
    [...ledgers].flatMap(([accountId, ledger]) =>
      ledger.orders.map((each) => [`${accountId} ${orderKey(each.symbol, each.order_id)}`, each]),
    ),
  );
  return orders.flatMap((order) => {
    const { accountId, symbol, exchangeOrderId } = order;
    const venueOrder = venueOrders.get(`${accountId} ${orderKey(symbol, exchangeOrderId ?? '')}`);
    return exchangeOrderId === null || venueOrder === undefined ? [] : [{ order, venueOrder }];
  });
}

/**
 * Finds copies that failed because their worker died.
 *
 * @param {Pick<CopyRecord, 'reports' | 'orders'>} record
 */
export function findTakeoverFailures({ reports, orders }) {
  return [
    ...reports
      .filter(({ code }) => code === 'NOT_ACCEPTED')
      .map((report) => `${lotKey(report)}: NOT_ACCEPTED`),
    ...orders
      .filter(({ failureCode }) => failureCode === 'not_accepted')
      .map((order) => `${lotKey(order)}: trade ${order.tradeId} failed as not_accepted`),
  ];
}

/**
 * Finds entries that were too late, although one worker lived for at least 10 s within the age of their signal. An order that the
 * exchange left unanswered may arrive for up to 10 s, so each one needs 10 s more.
 *
 * @param {{
 *   reports: readonly Report[], lives: readonly import('./lives.mjs').Life[], unanswered: ReadonlyMap<string, number>,
 * }} record `unanswered`: how many orders of a trade the exchange left unanswered, by the id of the trade
 */
export function findAvoidableStaleSignals({ reports, lives, unanswered }) {
  return reports
    .filter(({ code }) => code === 'STALE_SIGNAL')
    .flatMap((report) => {
      const { signalAt, maxAgeMs, signalId, tradeId, history } = report;
      const lifeMs = longestLifeWithin(lives, signalAt, signalAt + maxAgeMs);
      const unansweredCount = unanswered.get(tradeId ?? '') ?? 0;
      const at = new Date(signalAt).toISOString();
      return lifeMs < LIFE_MS * (1 + unansweredCount)
        ? []
        : [
            `${lotKey(report)}: signal ${signalId} of ${at} is stale, ${history}, ${unansweredCount} orders unanswered; a worker lived for ${lifeMs / 1_000} s`,
          ];
    });
}

/**
 * Returns the number of entries, and how many of them ended COPIED or CLAMPED.
 *
 * @param {readonly Report[]} reports
 */
export function countEntries(reports) {
  const entries = reports.filter(isEntry);
  const copied = entries.filter(({ isSettled, outcome }) => isSettled && COPIED.includes(outcome));
  return { entries: entries.length, copied: copied.length };
}
