import { least, sum, ZERO } from './fraction.mjs';

/**
 * The lots of one account and pair, replayed from fills in the order of execution: first in, first out, within lists.
 * A copier has one list for each lot of its leader; all lots of no copier are one list. On a perpetual, lots are signed: a fill
 * closes lots of the other side that it may close, and opens a lot of its own side with the rest.
 *
 * @typedef {import('./fraction.mjs').Fraction} Fraction
 *
 * @typedef {{
 *   id: string, tradeId: string, owner: string | undefined, side: 'BUY' | 'SELL', price: Fraction, amount: Fraction,
 *   fee: { amount: Fraction, currency: string, value: Fraction }, at: number,
 *   copierId?: string | undefined, sourceTradeId?: string | undefined, closes?: ((lot: Lot) => boolean) | undefined,
 *   isEntry?: boolean | undefined,
 * }} Fill `isEntry`: whether a copy on a perpetual enters the leader's lot, so that it closes nothing; `owner`: the id of the strategy or copier of the trade; `sourceTradeId`: for a copy, the leader's trade that opened the
 *   copied lot; `fee.value`: the fee in quote currency; `closes`: selects the lot that the order closes before others
 *
 * @typedef {{
 *   tradeId: string, owner: string | undefined, copierId: string | undefined, sourceTradeId: string | undefined, side: 'BUY' | 'SELL',
 *   price: Fraction, opened: Fraction, open: Fraction, cost: Fraction, fees: Fraction, at: number, isDetached: boolean,
 *   original?: Lot,
 * }} Lot `original`: the lot of which this is a copy in a plan; `opened`: the amount that the fill opened, less a fee in base currency; `cost`: what all of it cost, with fees, or for
 *   a short lot, its proceeds less fees; `isDetached`: something other than its copier reduced a copy
 *
 * @typedef {{ lot: Lot, before: Fraction, amount: Fraction, pnl: Fraction, fill: Fill }} Closure
 *   `before`: the open amount before the closure; `amount`: the part that was closed, with dust
 */
export class LotBook {
  /** @param {{ symbol: string, base: string, step: Fraction, tick: Fraction, settle?: string | undefined }} pair `settle`: of a perpetual */
  constructor(pair) {
    this.pair = pair;
    this.isSigned = pair.settle !== undefined;
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
    if (this.isSigned) return this.bookSigned(fill);
    if (fill.side === 'BUY') {
      this.lots.push(lotOf(fill, this.pair.base));
      return [];
    }
    const closures = this.close(fill);
    this.closures.push(...closures);
    return closures;
  }

  /** Closes what the fill may close, and opens a lot with the rest. @param {Fill} fill */
  bookSigned(fill) {
    const closures = this.close(fill);
    this.closures.push(...closures);
    const rest = fill.amount.minus(sum(closures.map(({ amount }) => amount)));
    if (rest.isPositive) {
      const value = fill.fee.value.times(rest).over(fill.amount);
      // What exceeds the exit of a copy belongs to its copier, but to no lot of the leader.
      const isExcess = fill.copierId !== undefined && fill.isEntry !== true;
      const sourceTradeId = isExcess ? fill.tradeId : fill.sourceTradeId;
      this.lots.push(
        lotOf({ ...fill, sourceTradeId, amount: rest, fee: { ...fill.fee, value } }, this.pair.base),
      );
    }
    return closures;
  }

  /** The net position: what is open on the long side less what is open on the short side. */
  get net() {
    return sum(this.lots.map((lot) => (lot.side === 'BUY' ? lot.open : ZERO.minus(lot.open))));
  }

  /** Returns what a copier holds of a lot of its leader. @param {string} copierId @param {string} sourceTradeId */
  listOf(copierId, sourceTradeId) {
    const lots = this.lots.filter((lot) => lot.copierId === copierId && lot.sourceTradeId === sourceTradeId);
    return {
      held: sum(lots.map(({ open }) => open)),
      cost: sum(lots.map(({ cost, open, opened }) => cost.times(open).over(opened))),
    };
  }

