import type { DataSource } from 'typeorm';
import { poolOf } from './data-source.js';
import { DatabaseUnavailable, isConnectionLost } from './errors.js';

export type AdvisoryLockOutcome<T> =
  | { readonly acquired: true; readonly value: T }
  | { readonly acquired: false };

/**
 * Runs `work` while this process alone, among all on this database, holds the lock called `name`; without a wait
 * where another holds it. It costs one connection of the pool for as long as the work runs.
 *
 * The lock is the connection's: when that is lost the lock is too, and another process may begin. `signal` is
 * aborted then, so work that must not overlap looks at it before each step; what must never happen twice is
 * guarded in its own transaction, not by this.
 *
 * @throws {DatabaseUnavailable} where the database can't be reached
 */
export async function withAdvisoryLock<T>(
  dataSource: DataSource,
  name: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<AdvisoryLockOutcome<T>> {
  const lost = new AbortController();
  const onLost = (error: Error) => lost.abort(error);
  const client = await unavailableOnLoss(poolOf(dataSource).connect());
  client.on('error', onLost);
  try {
    const lock = client.query('SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS acquired', [name]);
    const { rows } = await unavailableOnLoss(lock);
    if (!rows[0].acquired) return { acquired: false };
    try {
      return { acquired: true, value: await work(lost.signal) };
    } finally {
      // A failed unlock means a lost connection, which gave the lock up; the error would hide the work's own.
      const unlock = client.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [name]);
      await unlock.catch((error: Error) => lost.abort(error));
    }
  } finally {
    client.off('error', onLost);
    // A connection in doubt is closed, never pooled: it could still hold the lock.
    client.release(lost.signal.aborted);
  }
}

async function unavailableOnLoss<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (isConnectionLost(error)) throw new DatabaseUnavailable('not_committed', error);
    throw error;
  }
}
