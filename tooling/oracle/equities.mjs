import { exact, greatest, least, ZERO } from './fraction.mjs';

/**
 * The equities of the accounts over time. Rule 6 lets the product use an equity of up to 60 s before the leader's order, so
 * its ratio is right if it lies within what the equities of that time allow.
 *
 * @typedef {import('./fraction.mjs').Fraction} Fraction
 */

const AGE_MAX_MS = 65_000;
/** Trades move the last price between two records by one or two levels of the book. */
const SPREAD = exact('0.001');

export class Equities {
  constructor() {
    /** @type {{ accountId: string, at: number, equity: Fraction, spread: Fraction }[]} */
    this.points = [];
    /** @type {Map<string, { low: Fraction, high: Fraction }>} the bounds of all equities so far, by account */
    this.bounds = new Map();
  }

  /**
   * @param {string} accountId
   * @param {Fraction} equity
   * @param {{ notional: Fraction, drift: Fraction }} [positions] `notional`: their value, which may be a multiple of the equity;
   *   `drift`: by how much the equity changes if the product knows only the mark prices of some seconds ago
   */
  record(accountId, equity, { notional, drift } = { notional: ZERO, drift: ZERO }) {
    const at = Date.now();
    const spread = equity.plus(notional).times(SPREAD).plus(drift);
    this.points.push({ accountId, at, equity, spread });
    const { low, high } = this.bounds.get(accountId) ?? { low: equity, high: equity };
    this.bounds.set(accountId, { low: least(low, equity), high: greatest(high, equity) });
    if (this.points.length > 20_000) this.points = this.points.filter((point) => at - point.at < AGE_MAX_MS);
  }

  /** Returns the least and the greatest equity of the last 60 s, and the newest. @param {string} accountId */
  range(accountId) {
    const now = Date.now();
    const own = this.points.filter((point) => point.accountId === accountId);
    const newest = own.at(-1) ?? { equity: exact('1'), spread: SPREAD, at: now };
    const known = [newest, ...own.filter(({ at }) => now - at <= AGE_MAX_MS)];
    return {
      low: least(...known.map((point) => point.equity.minus(point.spread))),
      high: greatest(...known.map((point) => point.equity.plus(point.spread))),
      newest: newest.equity,
    };
  }

  /**
   * Returns the equities that explain the ratio that the product shows, if they are possible; otherwise the newest.
   *
   * @param {{
   *   copier: import('./participants.mjs').Copier, sizing: { mode: string, value: string, capital?: string },
   *   ratio: string | undefined,
   * }} input
   */
  of({ copier, sizing, ratio }) {
    const leader = this.range(copier.strategy.account.id);
    const range = this.range(copier.account.id);
    const capital = sizing.capital === undefined ? undefined : exact(sizing.capital);
    const own = capital === undefined ? range : { low: capital, high: capital, newest: capital };
    const newest = { copier: own.newest, leader: leader.newest };
    if (sizing.mode !== 'EQUITY_RATIO' || ratio === undefined || exact(ratio).isZero) return newest;
    const quotient = exact(ratio).over(exact(sizing.value));
    // Multiplied, because old mark prices of a large position may give an equity below zero.
    const isPossible =
      !quotient.times(leader.high).isBelow(own.low) && !own.high.isBelow(quotient.times(leader.low));
    return isPossible ? { copier: own.newest, leader: own.newest.over(quotient) } : newest;
  }
}