  /** @param {Fill} fill one that closes lots */
  close(fill) {
    /** @type {Map<Lot, Fraction>} what the fill sells of each lot that it touches */
    const sales = new Map();
    let left = fill.amount;
    for (const lot of inOrderOf(fill, this.lots)) {
      if (!left.isPositive) break;
      if (!lot.open.isPositive || lot.side === fill.side) continue;
      const sold = least(lot.open, left);
      left = left.minus(sold);
      sales.set(lot, sold);
    }
    if (left.isPositive && !this.isSigned) this.unmatchedFills += 1;
    const dust = this.isSigned ? [] : this.dustOf(fill, sales);
    return [...new Set([...sales.keys(), ...dust])].map((lot) => {
      const sold = sales.get(lot) ?? ZERO;
      return closePart(lot, fill, { sold, closed: dust.includes(lot) ? lot.open : sold });
    });
  }

  /**
   * Returns the lots whose rests are closed with a sale, because no order can sell them: less than a step of the lot that it
   * names, or of the list that it touched last.
   *
   * @param {Fill} sale
   * @param {ReadonlyMap<Lot, Fraction>} sales
   */
  dustOf({ closes }, sales) {
    const touched = [...sales.keys()];
    const isDust = (/** @type {readonly Lot[]} */ lots) =>
      sum(lots.map((lot) => lot.open.minus(sales.get(lot) ?? ZERO))).isBelow(this.pair.step);
    const named = touched.filter((lot) => closes?.(lot));
    const dust = isDust(named) ? named : [];
    const last = touched.at(-1);
    const others = this.lots.filter(
      (lot) => last !== undefined && isSameList(lot, last) && lot.open.isPositive && !dust.includes(lot),
    );
    return isDust(others) ? [...dust, ...others] : dust;
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
 * Returns the lots that a sale may close, in this order: the lot that it names; for a copy, its own list and the other lists of
 * its copier; for any other sale, the lots of no copier and those of copiers.
 *
 * @param {Fill} sale
 * @param {readonly Lot[]} lots oldest first
 */
function inOrderOf(sale, lots) {
  const named = lots.filter((lot) => sale.closes?.(lot));
  const first = lots.filter((lot) =>
    sale.copierId === undefined ? lot.copierId === undefined : isSameList(lot, sale),
  );
  if (sale.isEntry === true) return new Set();
  const others = lots.filter((lot) => sale.copierId === undefined || lot.copierId === sale.copierId);
  return new Set([...named, ...first, ...others]);
}

/** @param {Lot} lot @param {Lot | Fill} other */
const isSameList = (lot, other) =>
  lot.copierId === other.copierId && lot.sourceTradeId === other.sourceTradeId;

/**
 * Closes a part of a lot.
 *
 * @param {Lot} lot
 * @param {Fill} fill a sale
 * @param {{ sold: Fraction, closed: Fraction }} amounts `closed`: with a rest that has no proceeds
 * @returns {Closure}
 */
function closePart(lot, fill, { sold, closed }) {
  const before = lot.open;
  const fee = fill.fee.value.times(sold).over(fill.amount);
  const gain = fill.price.times(sold).minus(lot.cost.times(closed).over(lot.opened));
  const pnl = (lot.side === 'BUY' ? gain : ZERO.minus(gain)).minus(fee);
  lot.open = lot.open.minus(closed);
  // The rest without proceeds counts as a fee in base currency, at the price of its fill.
  lot.fees = lot.fees.plus(fee).plus(fill.price.times(closed.minus(sold)));
  lot.isDetached ||= lot.copierId !== undefined && fill.owner !== lot.copierId;
  return { lot, before, amount: closed, pnl, fill };
}

/**
 * @param {Fill} fill one that opens a lot
 * @param {string} base
 * @returns {Lot}
 */
function lotOf({ tradeId, owner, copierId, sourceTradeId, side, price, amount, fee, at }, base) {
  const isFeeInBase = fee.currency === base;
  const opened = isFeeInBase ? amount.minus(fee.amount) : amount;
  const value = isFeeInBase ? ZERO : fee.value;
  const cost = side === 'BUY' ? price.times(amount).plus(value) : price.times(amount).minus(value);
  const result = { opened, open: opened, cost, fees: fee.value, isDetached: false };
  return { tradeId, owner, copierId, sourceTradeId, side, price, at, ...result };
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
    unrealized_pnl: openResultOf(lot, lastPrice),
  };
}

/** Returns the result of the open part of a lot at a price, after the fees paid. @param {Lot} lot @param {Fraction} price */
export function openResultOf({ side, open, opened, cost }, price) {
  const gain = price.times(open).minus(cost.times(open).over(opened));
  return side === 'BUY' ? gain : ZERO.minus(gain);
}
