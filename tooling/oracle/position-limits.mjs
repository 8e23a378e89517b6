import { exact, greatest, ZERO } from './fraction.mjs';

/**
 * The largest position that the exchange allows at a leverage. It publishes tiers of notionals; each has a greatest leverage. An
 * order that could make a position larger than the limit is rejected.
 *
 * @typedef {import('./fraction.mjs').Fraction} Fraction
 * @typedef {{ initialLeverage: number, notionalCap: number }} Tier as the exchange publishes it
 */
export class PositionLimits {
  constructor() {
    /** @type {Map<string, readonly Tier[]>} by symbol */
    this.tiers = new Map();
  }

  /** @param {string} symbol @param {readonly Tier[]} tiers */
  set(symbol, tiers) {
    this.tiers.set(symbol, tiers);
  }

  /**
   * Returns whether an order can be larger than the limit allows. The size of the position counts at mark price, the order at its
   * limit price. An order that makes a position no larger is always allowed.
   *
   * @param {{ symbol: string, leverage: Fraction, net: Fraction, mark: Fraction, side: 'BUY' | 'SELL', amount: Fraction, price: Fraction }} order
   *   `net`: the position before it; negative if it is short
   */
  isExceeded({ symbol, leverage, net, mark, side, amount, price }) {
    const allowed = (this.tiers.get(symbol) ?? [])
      .filter(({ initialLeverage }) => !exact(String(initialLeverage)).isBelow(leverage))
      .map(({ notionalCap }) => exact(String(notionalCap)));
    if (allowed.length === 0) return false;
    const before = net.times(mark);
    const value = amount.times(price);
    const after = (side === 'BUY' ? before.plus(value) : before.minus(value)).absolute;
    return before.absolute.isBelow(after) && greatest(ZERO, ...allowed).isBelow(after);
  }
}
