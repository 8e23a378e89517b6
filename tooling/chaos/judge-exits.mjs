import { groupBy } from '../launch/group-by.mjs';
import { amountText, units } from './amounts.mjs';
import { isEntry, lotKey, placedOrders } from './judge-copies.mjs';

/**
 * Judges whether the exits of a storm are done: each is filled, or its report shows an amount below the exchange's
 * minimum. What a lot still holds is computed from the exchange's fills, not from the product's lots.
 *
 * @typedef {import('./judge-copies.mjs').CopyRecord} CopyRecord
 * @typedef {import('./judge-copies.mjs').Report} Report
 * @typedef {{ step: string, minAmount: string, minNotional: string, price: string }} Market the rules of a market and its
 *   last price, read from the exchange
 * @typedef {Pick<CopyRecord, 'reports' | 'orders' | 'ledgers' | 'signals' | 'copiers'> & {
 *   markets: ReadonlyMap<string, Market>, until: number, closedByOthers?: ReadonlyMap<string, string>,
 * }} ExitRecord `markets`: by symbol; `until`: exits of signals until this instant are judged; `closedByOthers`: what other
 *   orders than the copier's closed of its lots, by `lotKey`. The exchange, which knows no lots, may have deleveraged the position
 */

/** An amount counts as tradable if it exceeds the minimum notional by 0.5 %, because the price moves meanwhile. */
const NOTIONAL_TOLERANCE_PERMILLE = 5n;
const ONE = 10n ** 18n;

/** @param {ExitRecord} record */
export function findUnfinishedExits(record) {
  const { reports, orders, ledgers, signals, copiers, markets, until, closedByOthers = new Map() } = record;
  const findings = findUnreportedExits({ reports, signals, copiers });
  const held = amountsHeld({ orders, ledgers });
  const exits = reports.filter((report) => !isEntry(report) && report.signalAt <= until);
  for (const [key, ofLot] of groupBy(exits, lotKey)) {
    const remaining = (held.get(key) ?? 0n) - units(closedByOthers.get(key) ?? '0');
    const market = marketOf(markets, /** @type {Report} */ (ofLot[0]).symbol);
    const isHeld = remaining >= units(market.step);
    const waiting = ofLot.filter(({ isSettled }) => !isSettled);
    for (const { sequence, code, outcome, targetAmount, filledAmount, isSettled } of ofLot) {
      const missing = units(targetAmount) - units(filledAmount);
      if (isSettled && outcome !== 'COPIED' && missing >= units(market.step) && isHeld)
        findings.push(
          `${key}, signal ${sequence}: ended ${outcome} ${code} with ${amountText(missing)} unsold, ${amountText(remaining)} held`,
        );
      if (!isSettled && code !== 'BELOW_MINIMUM')
        findings.push(`${key}, signal ${sequence}: not filled, and the report says ${code}`);
    }
    const isClosed = ofLot.some(({ kind }) => kind === 'CLOSE');
    if (waiting.length === 0) {
      if (isClosed && isHeld) findings.push(`${key}: closed, but ${amountText(remaining)} is held`);
      continue;
    }
    const unfilled = waiting.reduce(
      (sum, each) => sum + units(each.targetAmount) - units(each.filledAmount),
      0n,
    );
    const amount = isClosed || unfilled > remaining ? remaining : unfilled;
    if (isTradable(amount, market))
      findings.push(`${key}: waits for the minimum with ${amountText(amount)} at ${market.price}`);
  }
  return findings;
}

/**
 * Finds exits on which a copier has no report yet.
 *
 * @param {Pick<CopyRecord, 'reports' | 'signals' | 'copiers'>} record
 */
function findUnreportedExits({ reports, signals, copiers }) {
  const reported = new Set(reports.map(({ signalId, copierId }) => `${signalId} ${copierId}`));
  const copiersOf = groupBy(copiers, ({ strategyId }) => strategyId);
  return signals
    .filter((signal) => !isEntry(signal))
    .flatMap(({ id, strategyId }) =>
      (copiersOf.get(strategyId) ?? [])
        .filter((copier) => !reported.has(`${id} ${copier.id}`))
        .map((copier) => `copier ${copier.id}: no report on the exit ${id}`),
    );
}

/**
 * Returns the amount that each copier holds of each lot according to the exchange: what its entries filled, less the fees
 * in the bought asset, less what its exits filled.
 *
 * @param {Pick<CopyRecord, 'orders' | 'ledgers'>} record
 */
function amountsHeld({ orders, ledgers }) {
  const fillsOf = new Map(
    [...ledgers].map(([accountId, { fills }]) => [
      accountId,
      groupBy(fills, ({ symbol, order_id }) => `${symbol} ${order_id}`),
    ]),
  );
  /** @type {Map<string, bigint>} */
  const held = new Map();
  for (const { order } of placedOrders({ orders, ledgers })) {
    const fills = fillsOf.get(order.accountId)?.get(`${order.symbol} ${order.exchangeOrderId}`) ?? [];
    const [base] = order.symbol.split('/');
    const change = fills.reduce((sum, { amount, fee, fee_asset }) => {
      if (!order.isEntry) return sum - units(amount);
      return sum + units(amount) - (fee_asset === base ? units(fee) : 0n);
    }, 0n);
    held.set(lotKey(order), (held.get(lotKey(order)) ?? 0n) + change);
  }
  return held;
}

/**
 * @param {ReadonlyMap<string, Market>} markets
 * @param {string} symbol
 */
function marketOf(markets, symbol) {
  const market = markets.get(symbol);
  if (market === undefined) throw new Error(`the exchange has no market ${symbol}`);
  return market;
}

/**
 * @param {bigint} amount
 * @param {Market} market
 */
function isTradable(amount, { step, minAmount, minNotional, price }) {
  const sellable = amount - (amount % units(step));
  if (sellable < units(minAmount)) return false;
  const notional = (sellable * units(price)) / ONE;
  return notional * 1_000n >= units(minNotional) * (1_000n + NOTIONAL_TOLERANCE_PERMILLE);
}
