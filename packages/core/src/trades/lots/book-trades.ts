/**
 * Keeps the lots of all accounts as their fills have them, the trades that they close, and the signals that follow.
 *
 * 1. What is kept is what a replay of all fills from nothing comes to, in the order of execution. A fill that comes
 *    late takes the book back to its instant, and all fills from there on are booked again.
 * 2. A book is changed under its lock alone, and in the transaction that stores the fills: lots, closed trades,
 *    signals and events stand together with them, or not at all.
 * 3. `trade.closed` is told once of a trade, also where a late fill opens it again or changes what it came to: then
 *    the record changes, and its version.
 * 4. Fills of a release that kept no lots are booked before the first new one, without signals and events: they are
 *    no news.
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

/** A trade as it was just written, and the fills that were just stored of it. */
export interface TradeToBook {
  readonly trade: LotBookKey & { readonly id: string; readonly status: TradeStatus };
  readonly newFills: readonly FillPosition[];
}

/**
 * Locks the books, in the order of their keys, and makes those that are not there. Whoever stores fills, or ends
 * trades that have some, locks the books first and the trades after them; whoever locks several trades without their
 * books takes open ones alone, by id. Then no two wait for each other.
 */
export async function lockBooks(tx: Tx, keys: readonly LotBookKey[]): Promise<void> {
  if (keys.length > 0) await ensureAndLockBooks(tx, keys);
}

/** Books what was just written. The caller holds the books (`lockBooks`) and the trades. */
export async function bookTrades(tx: Tx, changes: readonly TradeToBook[]): Promise<void> {
  if (changes.length === 0) return;
  const firsts = firstFills(changes);
  const books = await readBooks(tx, [...firsts.values()]);
  const filled = books.filter((book) => firsts.get(lotBookKey(book))!.first !== null);
  const late = filled.filter(({ isLate }) => isLate);
  const heldBefore = new Set((await openLotsOfBooks(tx, late)).map(({ tradeId }) => tradeId));
  const moved = await rewindLateBooks(tx, late, firsts);
  for (const book of filled.filter(({ isBehind }) => isBehind))
    await backfillBook(tx, book, firsts.get(lotBookKey(book))!.first);
  const due = filled.map((book) => ({ ...book, since: firsts.get(lotBookKey(book))!.first!.executedAt }));
  const booked = due.length === 0 ? [] : await bookAndStoreFills(tx, filled, await unbookedFills(tx, due));
  const newFillIds = new Set(changes.flatMap(({ newFills }) => newFills.map(({ id }) => id)));
  const signals = await signalsFor(tx, booked, {
    newFillIds,
    openBeforeRewind: heldBefore,
    rewoundTrades: moved,
  });
  const closed = await markClosedTrades(tx, [
    ...moved,
    ...tradesWithClosedLots(booked),
    ...endedBy(changes, booked),
  ]);
  await appendSignals(tx, signals);
  await emitTradesClosed(tx, closed);
}

type First = LotBookKey & { readonly first: FillPosition | null };

/** Of each book the first of its new fills. */
function firstFills(changes: readonly TradeToBook[]): ReadonlyMap<string, First> {
  const firsts = new Map<string, First>();
  for (const { trade, newFills } of changes) {
    const { exchangeAccountId, tradePairId } = trade;
    const known = firsts.get(lotBookKey(trade))?.first ?? null;
    const first = [...newFills, ...(known === null ? [] : [known])].reduce<FillPosition | null>(
      (least, { id, executedAt }) =>
        least === null || isBefore({ id, executedAt }, least) ? { id, executedAt } : least,
      null,
    );
    firsts.set(lotBookKey(trade), { exchangeAccountId, tradePairId, first });
  }
  return firsts;
}

function isBefore(a: FillPosition, b: FillPosition): boolean {
  const gap = a.executedAt.getTime() - b.executedAt.getTime();
  return gap < 0 || (gap === 0 && a.id < b.id);
}

/** Takes books back to before their first new fill; answers with the trades whose lots that changed. */
async function rewindLateBooks(
  tx: Tx,
  late: readonly StoredLotBook[],
  firsts: ReadonlyMap<string, First>,
): Promise<readonly string[]> {
  if (late.length === 0) return [];
  return rewindBooks(
    tx,
    late.map((book) => ({ ...book, at: firsts.get(lotBookKey(book))!.first!.executedAt })),
  );
}

interface BookingContext {
  readonly newFillIds: ReadonlySet<string>;
  /** Trades that had open lots before late fills took their books back. */
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
  const told = await loadEmittedLots(
    tx,
    leaders.map(({ id }) => id),
  );
  const signals = booked.flatMap(({ book, bookedFills, openBefore }) => {
    const trades = new Map(
      leaders.filter((trade) => lotBookKey(trade) === lotBookKey(book)).map((trade) => [trade.id, trade]),
    );
    const isTakenBack = book.isLate && !book.isBehind;
    return emitSignals({
      bookedFills: bookedFills,
      newFillIds,
      openBefore: openBefore,
      trades,
      emittedLots: told,
      openBeforeRewind: isTakenBack ? openBeforeRewind : null,
    });
  });
  return mergeSignals(signals).toSorted((a, b) => a.signalAt.getTime() - b.signalAt.getTime());
}

/** Trades that have ended, and hold nothing that was opened just now: what they opened may be offset already. */
function endedBy(changes: readonly TradeToBook[], booked: readonly BookedLotBook[]): readonly string[] {
  const holding = new Set(
    booked.flatMap(({ opened }) => opened.filter((lot) => lot.openAmount > 0n).map((lot) => lot.tradeId)),
  );
  return changes
    .filter(({ trade: { id, status } }) => isTerminal(status) && !holding.has(id))
    .map(({ trade: { id } }) => id);
}
