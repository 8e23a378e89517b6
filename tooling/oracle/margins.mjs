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
  return inShares(
    amount,
    open.map((each) => ({ lot: each.lot, weight: each.open })),
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

/**
 * Divides interest on a loan among the lots that owe it (ADR 52): the short lots of the asset, by amount, or else the long lots that were
 * bought with it, by cost. If the short lots have several quote currencies, those with the quote currency of the oldest owe it. The value
 * and each part are rounded toward zero to 18 decimals; the last lot takes the rest.
 *
 * @param {readonly import('./lots.mjs').LotBook[]} books of all pairs of the account
 * @param {{ asset: string, amount: Fraction, priceOf: (symbol: string) => Fraction }} charge
 * @returns {Map<import('./lots.mjs').Lot, Fraction>} negative parts; empty if no lot owes the loan
 */
export function divideInterest(books, { asset, amount, priceOf }) {
  const open = books
    .flatMap(({ pair, lots }) => lots.map((lot) => ({ pair: quotedPair(pair), lot })))
    .filter(({ lot }) => lot.open.isPositive)
    .sort((a, b) => a.lot.at - b.lot.at);
  const shorts = open.filter(({ pair, lot }) => lot.side === 'SELL' && pair.base === asset);
  const [oldest] = shorts;
  if (oldest !== undefined) {
    const value = towardZero(amount.times(priceOf(oldest.pair.symbol)));
    const owing = shorts.filter(({ pair }) => pair.quote === oldest.pair.quote);
    return inShares(
      ZERO.minus(value),
      owing.map(({ lot }) => ({ lot, weight: lot.open })),
    );
  }
  const longs = open.filter(({ pair, lot }) => lot.side === 'BUY' && pair.quote === asset);
  const weights = longs.map(({ lot }) => ({ lot, weight: lot.cost.times(lot.open).over(lot.opened) }));
  return inShares(ZERO.minus(amount), weights);
}

/** @param {{ symbol: string, base: string }} pair */
const quotedPair = ({ symbol, base }) => ({ symbol, base, quote: symbol.split('/')[1] ?? '' });

/**
 * @param {Fraction} amount
 * @param {readonly { lot: import('./lots.mjs').Lot, weight: Fraction }[]} weights
 */
function inShares(amount, weights) {
  const total = sum(weights.map(({ weight }) => weight));
  let left = amount;
  return new Map(
    weights.map(({ lot, weight }, index) => {
      const part = index === weights.length - 1 ? left : towardZero(amount.times(weight).over(total));
      left = left.minus(part);
      return [lot, part];
    }),
  );
}
