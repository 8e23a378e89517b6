import { inTransaction } from '@trading-automation/persistence';
import type { Platform } from '../../platform/index.js';
import { backfillBook } from './book-fills.js';
import { booksToBackfill, ensureAndLockBooks, readBooks } from './lots.queries.js';

/** How many books are looked up at once. */
const BOOKS = 50;

/**
 * Books the fills of releases that kept no lots, a part of a book in a transaction each, until none is left. Several
 * processes may do it at once; whoever stores a new fill meanwhile does it for that book.
 *
 * @param signal - ends it after the part that is under way
 * @returns how many books were caught up with
 */
export async function backfillLots({ database }: Platform, signal?: AbortSignal): Promise<number> {
  let count = 0;
  for (;;) {
    const keys = await inTransaction(database, (tx) => booksToBackfill(tx, BOOKS));
    if (keys.length === 0) return count;
    for (const key of keys) {
      for (let isDone = false; !isDone; ) {
        if (signal?.aborted) return count;
        isDone = await inTransaction(database, async (tx) => {
          await ensureAndLockBooks(tx, [key]);
          const [book] = await readBooks(tx, [{ ...key, first: null }]);
          return !book!.isBehind || backfillBook(tx, book!, null, 1);
        });
      }
      count += 1;
    }
  }
}
