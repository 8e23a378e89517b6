/**
 * Books new fills into lots, closes trades whose lots are all closed, and appends the resulting signals.
 *
 * 1. The stored lots equal a replay of all fills in order of execution. A late fill rewinds the book to its own
 *    instant, and all fills from that instant on are booked again.
 * 2. A book changes only under its lock and in the transaction that stores the fills. Lots, closed trades, signals and
 *    events are committed with the fills or not at all.
 * 3. `trade.closed` is emitted once per trade. If a late fill reopens the trade or changes its profit or loss, only
 *    the record and its version change.
 * 4. Funding and interest since the first new fill are booked again, because they belong to the lots of their time.
 * 5. Fills that were stored by a release without lots are booked before the first new fill. They emit no signals and no
 *    events, because users already know them.
 */
import type { TradeStatus } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import { appendSignals, loadEmittedLots, type NewSignal } from '../../strategies/index.js';
import { emitTradesClosed, markClosedTrades } from '../close-trades.js';
import { isTerminal } from '../trade.rules.js';
import {
  type BookedLotBook,
  backfillBook,
  bookAndStoreFills,
  lotBookKey,
  tradesWithClosedLots,
} from './book-fills.js';
import { rebookFunding } from './book-funding.js';
import { emitSignals } from './lot-signals.rules.js';
import {
  ensureAndLockBooks,
  type FillPosition,
  type LotBookKey,
  openLotsOfBooks,
  readBooks,
  readLeaderTrades,
  rewindBooks,
  type StoredLotBook,
  unbookedFills,
} from './lots.queries.js';
import { mergeSignals } from './merge-signals.rules.js';

export type { LotBookKey } from './lots.queries.js';

/** A trade that was just written, and its fills that were just stored. */
export interface TradeToBook {
  readonly trade: LotBookKey & { readonly id: string; readonly status: TradeStatus };
  readonly newFills: readonly FillPosition[];
}

/**
 * Locks books in the order of their keys and creates missing ones. Two rules exclude deadlocks. A transaction that
 * stores fills, or ends trades that have fills, locks the books before the trades. A transaction that locks several
 * trades without their books locks open trades only, in the order of their ids.
 */
export async function lockBooks(tx: Tx, keys: readonly LotBookKey[]): Promise<void> {
  if (keys.length > 0) await ensureAndLockBooks(tx, keys);
}

/** Books the new fills of the trades. The caller holds the locks of the books (`lockBooks`) and of the trades. */
export async function bookTrades(tx: Tx, changes: readonly TradeToBook[]): Promise<void> {
  if (changes.length === 0) return;
  const firstByBook = firstFills(changes);
  const books = await readBooks(tx, [...firstByBook.values()]);
  const filled = books.filter((book) => firstByBook.get(lotBookKey(book))!.first !== null);
  const late = filled.filter(({ isLate }) => isLate);
  const openBeforeRewind = new Set((await openLotsOfBooks(tx, late)).map(({ tradeId }) => tradeId));
  const rewoundTrades = await rewindLateBooks(tx, late, firstByBook);
  for (const book of filled.filter(({ hasUnbookedFills }) => hasUnbookedFills))
    await backfillBook(tx, book, { before: firstByBook.get(lotBookKey(book))!.first });
  const booksWithStart = filled.map((book) => ({
    ...book,
    since: firstByBook.get(lotBookKey(book))!.first!.executedAt,
  }));
  const booked =
    booksWithStart.length === 0
      ? []
      : await bookAndStoreFills(tx, filled, await unbookedFills(tx, booksWithStart));
  await rebookFunding(tx, booksWithStart);
  const newFillIds = new Set(changes.flatMap(({ newFills }) => newFills.map(({ id }) => id)));
  const signals = await signalsFor(tx, booked, {
    newFillIds,
    openBeforeRewind,
    rewoundTrades,
  });
  const closed = await markClosedTrades(tx, [
    ...rewoundTrades,
    ...tradesWithClosedLots(booked),
    ...endedBy(changes, booked),
  ]);
  await appendSignals(tx, signals);
  await emitTradesClosed(tx, closed);
}

/**
 * Books stored fills of a book again, because their values changed, and with them all later fills of the book. Amounts are
 * the same as before, so no signal is emitted. Fills that were not booked yet are booked later. The caller holds the lock
 * of the book.
 */
