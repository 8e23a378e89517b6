import type { Pool } from 'pg';
import { DataSource, type DataSourceOptions, type MixedList } from 'typeorm';
import { boundedClientClass } from './bounded-client.js';
import { TYPE_PARSERS } from './instants.js';

/** Another name of `DataSource`, for code that only passes a data source to this package. */
export type Database = DataSource;

export interface PersistenceOptions {
  /** `postgres://user:password@host:port/database` */
  readonly url: string;
  readonly entities: NonNullable<DataSourceOptions['entities']>;
  readonly migrations: MixedList<new () => object>;
  /** Maximum number of connections of this process. Default: 10. */
  readonly poolSize?: number;
  /** Postgres shows this name for each connection, so that an operator can identify the process. */
  readonly applicationName: string;
  /**
   * The server cancels statements that run for longer than this. Default: 6,000; 0 for no limit. `inTransaction` can set
   * a longer limit for one transaction.
   */
  readonly statementTimeoutMs?: number;
  /**
   * A connection whose server does not respond to a query within this time is closed. Default: a second more than the
   * statement timeout. Required if statements have no timeout.
   */
  readonly responseLimitMs?: number;
  /** The server cancels statements that wait for a lock for longer than this. Default: only the statement timeout. */
  readonly lockTimeoutMs?: number;
  /** The server rolls back transactions that are idle for longer than this. Default: 12,000. */
  readonly idleTimeoutMs?: number;
}

/** Also limits how long a query waits for a connection of a pool whose connections are all in use. */
const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 6_000;
/** The server cancels a slow statement first: its connection then remains usable. */
const RESPONSE_MARGIN_MS = 1_000;
/** A backend keeps some memory for every table and statement that it used, until its connection closes. */
const CONNECTION_LIFETIME_SECONDS = 900;
/** A stalled process must release its locks before another process replaces it. */
const IDLE_TIMEOUT_MS = 12_000;

/**
 * Creates a data source without connecting; `initialize()` connects. Only migrations change the schema. No
 * extension is needed, because this package generates ids (`newUuid`).
 */
export function createDataSource(options: PersistenceOptions): DataSource {
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options;
  const responseLimitMs = options.responseLimitMs ?? responseLimitOf(statementTimeoutMs);
  return new DataSource({
    type: 'postgres',
    url: options.url,
    entities: options.entities,
    migrations: options.migrations as NonNullable<DataSourceOptions['migrations']>,
    migrationsTransactionMode: 'each',
    synchronize: false,
    installExtensions: false,
    // Logs of queries and parameters could expose confidential data. The caller receives failures as errors.
    logging: false,
    poolSize: options.poolSize ?? 10,
    applicationName: options.applicationName,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    // Ignores failures of idle connections, which the pool replaces. If Postgres is unavailable, the next query throws.
    poolErrorHandler: () => undefined,
    extra: {
      keepAlive: true,
      Client: boundedClientClass(responseLimitMs),
      // Processes that started together do not replace their connections together.
      maxLifetimeSeconds: Math.round(CONNECTION_LIFETIME_SECONDS * (1 + Math.random() / 2)),
      types: TYPE_PARSERS,
      // The isolation level of every transaction, regardless of the server's default; see inTransaction. Compiling
      // statements would cost each backend tens of megabytes, and pays only for statements that run for seconds.
      options: '-c default_transaction_isolation=read\\ committed -c jit=off',
      statement_timeout: statementTimeoutMs,
      ...(options.lockTimeoutMs === undefined ? {} : { lock_timeout: options.lockTimeoutMs }),
      idle_in_transaction_session_timeout: options.idleTimeoutMs ?? IDLE_TIMEOUT_MS,
    },
  });
}

/**
 * Returns how long a connection waits for the response to a statement that the server cancels after `statementTimeoutMs`.
 *
 * @throws {RangeError} if the server never cancels it
 */
export function responseLimitOf(statementTimeoutMs: number): number {
  if (!(statementTimeoutMs > 0))
    throw new RangeError('Without a statement timeout, responseLimitMs must be set.');
  return statementTimeoutMs + RESPONSE_MARGIN_MS;
}

/** Returns the driver's pool of an initialized data source, for statements outside of transactions. */
export function poolOf(dataSource: DataSource): Pool {
  const { master } = dataSource.driver as unknown as { readonly master: Pool | undefined };
  if (master === undefined) throw new Error('The data source is not initialized. Call initialize() first.');
  return master;
}
