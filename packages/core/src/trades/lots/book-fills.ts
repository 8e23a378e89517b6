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

/** The result of booking fills into a lot book. */
export interface BookedLotBook extends BookingResult {
  readonly book: StoredLotBook;
  /** The open lots before the fills were booked. */
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

/**
 * Books fills and writes the results. All fills must be later than the booked fills of their books, so the caller first
 * rewinds the books whose new fills are late.
 */
export async function bookAndStoreFills(
  tx: Tx,
  books: readonly StoredLotBook[],
  fills: readonly FillToBook[],
): Promise<readonly BookedLotBook[]> {
  const fillsOf = byBook(fills);
  const booksWithFills = books.filter((book) => fillsOf.has(lotBookKey(book)));
  const bookNeedsOpenLots = (book: StoredLotBook) =>
    book.isLate || fillsOf.get(lotBookKey(book))!.some(needsOpenLots);
  const openLotsOf = byBook(await openLotsOfBooks(tx, booksWithFills.filter(bookNeedsOpenLots)));
  const booked = booksWithFills.map((book) => {
    const openBefore = openLotsOf.get(lotBookKey(book)) ?? [];
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
    booksWithFills.map((book) => ({ ...book, last: fillsOf.get(lotBookKey(book))!.at(-1)! })),
  );
  return booked;
}

/**
 * Whether booking the fill needs the open lots. A spot purchase closes no lot, so it needs none. A strategy's purchase
 * is the exception: its signal reports the open amount of its whole trade, including the lots of earlier fills.
 */
const needsOpenLots = ({ tradingType, side, strategyId }: FillToBook) =>
  tradingType !== 'spot' || side === 'SELL' || strategyId !== null;

/** Returns the trades that opened the closed lots. A trade may still have other lots that are open. */
export function tradesWithClosedLots(booked: readonly BookingResult[]): readonly string[] {
  const tradeIds = booked.flatMap(({ opened, changed }) =>
    [...opened, ...changed].filter(({ openAmount }) => openAmount === 0n).map(({ tradeId }) => tradeId),
  );
  return [...new Set(tradeIds)];
}

/** The size of a batch: the maximum number of fills that are read and booked at once. */
const BATCH_SIZE = 5_000;

interface BackfillOptions {
  readonly before?: FillPosition | null;
  readonly maxBatches?: number;
}

/**
 * Backfills the next fills of a book, without events or signals. The caller holds the lock of the book.
 *
 * @param before books only fills before this position, if set
 * @param maxBatches the maximum number of batches to book, of 5,000 fills each
 * @returns whether the book is complete
 */
export async function backfillBook(
  tx: Tx,
  book: StoredLotBook,
  { before = null, maxBatches = Number.POSITIVE_INFINITY }: BackfillOptions,
): Promise<boolean> {
  for (let batch = 0; batch < maxBatches; batch++) {
    const fills = await nextUnbookedFills(tx, book, before, BATCH_SIZE);
    if (fills.length > 0)
      await markClosedTrades(tx, tradesWithClosedLots(await bookAndStoreFills(tx, [book], fills)));
    if (fills.length < BATCH_SIZE) {
      await markBackfilled(tx, book);
      return true;
    }
  }
  return false;
}
