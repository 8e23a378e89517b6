/**
 * Runs explicit transactions: every call site shows whether it starts or joins one.
 *
 * 1. `inTransaction` returns only after the server confirmed COMMIT. A COMMIT that the server turns into a rollback
 *    (because the work swallowed an SQL error) is an error, never a success.
 * 2. After a serialization failure or a deadlock the work runs again in a new transaction. It must have no effects
 *    outside of the database and keep no state between runs.
 * 3. A lost connection throws `DatabaseUnavailable` and is not retried here. Without the response to COMMIT, the caller
 *    must read the data to learn whether the work was committed.
 * 4. Any other error of the work is rethrown unchanged, after a rollback.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Backoff, backoffMs } from '@trading-automation/runtime/backoff';
import type { QueryResult } from 'pg';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import type { BoundedClient } from './bounded-client.js';
import { responseLimitOf } from './data-source.js';
import { DatabaseUnavailable, isConnectionLost, isFromDatabase, isRetryable } from './errors.js';

/** A running transaction. A function that takes it as first parameter joins it and does not end it. */
export type Tx = EntityManager;

export interface TransactionOptions {
  /** Default: `READ COMMITTED`. */
  readonly isolation?: 'READ COMMITTED' | 'REPEATABLE READ' | 'SERIALIZABLE';
  /** Maximum number of runs of the work. Default: 5. */
  readonly attempts?: number;
  /**
   * The server cancels a statement of this transaction that runs for longer than this. Default: the timeout of the data
   * source. Only for background work whose statements are slow: a request must be answered within 10 s.
   */
  readonly statementTimeoutMs?: number;
}

/** Full jitter, so that two transactions that conflicted do not retry at the same time. */
const CONFLICT_BACKOFF: Backoff = { firstMs: 20, maxMs: 500, jitter: 1 };

/**
 * Runs `work` in a new transaction and commits it.
 *
 * @throws {DatabaseUnavailable} if the connection fails or is lost
 */
export async function inTransaction<T>(
  dataSource: DataSource,
  work: (tx: Tx) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const { attempts = 5 } = options;
  for (let attempt = 1; ; attempt++) {
    try {
      return await runOnce(dataSource, work, options);
    } catch (error) {
      if (!isRetryable(error) || attempt >= attempts) throw error;
      await sleep(backoffMs(CONFLICT_BACKOFF, attempt));
    }
  }
}

async function runOnce<T>(
  dataSource: DataSource,
  work: (tx: Tx) => Promise<T>,
  { isolation = 'READ COMMITTED', statementTimeoutMs }: TransactionOptions,
): Promise<T> {
  const runner = dataSource.createQueryRunner();
  let phase: 'begin' | 'work' | 'commit' = 'begin';
  let restoreTimeout = () => {};
  try {
    // READ COMMITTED is the default of the connection (data-source.ts); setting it again costs a round trip.
    await runner.startTransaction(isolation === 'READ COMMITTED' ? undefined : isolation);
    if (statementTimeoutMs !== undefined)
      restoreTimeout = await setStatementTimeout(runner, statementTimeoutMs);
    phase = 'work';
    const result = await work(runner.manager);
    // If the connection was lost during the work, the server rolled back. The work may have ignored the error.
    if (runner.isReleased)
      throw new DatabaseUnavailable('not_committed', new Error('The connection was lost before COMMIT.'));
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
    restoreTimeout();
    await runner.release();
  }
}

/** Sets the timeout of this transaction. Returns a function that restores the connection's response limit. */
async function setStatementTimeout(runner: QueryRunner, timeoutMs: number): Promise<() => void> {
  const responseLimitMs = responseLimitOf(timeoutMs);
  await runner.query(`SET LOCAL statement_timeout = ${Math.round(timeoutMs)}`);
  const connection = (await runner.connect()) as BoundedClient;
  connection.setResponseLimit(responseLimitMs);
  return () => connection.setResponseLimit(undefined);
}

/** Commits. TypeORM's own commit drops the command tag, which alone shows that a COMMIT became a rollback. */
async function commit(runner: QueryRunner): Promise<void> {
  if (runner.isReleased)
    throw new DatabaseUnavailable('not_committed', new Error('The connection was lost before COMMIT.'));
  const connection = (await runner.connect()) as { query(text: string): Promise<QueryResult> };
  const { command } = await connection.query('COMMIT');
  if (command !== 'COMMIT') {
    throw new Error(
      'The transaction was rolled back at COMMIT, because its work continued after a failed statement.',
    );
  }
}

/**
 * Closes a lost connection. If the server shuts down, its error arrives before the connection ends. Without `end()`,
 * the pool would therefore give the lost connection to the next caller. The pool drops a connection after `end()`.
 */
async function discard(runner: QueryRunner): Promise<void> {
  if (runner.isReleased) return;
  const connection = await runner.connect().catch(() => undefined);
  connection?.end().catch(() => undefined);
}

/** Rolls back. Ignores a lost connection: the server then rolls back anyway, and the caller throws the first error. */
async function rollback(runner: QueryRunner): Promise<void> {
  if (runner.isReleased) return;
  try {
    const connection = (await runner.connect()) as { query(text: string): Promise<QueryResult> };
    await connection.query('ROLLBACK');
  } catch (error) {
    if (!isConnectionLost(error)) throw error;
  }
}
