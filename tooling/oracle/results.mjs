import { exact, greatest, least, sum, ZERO } from './fraction.mjs';
import { openResultOf } from './lots.mjs';

/**
 * The results of one strategy or copier, and what the loss limits of a copier demand: rule 16 of docs/trading/rules.md.
 *
 * @typedef {import('./fraction.mjs').Fraction} Fraction
 * @typedef {import('./lots.mjs').LotBook} LotBook
 * @typedef {{ realized: Fraction, open: Fraction }} Result in quote currency, after fees
 */

const HUNDRED = exact('100');
const ROUNDED = exact('0.00000001');
/** A loss this close to its limit may count as either. A price or an equity of some seconds ago may have been used. */
const MARGIN = exact('0.05');

/**
 * @param {readonly LotBook[]} books the lots of the account
 * @param {string} owner the id of the strategy or copier
 * @param {(book: LotBook) => Fraction} priceOf the last price of a book's pair
 * @returns {Result}
 */
export function resultOf(books, owner, priceOf) {
  const closures = books.flatMap((book) => book.closures.filter(({ lot }) => lot.owner === owner));
  const open = books.flatMap((book) =>
    book.lots
      .filter((lot) => lot.owner === owner && lot.open.isPositive)
      .map((lot) => openResultOf(lot, priceOf(book))),
  );
  return { realized: sum(closures.map(({ pnl }) => pnl)), open: sum(open) };
}

/** Returns the value of the open lots. @param {readonly LotBook[]} books @param {string} owner @param {(book: LotBook) => Fraction} priceOf */
export function openValueOf(books, owner, priceOf) {
  return sum(
    books.flatMap((book) =>
      book.lots.filter((lot) => lot.owner === owner).map(({ open }) => open.times(priceOf(book))),
    ),
  );
}

/**
 * Compares the return and the drawdown of the only UTC day of a record. The day may begin with any equity of the day.
 *
 * @param {any} record
 * @param {Fraction} result
 * @param {{ low: Fraction, high: Fraction }} equity
 * @param {{ roi: string, percent: string }} names of the fields
 * @returns {import('./compare.mjs').Difference[]}
 */
export function oneDayDifferences(record, result, equity, names) {
  const of = (/** @type {string} */ field) =>
    field.split('.').reduce((part, name) => part?.[name], record) ?? null;
  // The equity without the result of the day is the capital with which the day began.
  const low = equity.low.times(exact('0.999')).minus(result.absolute);
  const high = equity.high.times(exact('1.001')).plus(result.absolute);
  const isWithin = (/** @type {string | null} */ value, /** @type {Fraction} */ amount) => {
    if (value === null) return false;
    const [a, b] = [amount.over(low), amount.over(high)];
    const number = exact(value);
    return !number.isBelow(least(a, b).minus(ROUNDED)) && !greatest(a, b).plus(ROUNDED).isBelow(number);
  };
  const fall = greatest(ZERO, ZERO.minus(result));
  const percent = of(names.percent);
  return [
    ...(isWithin(of(names.roi), result) ? [] : [names.roi]),
    ...((fall.isZero ? percent === null : isWithin(percent, fall.times(HUNDRED))) ? [] : [names.percent]),
  ].map((field) => ({ field, product: of(field), oracle: `of ${result}, with ${low} to ${high}` }));
}

/** Follows the result of a copier from its start, and says whether its loss limits stop it. */
export class LossLimits {
  /** @param {Fraction} equity of the account at the start */
  constructor(equity) {
    this.leastEquity = equity;
    this.greatestEquity = equity;
    this.peak = ZERO;
  }

  /**
   * Returns whether the limits stop the copier: `certain`, `possible` or `impossible`. A peak that lasted for less than the
   * product needs to notice it makes a stop possible, not certain.
   *
   * @param {{
   *   limits: Record<string, any>, capital: string | undefined, low: Fraction, total: Fraction, high: Fraction,
   *   equity: Fraction, isFirstDay: boolean,
   * }} input
   *   `total`: the result at the last prices; `low`, `high`: its bounds since the last check; `isFirstDay`: whether it is still
   *   the UTC day on which the copier started
   * @returns {{ daily: string, drawdown: string }}
   */
  check({ limits, capital, low, total, high, equity, isFirstDay }) {
    this.leastEquity = least(this.leastEquity, equity);
    this.greatestEquity = greatest(this.greatestEquity, equity);
    this.peak = greatest(this.peak, high);
    const { max_daily_loss_quote: daily, max_drawdown_percent: percent } = limits;
    const percentOf = (/** @type {Fraction} */ fall, /** @type {Fraction} */ of) =>
      fall.times(HUNDRED).over(capital === undefined ? of : least(of, exact(capital)));
    return {
      // On a later day, the result at 00:00 UTC is not known.
      daily:
        daily === undefined || isFirstDay ? judge(ZERO.minus(total), ZERO.minus(low), daily) : 'possible',
      drawdown: judge(
        percentOf(ZERO.minus(total), this.greatestEquity),
        percentOf(this.peak.minus(low), this.leastEquity),
        percent,
      ),
    };
  }
}

/**
 * @param {Fraction} low what is reached at least
 * @param {Fraction} high what may be reached
 * @param {string | undefined} limit
 */
function judge(low, high, limit) {
  if (limit === undefined) return 'impossible';
  const bound = exact(limit);
  if (!low.isBelow(bound.times(exact('1').plus(MARGIN)))) return 'certain';
  return high.isBelow(bound.times(exact('1').minus(MARGIN))) ? 'impossible' : 'possible';
}
