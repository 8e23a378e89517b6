import { exact, greatest, least, ONE, ZERO } from './fraction.mjs';
import { LotBook } from './lots.mjs';
import { Margin } from './margins.mjs';
import { isPerpetual } from './markets.mjs';
import { PositionLimits } from './position-limits.mjs';

/**
 * What the plans know of accounts on perpetuals: their lots in the order in which decisions are compared, and their margins.
 *
 * @typedef {import('./fraction.mjs').Fraction} Fraction
 * @typedef {import('./participants.mjs').Copier} Copier
 * @typedef {{ equity: Fraction, available: Fraction, maintenance: Fraction, nets: ReadonlyMap<string, Fraction> }} ReportedMargin
 *   `nets`: by symbol
 */

/** The leverage of an account on the paper exchange that nothing has changed. */
const LEVERAGE = exact('20');

/** The product reads the mark prices of positions every 30 s, and when a position is opened. */
const MARK_AGE_MAX_MS = 45_000;
/** The distance of two levels of the driver's book. */
const LEVEL = exact('0.0002');

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
    /** @type {Map<string, ReportedMargin>} by account, at the start of a step */
    this.margins = new Map();
    /** @type {Map<string, Fraction>} by symbol */
    this.marks = new Map();
    /** @type {Map<string, number>} when an account was last seen without positions */
    this.flatAt = new Map();
    /** @type {{ symbol: string, mark: Fraction, until: number }[]} the earlier ones, and until when each was the mark price */
    this.formerMarks = [];
    /** @type {Map<string, Fraction>} by account and symbol */
    this.leverages = new Map();
    this.limits = new PositionLimits();
  }

  /** @param {string} symbol @param {Fraction} mark */
  setMark(symbol, mark) {
    const former = this.marks.get(symbol);
    if (former !== undefined) this.formerMarks.push({ symbol, mark: former, until: Date.now() });
    if (this.formerMarks.length > 2_000) this.formerMarks.splice(0, 1_000);
    this.marks.set(symbol, mark);
  }

  /** Returns the least and the greatest mark price that the product may know of a pair. @param {string} symbol */
  marksOf(symbol) {
    const recent = this.formerMarks.filter(
      (former) => former.symbol === symbol && Date.now() - former.until <= MARK_AGE_MAX_MS,
    );
    const known = [this.marks.get(symbol) ?? ONE, ...recent.map(({ mark }) => mark)];
    return { low: least(...known), high: greatest(...known) };
  }

  /** @param {string} accountId @param {string} symbol @param {Fraction} leverage */
  setLeverage(accountId, symbol, leverage) {
    this.leverages.set(`${accountId} ${symbol}`, leverage);
  }

  /** @param {string} accountId @param {string} symbol */
  leverageOf(accountId, symbol) {
    return this.leverages.get(`${accountId} ${symbol}`) ?? LEVERAGE;
  }

  /**
   * Returns whether the exchange rejects an entry because the position would be larger than its leverage allows. Other orders of the
   * step may be filled before it. Returns undefined if the result depends on them.
   *
   * @param {string} accountId
   * @param {{ symbol: string, side: 'BUY' | 'SELL', amount: Fraction, price: Fraction, nets: readonly Fraction[] }} order `nets`: the
   *   least and the greatest position that it may meet
   */
  isTooLarge(accountId, { nets, ...order }) {
    const leverage = this.leverageOf(accountId, order.symbol);
    const mark = this.marks.get(order.symbol) ?? ONE;
    const [first, ...others] = nets.map((net) => this.limits.isExceeded({ ...order, leverage, mark, net }));
    return others.every((each) => each === first) ? first : undefined;
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

  /**
   * What is free for an entry: what the exchange reported as available and, if copies closed lots of the pair since then, the
   * initial margin of these.
   *
   * @param {string} accountId
   * @param {string} symbol
   */
  availableOf(accountId, symbol) {
    const reported = this.margins.get(accountId);
    if (reported === undefined) return ZERO;
    const before = reported.nets.get(symbol) ?? ZERO;
    const closed = greatest(ZERO, before.absolute.minus(this.book(accountId, symbol).net.absolute));
    const mark = this.marks.get(symbol) ?? ONE;
    return reported.available.plus(closed.times(mark).over(this.leverageOf(accountId, symbol)));
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
    const leverage = this.leverageOf(account.id, symbol);
    return { side, margin: new Margin({ ...known, symbol, side, positions, mark, leverage }) };
  }

  /**
   * The leader's order may have taken a level of the book before the product reads it; the middle of the book is then the
   * leader's price.
   *
   * @template {{ margin?: Margin | undefined, mid: Fraction | undefined, reference: Fraction }} Entry
   * @param {Entry} entry
   * @returns {Entry[]}
   */
  afterOneLevel(entry) {
    const { margin, mid, reference } = entry;
    if (margin === undefined || mid === undefined) return [];
    const isNear = !mid.times(LEVEL).isBelow(reference.minus(mid).absolute);
    return isNear ? [{ ...entry, mid: reference }] : [];
  }

  /**
   * The product reads the margin of an account after its first position is opened, and every 30 s.
   *
   * @template {{ margin?: Margin | undefined }} Entry
   * @param {Entry} entry
   * @param {Copier} copier
   * @returns {Entry[]}
   */
  beforeMarginIsRead(entry, { account }) {
    const { margin } = entry;
    const flatAt = this.flatAt.get(account.id);
    const isRecent = flatAt !== undefined && Date.now() - flatAt <= MARK_AGE_MAX_MS;
    return margin !== undefined && isRecent ? [{ ...entry, margin: margin.with({ maintenance: ZERO }) }] : [];
  }

  /** @param {string} accountId @param {ReportedMargin} margin */
  setMargin(accountId, margin) {
    this.margins.set(accountId, margin);
    if (margin.maintenance.isZero) this.flatAt.set(accountId, Date.now());
  }

  /**
   * `max_leverage` may be computed from any equity of the last 60 s and from mark prices that are some seconds old. Without a
   * position in the pair, the product knows no mark price of it, and uses the middle of the book. Returns the entry with the
   * least and the greatest amount that this allows and, if the product's amount is between them, with that amount.
   *
   * @template {{ margin?: Margin | undefined, pair: { step: Fraction }, mid: Fraction | undefined }} Entry
   * @param {Entry} entry
   * @param {{ copier: Copier, limits: Record<string, any>, sent: Fraction }} of `sent`: what the product ordered
   * @returns {Entry[]}
   */
  withOtherAmounts(entry, { copier: { account }, limits, sent }) {
    const { margin, mid, pair } = entry;
    if (margin?.mostAmount(limits) === undefined) return [];
    const { symbol, positions, mark } = margin.account;
    const equities = this.equities.range(account.id);
    const marks = this.marksOf(symbol);
    const allowed = (/** @type {'low' | 'high'} */ bound) => {
      const isLow = bound === 'low';
      const own = isLow ? greatest(marks.high, mid ?? mark) : least(marks.low, mid ?? mark);
      const others = positions.map((each) => ({
        ...each,
        mark: this.marksOf(each.symbol)[isLow ? 'high' : 'low'],
      }));
      return margin.with({ equity: equities[bound], mark: own, positions: others });
    };
    const [low, high] = [allowed('low'), allowed('high')];
    const [leastAmount, most] = [low, high].map((each) => each.mostAmount(limits) ?? ZERO);
    const isPossible =
      leastAmount !== undefined &&
      most !== undefined &&
      !most.isBelow(sent) &&
      leastAmount.isBelow(sent.plus(pair.step));
    return [low, high, ...(isPossible ? [margin.allowing(sent)] : [])].map((each) => ({
      ...entry,
      margin: each,
    }));
  }
}
