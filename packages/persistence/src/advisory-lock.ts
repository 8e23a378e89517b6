import type { DataSource } from 'typeorm';
import { poolOf } from './data-source.js';
import { DatabaseUnavailable, isConnectionLost } from './errors.js';
import { queryPrepared } from './prepared.js';
import type { Tx } from './transaction.js';

export type AdvisoryLockOutcome<T> =
  | { readonly acquired: true; readonly value: T }
  | { readonly acquired: false };

/**
 * Runs `work` while holding the advisory lock `name`, which only one connection to this database can hold. Does not
 * wait: returns `acquired: false` if another connection holds the lock. Uses one pool connection while the work runs.
 *
 * The lock belongs to the connection. If the connection is lost, the lock is lost too: `signal` is aborted, and another
 * process may start. Work that must not overlap checks the signal before each step. Work that must not happen twice
 * must itself prevent that in its transaction, for example by a unique constraint.
 *
 * @throws {DatabaseUnavailable} if the database cannot be reached
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
      // If the unlock fails, the connection is lost and the lock is free. Throwing here would hide the error of `work`.
      const unlock = client.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [name]);
      await unlock.catch((error: Error) => lost.abort(error));
    }
  } finally {
    client.off('error', onLost);
    // Close the connection after an error instead of pooling it: it may still hold the lock.
    client.release(lost.signal.aborted);
  }
}

/**
 * Takes the advisory lock `name` until the transaction ends. Does not wait: returns false if another connection holds the
 * lock.
 */
export async function tryTransactionLock(tx: Tx, name: string): Promise<boolean> {
  const [row] = await queryPrepared<{ acquired: boolean }>(
    tx,
    'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS acquired',
    [name],
  );
  return row!.acquired;
}

async function unavailableOnLoss<T>(query: Promise<T>): Promise<T> {
  try {
    return await query;
  } catch (error) {
    if (isConnectionLost(error)) throw new DatabaseUnavailable('not_committed', error);
    throw error;
  }
}
