import type { Pool } from 'pg';
import { DataSource, type DataSourceOptions, type MixedList } from 'typeorm';
import { TYPE_PARSERS } from './instants.js';

/** A database that is connected to, for those who only hand it on. */
export type Database = DataSource;

export interface PersistenceOptions {
  /** `postgres://user:password@host:port/database` */
  readonly url: string;
  readonly entities: NonNullable<DataSourceOptions['entities']>;
  readonly migrations: MixedList<new () => object>;
  /** The most connections this process holds; 10 unless given. */
  readonly poolSize?: number;
  /** Shown by Postgres beside each connection, so that an operator sees whose it is. */
  readonly applicationName: string;
  /** A statement that runs longer is cancelled by the server; 15,000 unless given, 0 for never. */
  readonly statementTimeoutMs?: number;
  /** A statement that waits longer for a lock is cancelled; bounded by the above alone unless given. */
  readonly lockTimeoutMs?: number;
  /** A transaction in which nothing happens for longer is undone by the server; 12,000 unless given. */
  readonly idleTimeoutMs?: number;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** A process that stands still must not hold its locks for longer than others take to replace it. */
const IDLE_TIMEOUT_MS = 12_000;

/**
 * The one way to a database. It does not connect: `initialize()` does. The schema is changed by migrations alone,
 * ids are made by us (`newUuid`), so no extension is asked of the server.
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
    // A query's text and parameters may hold what no log may show; failures reach the caller as errors.
    logging: false,
    poolSize: options.poolSize ?? 10,
    applicationName: options.applicationName,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    // An idle connection that dies is replaced by the pool; whoever queries next learns whether the server is there.
    poolErrorHandler: () => undefined,
    extra: {
      keepAlive: true,
      types: TYPE_PARSERS,
      // What transactions begin with, whatever the server's default is; see inTransaction.
      options: '-c default_transaction_isolation=read\\ committed',
      statement_timeout: options.statementTimeoutMs ?? 15_000,
      ...(options.lockTimeoutMs === undefined ? {} : { lock_timeout: options.lockTimeoutMs }),
      idle_in_transaction_session_timeout: options.idleTimeoutMs ?? IDLE_TIMEOUT_MS,
    },
  });
}

/** The driver's pool under an initialised data source, for statements outside any transaction. */
export function poolOf(dataSource: DataSource): Pool {
  const { master } = dataSource.driver as unknown as { readonly master: Pool | undefined };
  if (master === undefined) throw new Error('the data source is not initialised');
  return master;
}