export async function rebookFills(tx: Tx, key: LotBookKey, fills: readonly FillPosition[]): Promise<void> {
  const first = fills.reduce<FillPosition | null>(
    (least, fill) => (least === null || isBefore(fill, least) ? fill : least),
    null,
  );
  if (first === null) return;
  const books = (await readBooks(tx, [{ ...key, first }])).filter(({ isLate }) => isLate);
  if (books.length === 0) return;
  const since = { ...key, since: first.executedAt };
  const rewound = await rewindBooks(tx, [{ ...key, at: first.executedAt }]);
  const booked = await bookAndStoreFills(tx, books, await unbookedFills(tx, [since]));
  await rebookFunding(
    tx,
    books.map((book) => ({ ...book, ...since })),
  );
  await emitTradesClosed(tx, await markClosedTrades(tx, [...rewound, ...tradesWithClosedLots(booked)]));
}

type FirstFill = LotBookKey & { readonly first: FillPosition | null };

/** Returns the earliest new fill of each book. */
function firstFills(changes: readonly TradeToBook[]): ReadonlyMap<string, FirstFill> {
  const firstByBook = new Map<string, FirstFill>();
  for (const { trade, newFills } of changes) {
    const { exchangeAccountId, tradePairId } = trade;
    const known = firstByBook.get(lotBookKey(trade))?.first ?? null;
    const first = [...newFills, ...(known === null ? [] : [known])].reduce<FillPosition | null>(
      (least, { id, executedAt }) =>
        least === null || isBefore({ id, executedAt }, least) ? { id, executedAt } : least,
      null,
    );
    firstByBook.set(lotBookKey(trade), { exchangeAccountId, tradePairId, first });
  }
  return firstByBook;
}

function isBefore(a: FillPosition, b: FillPosition): boolean {
  const differenceMs = a.executedAt.getTime() - b.executedAt.getTime();
  return differenceMs < 0 || (differenceMs === 0 && a.id < b.id);
}

/** Rewinds each book to its first new fill and returns the trades whose lots changed. */
async function rewindLateBooks(
  tx: Tx,
  late: readonly StoredLotBook[],
  firstByBook: ReadonlyMap<string, FirstFill>,
): Promise<readonly string[]> {
  if (late.length === 0) return [];
  return rewindBooks(
    tx,
    late.map((book) => ({ ...book, at: firstByBook.get(lotBookKey(book))!.first!.executedAt })),
  );
}

interface BookingContext {
  readonly newFillIds: ReadonlySet<string>;
  /** Trades that had open lots before late fills rewound their books. */
  readonly openBeforeRewind: ReadonlySet<string>;
  /** Trades whose lots a late fill changed. */
  readonly rewoundTrades: readonly string[];
}

async function signalsFor(
  tx: Tx,
  booked: readonly BookedLotBook[],
  { newFillIds, openBeforeRewind, rewoundTrades }: BookingContext,
): Promise<readonly NewSignal[]> {
  const ids = new Set(rewoundTrades);
  for (const { opened, changed } of booked) {
    for (const { strategyId, copierId, tradeId } of [...opened, ...changed])
      if (strategyId !== null && copierId === null) ids.add(tradeId);
  }
  if (ids.size === 0) return [];
  const leaders = await readLeaderTrades(tx, [...ids]);
  const emittedLots = await loadEmittedLots(
    tx,
    leaders.map(({ id }) => id),
  );
  const signals = booked.flatMap(({ book, bookedFills, openBefore }) => {
    const trades = new Map(
      leaders.filter((trade) => lotBookKey(trade) === lotBookKey(book)).map((trade) => [trade.id, trade]),
    );
    const mayEmitEarlierEntries = book.isLate && !book.hasUnbookedFills;
    const emitted = emitSignals({
      bookedFills,
      newFillIds,
      openBefore,
      trades,
      emittedLots,
      openBeforeRewind: mayEmitEarlierEntries ? openBeforeRewind : null,
    });
    return mergeSignals(emitted, book.priceTick);
  });
  return signals.toSorted((a, b) => a.signalAt.getTime() - b.signalAt.getTime());
}

/** Returns ended trades whose lots may all be closed: no lot that the booked fills opened for them is still open. */
function endedBy(changes: readonly TradeToBook[], booked: readonly BookedLotBook[]): readonly string[] {
  const stillOpen = new Set(
    booked.flatMap(({ opened }) => opened.filter((lot) => lot.openAmount > 0n).map((lot) => lot.tradeId)),
  );
  return changes
    .filter(({ trade: { id, status } }) => isTerminal(status) && !stillOpen.has(id))
    .map(({ trade: { id } }) => id);
}
