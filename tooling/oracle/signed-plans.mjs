import { exact, ONE, ZERO } from './fraction.mjs';
import { LotBook } from './lots.mjs';
import { Margin } from './margins.mjs';
import { isPerpetual } from './markets.mjs';

/**
 * What the plans know of accounts on perpetuals: their lots in the order in which decisions are compared, and their margins.
 *
 * @typedef {import('./fraction.mjs').Fraction} Fraction
 * @typedef {import('./participants.mjs').Copier} Copier
 */

/** The leverage of an account on the paper exchange that nothing has changed. */
const LEVERAGE = exact('20');

/** @param {'BUY' | 'SELL'} side */
export const oppositeOf = (side) => (side === 'BUY' ? 'SELL' : 'BUY');

export class SignedPlans {
  /**
   * @param {readonly Copier[]} copiers
   * @param {import('./equities.mjs').Equities} equities
   * @param {(symbol: string) => import('./entries.mjs').Pair} pairOf
   */
  constructor(copiers, equities, pairOf) {
    this.copiers = copiers;
    this.equities = equities;
    this.pairOf = pairOf;
    /** @type {Map<string, LotBook>} by account and symbol */
    this.books = new Map();
    /** @type {Map<string, { equity: Fraction, available: Fraction, maintenance: Fraction }>} by account, at the start of a step */
    this.margins = new Map();
    /** @type {Map<string, Fraction>} by symbol */
    this.marks = new Map();
  }

  /** @param {string} accountId @param {string} symbol */
  book(accountId, symbol) {
    const key = `${accountId} ${symbol}`;
    const found = this.books.get(key) ?? new LotBook(this.pairOf(symbol));
    this.books.set(key, found);
    return found;
  }

  /**
   * Applies a fill to the lots of its account, and to what its copiers hold.
   *
   * @param {string} accountId
   * @param {import('./lots.mjs').Fill & { symbol: string }} fill
   * @param {ReadonlyMap<string, import('./entries.mjs').CopiedLot>} copiedLots by copier and lot of the leader
   */
  apply(accountId, fill, copiedLots) {
    const book = this.book(accountId, fill.symbol);
    book.book(fill);
    const onAccount = this.copiers.filter(({ account }) => account.id === accountId).map(({ id }) => id);
    for (const [key, lot] of copiedLots) {
      const [copierId = '', lotId = ''] = key.split(' ');
      if (!onAccount.includes(copierId) || lot.symbol !== fill.symbol) continue;
      Object.assign(lot, book.listOf(copierId, lotId));
      if (lot.held.isZero) lot.rest = ZERO;
    }
  }

  /** After a step, the lots are those of the order of execution. @param {string} accountId @param {ReadonlyMap<string, LotBook>} books */
  align(accountId, books) {
    for (const [key, book] of books) {
      if (!key.startsWith(`${accountId} `) || !book.isSigned) continue;
      const copy = new LotBook(book.pair);
      copy.lots = book.lots.map((lot) => ({ ...lot, original: lot }));
      this.books.set(key, copy);
    }
  }

  /** What is free for new orders. @param {string} accountId */
  availableOf(accountId) {
    return this.margins.get(accountId)?.available ?? ZERO;
  }

  /**
   * Returns the side of an entry and, on perpetuals, what the margin of its account demands.
   *
   * @param {Copier} copier
   * @param {{ symbol: string, side: 'BUY' | 'SELL' }} signal
   */
  termsOf({ account }, { symbol, side }) {
    const known = this.margins.get(account.id);
    if (!isPerpetual(symbol) || known === undefined) return { side };
    const positions = [...this.marks].map(([each, mark]) => ({
      symbol: each,
      net: this.book(account.id, each).net,
      mark,
    }));
    const mark = this.marks.get(symbol) ?? ONE;
    return { side, margin: new Margin({ ...known, symbol, side, positions, mark, leverage: LEVERAGE }) };
  }

  /**
   * `max_leverage` may be computed from any equity of the last 60 s.
   *
   * @template {{ margin?: Margin | undefined }} Entry
   * @param {Entry} entry
   * @param {Copier} copier
   * @returns {Entry[]}
   */
  withOtherEquities(entry, { account }) {
    const { margin } = entry;
    if (margin === undefined) return [];
    const { low, high } = this.equities.range(account.id);
    return [low, high].map((equity) => ({ ...entry, margin: margin.withEquity(equity) }));
  }
}
