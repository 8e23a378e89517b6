import { sum, ZERO } from './fraction.mjs';

/**
 * The signals of a strategy, derived from the fills of its account: rules 1, 2, 4, 5 and 26 of docs/trading/rules.md. Fills of
 * one order may be reported together, so a signal covers one or more consecutive changes of one lot.
 *
 * @typedef {import('./fraction.mjs').Fraction} Fraction
 * @typedef {import('./lots.mjs').Fill} Fill
 *
 * @typedef {{
 *   isEntry: boolean, side: 'BUY' | 'SELL', lotId: string, sourceTradeId: string, symbol: string, amount: Fraction, price: Fraction, tick: Fraction,
 *   before: Fraction, isFinal: boolean, at: number,
 * }} Change `side`: of the leader's fill; `lotId`: the trade that opened the lot; `before`: the open amount of the lot before; `isFinal`: the lot is closed
 *
 * @typedef {Change & { kind: string, cumulative: Fraction }} Signal `cumulative`: what the order had filled in all
 */
export class SignalSource {
  /** @param {string} strategyId */
  constructor(strategyId) {
    this.strategyId = strategyId;
    /** @type {Change[]} changes that no signal has covered yet */
    this.pending = [];
    /** @type {Map<string, Fraction>} the filled amount of each order that the signals so far covered */
    this.covered = new Map();
  }

  /**
   * Books a fill of the leader's account and remembers what it changed.
   *
   * @param {import('./lots.mjs').LotBook} book
   * @param {Fill & { symbol: string }} fill
   */
  book(book, fill) {
    const openBefore = new Map(book.lots.map(({ tradeId }) => [tradeId, book.openAmountOf([tradeId])]));
    const closures = book.book(fill);
    const { tradeId: sourceTradeId, symbol, price, at, side } = fill;
    const common = { sourceTradeId, symbol, price, tick: book.pair.tick, at, side };
    const ofStrategy = closures.filter(({ lot }) => lot.owner === this.strategyId);
    for (const lotId of new Set(ofStrategy.map(({ lot }) => lot.tradeId))) {
      const amount = sum(
        ofStrategy.filter(({ lot }) => lot.tradeId === lotId).map((closure) => closure.amount),
      );
      const before = openBefore.get(lotId) ?? ZERO;
      const isFinal = book.openAmountOf([lotId]).isZero;
      this.pending.push({ ...common, isEntry: false, lotId, amount, before, isFinal });
    }
    // Rule 5: a reversal closes lots first, and only the rest opens a lot.
    const amount = book.isSigned
      ? fill.amount.minus(sum(closures.map((closure) => closure.amount)))
      : side === 'BUY'
        ? fill.amount
        : ZERO;
    if (!amount.isPositive || fill.owner !== this.strategyId) return;
    this.pending.push({
      ...common,
      isEntry: true,
      lotId: fill.tradeId,
      amount,
      before: ZERO,
      isFinal: false,
    });
  }

  /**
   * Takes the changes that the product's next signal covers.
   *
   * @param {{ kind: string, sourceTradeId: string, upTo?: Fraction | undefined }} actual `upTo`: for an entry, what the order had
   *   filled in all; for an exit, the amount that this signal closes. Without it, the signal covers all changes of its kind.
   * @returns {Signal | undefined} undefined if no change explains it
   */
  take({ kind, sourceTradeId, upTo }) {
    const first = this.pending.find((change) => change.sourceTradeId === sourceTradeId);
    if (first === undefined) return undefined;
    /** @type {Change[]} */
    const taken = [];
    const isNew = first.isEntry && !this.covered.has(first.lotId);
    let total = first.isEntry ? (this.covered.get(first.lotId) ?? ZERO) : ZERO;
    for (const change of this.pending) {
      if (change.sourceTradeId !== sourceTradeId || change.lotId !== first.lotId) continue;
      if (upTo !== undefined && !total.isBelow(upTo)) break;
      if (!first.isEntry && kind === 'REDUCE' && change.isFinal) break;
      taken.push(change);
      total = total.plus(change.amount);
    }
    this.pending = this.pending.filter((change) => !taken.includes(change));
    const last = taken.at(-1) ?? first;
    if (first.isEntry) this.covered.set(first.lotId, total);
    const amount = sum(taken.map((change) => change.amount));
    return {
      ...first,
      amount,
      price: priceOf(taken),
      isFinal: last.isFinal,
      at: last.at,
      kind: first.isEntry ? (isNew ? 'OPEN' : 'INCREASE') : last.isFinal ? 'CLOSE' : 'REDUCE',
      cumulative: total,
    };
  }
}

/** Rule 1: the average price of several fills, rounded to the tick. @param {readonly Change[]} changes at least one */
function priceOf(changes) {
  const [first] = changes;
  if (first === undefined || changes.length === 1) return first?.price ?? ZERO;
  const value = sum(changes.map(({ price, amount }) => price.times(amount)));
  return value.over(sum(changes.map(({ amount }) => amount))).roundTo(first.tick);
}
