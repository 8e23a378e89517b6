/**
 * Transactions, visible at every call site.
 *
 * 1. `inTransaction` returns only once the server has confirmed COMMIT. A COMMIT that the server answers with a
 *    rollback (the work swallowed an SQL error) is an error, never a success.
 * 2. Serialization failures and deadlocks run the work again, in a new transaction: the work must have no effect
 *    outside the database, and must not keep state between runs.
 * 3. A lost connection is `DatabaseUnavailable`, never run again here: after a COMMIT whose answer did not
 *    arrive, nobody knows without looking whether the work stands.
 * 4. Any other error of the work leaves as it is, after a rollback.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryResult } from 'pg';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { DatabaseUnavailable, isConnectionLost, isFromDatabase, isRetryable } from './errors.js';

/** A running transaction. Whoever takes it as first parameter takes part in it and does not end it. */
export type Tx = EntityManager;

export interface TransactionOptions {
  /** `READ COMMITTED` unless given. */
  readonly isolation?: 'READ COMMITTED' | 'REPEATABLE READ' | 'SERIALIZABLE';
  /** How often the work is run at most; 5 unless given. */
  readonly attempts?: number;
}

const BACKOFF_FIRST_MS = 10;
const BACKOFF_MAX_MS = 500;

/**
 * Runs `work` in a transaction of its own and commits it.
 *
 * @throws {DatabaseUnavailable} where the connection could not be made or was lost
 */
export async function inTransaction<T>(
  dataSource: DataSource,
  work: (tx: Tx) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const { isolation = 'READ COMMITTED', attempts = 5 } = options;
  for (let attempt = 1; ; attempt++) {
    try {
      return await runOnce(dataSource, work, isolation);
    } catch (error) {
      if (!isRetryable(error) || attempt >= attempts) throw error;
      await sleep(backoffMs(attempt));
    }
  }
}

async function runOnce<T>(
  dataSource: DataSource,
  work: (tx: Tx) => Promise<T>,
  isolation: NonNullable<TransactionOptions['isolation']>,
): Promise<T> {
  const runner = dataSource.createQueryRunner();
  let phase: 'begin' | 'work' | 'commit' = 'begin';
  try {
    // Connections begin with it (data-source.ts); said again, it would cost a round trip.
    await runner.startTransaction(isolation === 'READ COMMITTED' ? undefined : isolation);
    phase = 'work';
    const result = await work(runner.manager);
    // A connection lost by now took the work with it, even where the work did not notice.
    if (runner.isReleased)
      throw new DatabaseUnavailable('not_committed', new Error('connection lost before COMMIT'));
    phase = 'commit';
    await commit(runner);
    return result;
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error;
    if (isConnectionLost(error) && (phase !== 'work' || isFromDatabase(error))) {
      await discard(runner);
      throw new DatabaseUnavailable(phase === 'commit' ? 'unknown' : 'not_committed', error);
    }
    await rollback(runner);
    throw error;
  } finally {
    await runner.release();
  }
}

/** TypeORM's own commit drops the command tag, the only sign of a COMMIT that was a rollback. */
async function commit(runner: QueryRunner): Promise<void> {
  if (runner.isReleased)
    throw new DatabaseUnavailable('not_committed', new Error('connection lost before COMMIT'));
  const connection = (await runner.connect()) as { query(text: string): Promise<QueryResult> };
  const { command } = await connection.query('COMMIT');
  if (command !== 'COMMIT') {
    throw new Error('the transaction was rolled back at COMMIT: its work went on after a failed statement');
  }
}

/**
 * The server's farewell arrives before the end of the connection: released as it is, a dying connection would be
 * handed to the next caller. The pool drops one whose end has begun.
 */
async function discard(runner: QueryRunner): Promise<void> {
  if (runner.isReleased) return;
  const connection = await runner.connect().catch(() => undefined);
  connection?.end().catch(() => undefined);
}

/** The first error is the one to tell; a rollback that fails means that the connection is gone, and the work with it. */
async function rollback(runner: QueryRunner): Promise<void> {
  if (runner.isReleased) return;
  try {
    const connection = (await runner.connect()) as { query(text: string): Promise<QueryResult> };
    await connection.query('ROLLBACK');
  } catch (error) {
    if (!isConnectionLost(error)) throw error;
  }
}

/** Full jitter: two transactions that met once shall not meet again. */
function backoffMs(attempt: number): number {
  return Math.random() * Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** attempt);
}
