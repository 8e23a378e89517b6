import { least, ZERO } from './fraction.mjs';

/**
 * What a copier holds of one lot of its leader.
 *
 * @typedef {import('./fraction.mjs').Fraction} Fraction
 * @typedef {import('./entries.mjs').CopiedLot} CopiedLot
 */

/** @param {string} copierId @param {string} symbol @param {any} settings @param {'BUY' | 'SELL'} [side] of the entries @returns {CopiedLot} */
export function newCopiedLot(copierId, symbol, settings, side = 'BUY') {
  const amounts = { sent: ZERO, forgone: ZERO, skipped: ZERO, rest: ZERO, held: ZERO, cost: ZERO };
  return { ...amounts, copierId, symbol, settings, side, ratio: undefined, earlier: [] };
}

/** @param {CopiedLot | undefined} lot @param {import('./lots.mjs').Fill} fill @param {string} base */
export function enter(lot, fill, base) {
  if (lot === undefined) return;
  const isFeeInBase = fill.fee.currency === base;
  lot.held = lot.held.plus(isFeeInBase ? fill.amount.minus(fill.fee.amount) : fill.amount);
  const cost = fill.price.times(fill.amount);
  lot.cost = lot.cost.plus(isFeeInBase ? cost : cost.plus(fill.fee.value));
}

/** Reduces lots, oldest first. A rest below a step is closed with its lot. @param {readonly CopiedLot[]} lots @param {Fraction} amount @param {Fraction} step */
export function reduce(lots, amount, step) {
  let left = amount;
  for (const lot of lots) {
    if (!left.isPositive || !lot.held.isPositive) continue;
    const sold = least(lot.held, left);
    left = left.minus(sold);
    const kept = lot.held.minus(sold).isBelow(step) ? ZERO : lot.held.minus(sold);
    lot.cost = lot.cost.times(kept).over(lot.held);
    lot.held = kept;
  }
}
