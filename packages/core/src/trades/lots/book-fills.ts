import type { Tx } from '@trading-automation/persistence';
import { markClosedTrades } from '../close-trades.js';
import { type BookingResult, bookFills, type FillToBook, type StoredLot } from './booking.rules.js';
import {
  advanceBooks,
  type FillPosition,
  insertClosures,
  insertLots,
  type LotBookKey,
  markBackfilled,
  nextUnbookedFills,
  openLotsOfBooks,
  type StoredLotBook,
  updateLots,
} from './lots.queries.js';

/** What was just put into a book. */
export interface BookedLotBook extends BookingResult {
  readonly book: StoredLotBook;
  /** Its open lots before. */
  readonly openBefore: readonly StoredLot[];
}

export const lotBookKey = ({ exchangeAccountId, tradePairId }: LotBookKey) =>
  `${exchangeAccountId}/${tradePairId}`;

function byBook<Row extends LotBookKey>(rows: readonly Row[]): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(lotBookKey(row));
    if (group === undefined) groups.set(lotBookKey(row), [row]);
    else group.push(row);
  }
  return groups;
}

/** Puts fills into their books, and writes what they come to. All fills come after those that the books have. */
export async function bookAndStoreFills(
  tx: Tx,
  books: readonly StoredLotBook[],
  fills: readonly FillToBook[],
): Promise<readonly BookedLotBook[]> {
  const fillsOf = byBook(fills);
  const touched = books.filter((book) => fillsOf.has(lotBookKey(book)));
  const isHeldNeeded = (book: StoredLotBook) => book.isLate || fillsOf.get(lotBookKey(book))!.some(canClose);
  const heldOf = byBook(await openLotsOfBooks(tx, touched.filter(isHeldNeeded)));
  const booked = touched.map((book) => {
    const openBefore = heldOf.get(lotBookKey(book)) ?? [];
    return { book, openBefore, ...bookFills(book, openBefore, fillsOf.get(lotBookKey(book))!) };
  });
  await insertLots(
    tx,
    booked.flatMap(({ opened }) => opened),
  );
  await updateLots(
    tx,
    booked.flatMap(({ changed }) => changed),
  );
  await insertClosures(
    tx,
    booked.flatMap(({ closures }) => closures),
  );
  await advanceBooks(
    tx,
    touched.map((book) => ({ ...book, last: fillsOf.get(lotBookKey(book))!.at(-1)! })),
  );
  return booked;
}

/**
 * Whether what is held has to be known to book the fill. A purchase on spot closes nothing; one of a strategy adds to
 * a lot that is told of as a whole.
 */
const canClose = ({ tradingType, side, strategyId }: FillToBook) =>
  tradingType !== 'spot' || side === 'SELL' || strategyId !== null;

/** The trades of which the last lot may have been closed. */
export function tradesWithClosedLots(booked: readonly BookingResult[]): readonly string[] {
  const ended = booked.flatMap(({ opened, changed }) =>
    [...opened, ...changed].filter(({ openAmount }) => openAmount === 0n).map(({ tradeId }) => tradeId),
  );
  return [...new Set(ended)];
}

/** Fills that are read and booked at once. */
const PART = 5_000;

/**
 * Books the next fills of an earlier release, without a word to anybody; those before a position alone, if one is
 * given. The caller holds the book.
 *
 * @param partCount - how many parts at most
 * @returns whether none is left
 */
export async function backfillBook(
  tx: Tx,
  book: StoredLotBook,
  before: FillPosition | null,
  partCount = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  for (let part = 0; part < partCount; part++) {
    const fills = await nextUnbookedFills(tx, book, before, PART);
    if (fills.length > 0)
      await markClosedTrades(tx, tradesWithClosedLots(await bookAndStoreFills(tx, [book], fills)));
    if (fills.length < PART) {
      await markBackfilled(tx, book);
      return true;
    }
  }
  return false;
}
