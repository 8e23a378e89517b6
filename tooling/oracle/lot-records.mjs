import { numberDifferences, textDifferences } from './compare.mjs';
import { exact, sum, ZERO } from './fraction.mjs';
import { lotFigures } from './lots.mjs';

/**
 * Compares the lots of GET /v1/lots with those of the oracle.
 *
 * @typedef {import('./lots.mjs').Lot} Lot
 * @typedef {import('./compare.mjs').Difference} Difference
 */

/**
 * @param {readonly any[]} records all lots of the account, as the API shows them
 * @param {{
 *   books: readonly import('./lots.mjs').LotBook[], priceOf: (book: import('./lots.mjs').LotBook) => import('./fraction.mjs').Fraction,
 *   strategyIdOf: (lot: Lot) => string | undefined, fundingOf?: (lot: Lot) => import('./fraction.mjs').Fraction,
 * }} account
 * @returns {Difference[]}
 */
export function compareLots(records, { books, priceOf, strategyIdOf, fundingOf = () => ZERO }) {
  const expected = books.flatMap((book) => book.lots.map((lot) => ({ book, lot })));
  if (records.length !== expected.length) {
    const known = records.map(keyOfRecord);
    const demanded = expected.map(({ book, lot }) => keyOfLot(book, lot));
    return [
      { field: 'number of lots', product: records.length, oracle: expected.length },
      { field: 'lots of one side', product: without(known, demanded), oracle: without(demanded, known) },
    ];
  }
  const sortedRecords = records.toSorted(byKey(keyOfRecord));
  return expected.toSorted(byKey(({ book, lot }) => keyOfLot(book, lot))).flatMap(({ book, lot }, index) => {
    const record = sortedRecords[index];
    const isOpen = lot.open.isPositive;
    return [
      ...textDifferences(record, {
        trade_id: lot.tradeId,
        copier_id: lot.copierId,
        strategy_id: strategyIdOf(lot),
        source_trade_id: lot.sourceTradeId,
        side: lot.side,
        status: isOpen ? 'OPEN' : 'CLOSED',
        is_detached: lot.isDetached,
        fees_incomplete: false,
        opened_at: new Date(lot.at).toISOString(),
        closed_at: closedAtOf(book, lot),
      }),
      ...numberDifferences(record, { ...lotFigures(book, lot, priceOf(book)), funding: fundingOf(lot) }),
    ].map((difference) => ({ ...difference, field: `lot ${record.id} ${difference.field}` }));
  });
}

/** Returns when the last part of a lot was closed; undefined while it is open. @param {import('./lots.mjs').LotBook} book @param {Lot} lot */
function closedAtOf({ closures }, lot) {
  const last = closures.findLast((closure) => closure.lot === lot);
  return lot.open.isPositive || last === undefined ? undefined : new Date(last.fill.at).toISOString();
}

/** Fills of one trade may have the same time, price and amount. Then their lots differ by what closed them, and when. */
const keyOfLot = (/** @type {import('./lots.mjs').LotBook} */ book, /** @type {Lot} */ lot) => {
  const pnl = sum(book.closures.filter((closure) => closure.lot === lot).map((closure) => closure.pnl));
  const { tradeId, at, price, opened, open } = lot;
  return [tradeId, at, price, opened, open, rounded(pnl), closedAtOf(book, lot)].join(' ');
};

/** @param {any} record */
const keyOfRecord = ({
  trade_id,
  opened_at,
  entry_price,
  amount,
  remaining_amount,
  realized_pnl,
  closed_at,
}) =>
  [
    trade_id,
    Date.parse(opened_at),
    exact(entry_price),
    exact(amount),
    exact(remaining_amount),
    rounded(exact(realized_pnl)),
    closed_at,
  ].join(' ');

/** @param {readonly string[]} keys @param {readonly string[]} others */
const without = (keys, others) => keys.filter((key) => !others.includes(key));

/** Much more than the product's rounding, and less than two such lots differ by. */
const STEP = exact('0.000000000001');

/** @param {import('./fraction.mjs').Fraction} value */
const rounded = (value) => value.plus(STEP.over(exact('2'))).floorTo(STEP);

/**
 * @template T
 * @param {(item: T) => string} key
 * @returns {(a: T, b: T) => number}
 */
const byKey = (key) => (a, b) => (key(a) < key(b) ? -1 : Number(key(b) < key(a)));
