import type { Pool } from 'pg';
import { DataSource, type DataSourceOptions, type MixedList } from 'typeorm';
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
  /** The server cancels statements that run for longer than this. Default: 15,000; 0 for no limit. */
  readonly statementTimeoutMs?: number;
  /** The server cancels statements that wait for a lock for longer than this. Default: only the statement timeout. */
  readonly lockTimeoutMs?: number;
  /** The server rolls back transactions that are idle for longer than this. Default: 12,000. */
  readonly idleTimeoutMs?: number;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** A stalled process must release its locks before another process replaces it. */
const IDLE_TIMEOUT_MS = 12_000;

/**
 * Creates a data source without connecting; `initialize()` connects. Only migrations change the schema. No
 * extension is needed, because this package generates ids (`newUuid`).
 */
export function createDataSource(options: PersistenceOptions): DataSource {
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
      types: TYPE_PARSERS,
      // The isolation level of every transaction, regardless of the server's default; see inTransaction.
      options: '-c default_transaction_isolation=read\\ committed',
      statement_timeout: options.statementTimeoutMs ?? 15_000,
      ...(options.lockTimeoutMs === undefined ? {} : { lock_timeout: options.lockTimeoutMs }),
      idle_in_transaction_session_timeout: options.idleTimeoutMs ?? IDLE_TIMEOUT_MS,
    },
  });
}

/** Returns the driver's pool of an initialized data source, for statements outside of transactions. */
export function poolOf(dataSource: DataSource): Pool {
  const { master } = dataSource.driver as unknown as { readonly master: Pool | undefined };
  if (master === undefined) throw new Error('The data source is not initialized. Call initialize() first.');
  return master;
}
