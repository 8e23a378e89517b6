import { inTransaction } from '@trading-automation/persistence';
import type { Platform } from '../../platform/index.js';
import { backfillBook } from './book-fills.js';
import { booksToBackfill, ensureAndLockBooks, readBooks } from './lots.queries.js';

/** Books read per query. */
const BOOK_BATCH_SIZE = 50;

/**
 * Backfills the fills of releases that kept no lots, one part of a book per transaction, until none is left. Several
 * processes may run it concurrently; a process that stores a new fill backfills that book first.
 *
 * @param signal stops the backfill after the current part
 * @returns the number of books that are complete now
 */
export async function backfillLots({ database }: Platform, signal?: AbortSignal): Promise<number> {
  let count = 0;
  for (;;) {
    const keys = await inTransaction(database, (tx) => booksToBackfill(tx, BOOK_BATCH_SIZE));
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
