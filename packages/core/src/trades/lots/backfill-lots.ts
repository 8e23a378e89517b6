import { inTransaction } from '@trading-automation/persistence';
import type { Platform } from '../../platform/index.js';
import { backfillBook } from './book-fills.js';
import { booksToBackfill, ensureAndLockBooks, readBooks } from './lots.queries.js';

/** The number of books that one query reads. */
const BOOK_BATCH_SIZE = 50;

/**
 * Books the fills that were stored by releases without lots, until all books are complete. Each transaction books at
 * most 5000 fills of one book. Several processes may run this concurrently. A process that stores a new fill backfills
 * the fill's book first.
 *
 * @param abortSignal stops the backfill after the current transaction
 * @returns the number of books that this call completed
 */
export async function backfillLots({ database }: Platform, abortSignal?: AbortSignal): Promise<number> {
  let completed = 0;
  for (;;) {
    const keys = await inTransaction(database, (tx) => booksToBackfill(tx, BOOK_BATCH_SIZE));
    if (keys.length === 0) return completed;
    for (const key of keys) {
      for (let isDone = false; !isDone; ) {
        if (abortSignal?.aborted) return completed;
        isDone = await inTransaction(database, async (tx) => {
          await ensureAndLockBooks(tx, [key]);
          const [book] = await readBooks(tx, [{ ...key, first: null }]);
          return !book!.hasUnbookedFills || backfillBook(tx, book!, { maxBatches: 1 });
        });
      }
      completed += 1;
    }
  }
}
