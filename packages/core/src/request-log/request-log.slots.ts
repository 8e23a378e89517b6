/**
 * The partitions of the request log. Each day's rows are in one of ten partitions, which are used in turn. On each day,
 * the partition of the day after tomorrow is cleared: its rows are 8 days old, and are not listed any more. No process
 * writes into it yet, even if its clock is a day fast.
 */
import { type Database, inTransaction } from '@trading-automation/persistence';

const SLOTS = 10;
const DAY_MS = 86_400_000;
/** A reader holds a partition for at most the time of a statement. Later calls try again. */
const LOCK_TIMEOUT_MS = 1_000;

/** Returns the partition of an instant. */
export const slotOf = (at: Date): number => Math.floor(at.getTime() / DAY_MS) % SLOTS;

/** Deletes the requests that are no longer listed. Returns whether there were any. */
export async function clearOldRequests(database: Database, now = new Date()): Promise<boolean> {
  const partition = `request_log_${slotOf(new Date(now.getTime() + 2 * DAY_MS))}`;
  const [{ has_rows }] = await database.query(`SELECT EXISTS (SELECT FROM ${partition}) AS has_rows`);
  if (has_rows)
    await inTransaction(database, async (tx) => {
      await tx.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
      await tx.query(`TRUNCATE ${partition}`);
    });
  return has_rows;
}
