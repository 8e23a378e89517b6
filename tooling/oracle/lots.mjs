import { sum, ZERO } from './fraction.mjs';

/**
 * The lots of one account and pair on spot, replayed from fills in the order of execution: first in, first out, separately
 * for each strategy and copier.
 *
 * @typedef {import('./fraction.mjs').Fraction} Fraction
 *
 * @typedef {{
 *   id: string, tradeId: string, owner: string | undefined, side: 'BUY' | 'SELL', price: Fraction, amount: Fraction,
 *   fee: { amount: Fraction, currency: string, value: Fraction }, at: number,
 *   copierId?: string | undefined, closes?: ((lot: Lot) => boolean) | undefined,
 * }} Fill `owner`: the id of the strategy or copier of the trade; `fee.value`: the fee in quote currency; `closes`: selects the
 *   lot that the order closes before others
 *
 * @typedef {{
 *   tradeId: string, owner: string | undefined, copierId: string | undefined, price: Fraction, opened: Fraction,
 *   open: Fraction, cost: Fraction, fees: Fraction, at: number, isDetached: boolean,
 * }} Lot `opened`: the amount that the fill opened, less a fee in base currency; `cost`: what all of it cost, with fees;
 *   `isDetached`: something other than its copier reduced a copy
 *
 * @typedef {{ lot: Lot, before: Fraction, amount: Fraction, pnl: Fraction, fill: Fill }} Closure
 *   `before`: the open amount before the closure; `amount`: the part that was closed, with dust
 */
export class LotBook {
  /** @param {{ base: string, step: Fraction }} pair */
  constructor(pair) {
    this.pair = pair;
    /** @type {Lot[]} */
    this.lots = [];
    /** @type {Closure[]} */
    this.closures = [];
    this.unmatchedFills = 0;
  }

  /**
   * Books a fill. Returns the closures that it caused.
   *
   * @param {Fill} fill
   */
  book(fill) {
    if (fill.side === 'BUY') {
      this.lots.push(lotOf(fill, this.pair.base));
      return [];
    }
    const closures = this.close(fill);
    this.closures.push(...closures);
    return closures;
  }

  /** @param {Fill} fill a sale */
  close(fill) {
    /** @type {Closure[]} */
    const closures = [];
    let left = fill.amount;
    for (const lot of inOrderOf(fill, this.lots)) {
      if (!left.isPositive) break;
      if (!lot.open.isPositive || (fill.owner !== undefined && lot.owner !== fill.owner)) continue;
      const sold = lot.open.isBelow(left) ? lot.open : left;
      left = left.minus(sold);
      // No order can sell less than a step, so such a rest of a trade is closed with it, without proceeds.
      const rest = this.openAmountOf([lot.tradeId]).minus(sold);
      const closed = rest.isBelow(this.pair.step) ? lot.open : sold;
      const fee = fill.fee.value.times(sold).over(fill.amount);
      const pnl = fill.price.times(sold).minus(fee).minus(lot.cost.times(closed).over(lot.opened));
      closures.push({ lot, before: lot.open, amount: closed, pnl, fill });
      lot.open = lot.open.minus(closed);
      // The rest without proceeds counts as a fee in base currency, at the price of its fill.
      lot.fees = lot.fees.plus(fee).plus(fill.price.times(closed.minus(sold)));
      lot.isDetached ||= lot.copierId !== undefined && fill.owner !== lot.copierId;
    }
    if (left.isPositive) this.unmatchedFills += 1;
    return closures;
  }

  /** Returns the open amount of the lots that these trades opened. @param {readonly string[]} tradeIds */
  openAmountOf(tradeIds) {
    return this.lots.reduce(
      (total, lot) => (tradeIds.includes(lot.tradeId) ? total.plus(lot.open) : total),
      ZERO,
    );
  }
}

/**
 * Returns the lots in the order in which a sale closes them.
 *
 * @param {Fill} sale
 * @param {readonly Lot[]} lots oldest first
 */
function inOrderOf({ closes }, lots) {
  if (closes === undefined) return lots;
  return [...lots.filter(closes), ...lots.filter((lot) => !closes(lot))];
}

/**
 * @param {Fill} fill a purchase
 * @param {string} base
 * @returns {Lot}
 */
function lotOf({ tradeId, owner, copierId, price, amount, fee, at }, base) {
  const isFeeInBase = fee.currency === base;
  const opened = isFeeInBase ? amount.minus(fee.amount) : amount;
  const cost = price.times(amount).plus(isFeeInBase ? ZERO : fee.value);
  const result = { opened, open: opened, cost, fees: fee.value, isDetached: false };
  return { tradeId, owner, copierId, price, at, ...result };
}

/**
 * Returns the figures of one lot.
 *
 * @param {LotBook} book
 * @param {Lot} lot
 * @param {Fraction} lastPrice
 */
export function lotFigures({ closures }, lot, lastPrice) {
  const remainingCost = lot.cost.times(lot.open).over(lot.opened);
  return {
    amount: lot.opened,
    remaining_amount: lot.open,
    entry_price: lot.price,
    cost: lot.cost,
    remaining_cost: remainingCost,
    fees: lot.fees,
    realized_pnl: sum(closures.filter((closure) => closure.lot === lot).map(({ pnl }) => pnl)),
    unrealized_pnl: lastPrice.times(lot.open).minus(remainingCost),
  };
}
