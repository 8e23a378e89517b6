import type { Tx } from '@trading-automation/persistence';
import { settleClosings } from '../trade-closings.service.js';
import { type Booked, bookFills, type FillToBook, type StoredLot } from './booking.rules.js';
import {
  type BookKey,
  type FillPosition,
  insertClosures,
  insertLots,
  type KeptBook,
  lessenLots,
  markCaughtUp,
  moveBooks,
  nextUnbookedFills,
  openLotsOfBooks,
} from './lots.queries.js';

/** What was just put into a book. */
export interface BookedNow extends Booked {
  readonly book: KeptBook;
  /** Its open lots before. */
  readonly held: readonly StoredLot[];
}

export const keyOf = ({ exchangeAccountId, tradePairId }: BookKey) => `${exchangeAccountId}/${tradePairId}`;

function byBook<Row extends BookKey>(rows: readonly Row[]): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group === undefined) groups.set(keyOf(row), [row]);
    else group.push(row);
  }
  return groups;
}

/** Puts fills into their books, and writes what they come to. All fills come after those that the books have. */
export async function bookInto(
  tx: Tx,
  books: readonly KeptBook[],
  fills: readonly FillToBook[],
): Promise<readonly BookedNow[]> {
  const fillsOf = byBook(fills);
  const touched = books.filter((book) => fillsOf.has(keyOf(book)));
  const isHeldNeeded = (book: KeptBook) => book.isLate || fillsOf.get(keyOf(book))!.some(canClose);
  const heldOf = byBook(await openLotsOfBooks(tx, touched.filter(isHeldNeeded)));
  const booked = touched.map((book) => {
    const held = heldOf.get(keyOf(book)) ?? [];
    return { book, held, ...bookFills(book, held, fillsOf.get(keyOf(book))!) };
  });
  await insertLots(
    tx,
    booked.flatMap(({ opened }) => opened),
  );
  await lessenLots(
    tx,
    booked.flatMap(({ changed }) => changed),
  );
  await insertClosures(
    tx,
    booked.flatMap(({ closures }) => closures),
  );
  await moveBooks(
    tx,
    touched.map((book) => ({ ...book, last: fillsOf.get(keyOf(book))!.at(-1)! })),
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
export function offsetTradesOf(booked: readonly Booked[]): readonly string[] {
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
export async function catchUp(
  tx: Tx,
  book: KeptBook,
  before: FillPosition | null,
  partCount = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  for (let part = 0; part < partCount; part++) {
    const fills = await nextUnbookedFills(tx, book, before, PART);
    if (fills.length > 0) await settleClosings(tx, offsetTradesOf(await bookInto(tx, [book], fills)));
    if (fills.length < PART) {
      await markCaughtUp(tx, book);
      return true;
    }
  }
  return false;
}
