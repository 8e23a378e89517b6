import { inTransaction } from '@trading-automation/persistence';
import type { Platform } from '../../platform/index.js';
import { backfillBook } from './book-fills.js';
import { booksToBackfill, ensureAndLockBooks, readBooks } from './lots.queries.js';

/** The number of books that one query reads. */
const BOOK_BATCH_SIZE = 50;

/**
 * Books the fills of releases that kept no lots, one part of a book per transaction, until all books are complete.
 * Several processes may run it concurrently. A process that stores a new fill backfills the fill's book first.
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
          return !book!.hasUnbookedFills || backfillBook(tx, book!, { maxParts: 1 });
        });
      }
      count += 1;
    }
  }
}
