import { exact, greatest, sum, ZERO } from './fraction.mjs';

/**
 * What the margin of an account on perpetuals demands of an entry (`max_leverage` and `min_margin_ratio` in the published reference),
 * and how funding is divided (ADR 52). Sizes and limits are notionals; leverage only determines what an order reserves.
 *
 * @typedef {import('./fraction.mjs').Fraction} Fraction
 * @typedef {{ symbol: string, net: Fraction, mark: Fraction }} Position `net`: negative if it is short
 */

/** The reference: "Default: 1.5". */
const DEFAULT_RATIO = '1.5';

export class Margin {
  /**
   * @param {{
   *   symbol: string, side: 'BUY' | 'SELL', positions: readonly Position[], mark: Fraction, equity: Fraction, leverage: Fraction,
   *   maintenance: Fraction,
   * }} account `symbol`, `side`, `mark`: of the entry; `equity`: with open results
   */
  constructor(account) {
    const { symbol, side, positions, mark, equity, leverage, maintenance } = account;
    this.account = account;
    /** @type {Fraction | undefined} the result of `mostAmount`, if it is given */
    this.allowed = undefined;
    this.side = side;
    this.mark = mark;
    this.equity = equity;
    this.leverage = leverage;
    this.maintenance = maintenance;
    const net = positions.find((position) => position.symbol === symbol)?.net ?? ZERO;
    /** What of the position is on the other side, which the entry reduces first; negative: what is on its side. */
    this.opposite = side === 'BUY' ? ZERO.minus(net) : net;
    this.others = sum(
      positions
        .filter((position) => position.symbol !== symbol)
        .map((position) => position.net.absolute.times(position.mark)),
    );
  }

  /** @param {Partial<Margin['account']>} change */
  with(change) {
    return new Margin({ ...this.account, ...change });
  }

  /** Returns the margin as if `max_leverage` allowed this amount. @param {Fraction} amount */
  allowing(amount) {
    const margin = this.with({});
    margin.allowed = amount;
    return margin;
  }

  /**
   * Returns the largest amount after which all notionals ÷ equity are within the limit; undefined without a limit.
   *
   * @param {Record<string, any>} limits
   */
  mostAmount({ max_leverage }) {
    if (max_leverage === undefined) return undefined;
    if (this.allowed !== undefined) return this.allowed;
    const allowed = exact(max_leverage).times(this.equity).minus(this.others);
    // After the entry, the position is amount - opposite on the side of the entry.
    return greatest(ZERO, allowed.over(this.mark).plus(this.opposite));
  }

  /** @param {Record<string, any>} limits */
  isBelowRatio({ min_margin_ratio }) {
    if (!this.maintenance.isPositive) return false;
    return this.equity.over(this.maintenance).isBelow(exact(min_margin_ratio ?? DEFAULT_RATIO));
  }
}

/**
 * Returns the equity of an account with its open results: what it had, what its fills earned and cost, and what is open at mark.
 *
 * @param {{ initial: Fraction, fills: readonly { side: string, price: Fraction, amount: Fraction, fee: { value: Fraction } }[],
 *   positions: readonly Position[], funding: readonly Fraction[] }} account
 */
export function equityOf({ initial, fills, positions, funding }) {
  const cash = fills.map(({ side, price, amount, fee }) => {
    const value = price.times(amount);
    return (side === 'SELL' ? value : ZERO.minus(value)).minus(fee.value);
  });
  return sum([initial, ...cash, ...positions.map(({ net, mark }) => net.times(mark)), ...funding]);
}

/** Returns the smallest step of a number with 18 decimals. */
const UNIT = exact('0.000000000000000001');

/**
 * Divides funding payments among the lots that were open just before them, by open amount: ADR 52. Each part is rounded toward zero
 * to 18 decimals; the last lot takes the rest.
 *
 * @param {import('./lots.mjs').LotBook} book
 * @param {{ amount: Fraction, at: number }} payment positive if received
 * @returns {Map<import('./lots.mjs').Lot, Fraction>} empty if no lot was open
 */
export function divideFunding({ lots, closures }, { amount, at }) {
  const open = lots
    .filter((lot) => lot.at < at)
    .map((lot) => ({ lot, open: openBefore(lot, closures, at) }))
    .filter((each) => each.open.isPositive);
  const total = sum(open.map((each) => each.open));
  let left = amount;
  return new Map(
    open.map((each, index) => {
      const part = index === open.length - 1 ? left : towardZero(amount.times(each.open).over(total));
      left = left.minus(part);
      return [each.lot, part];
    }),
  );
}

/** @param {import('./lots.mjs').Lot} lot @param {readonly import('./lots.mjs').Closure[]} closures @param {number} at */
const openBefore = (lot, closures, at) =>
  lot.opened.minus(
    sum(closures.filter((each) => each.lot === lot && each.fill.at < at).map(({ amount }) => amount)),
  );

/** @param {Fraction} value */
const towardZero = (value) => {
  const size = value.absolute.floorTo(UNIT);
  return value.isNegative ? ZERO.minus(size) : size;
};

/** Returns the funding of each lot from all payments. @param {import('./lots.mjs').LotBook} book @param {readonly { amount: Fraction, at: number }[]} payments */
export function fundingOfLots(book, payments) {
  /** @type {Map<import('./lots.mjs').Lot, Fraction>} */
  const totals = new Map();
  for (const payment of payments) {
    for (const [lot, part] of divideFunding(book, payment))
      totals.set(lot, (totals.get(lot) ?? ZERO).plus(part));
  }
  return totals;
}
