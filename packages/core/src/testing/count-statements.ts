import type { EventEmitter } from 'node:events';
import type { Database } from '@trading-automation/persistence';

interface Connection {
  query(...args: unknown[]): unknown;
}

/** Returns the number of statements that `work` sends over connections acquired from the pool. */
export async function countStatements(database: Database, work: () => Promise<unknown>): Promise<number> {
  let sent = 0;
  const { master: pool } = database.driver as unknown as { readonly master: EventEmitter };
  const originalQueries = new Map<Connection, Connection['query']>();
  const watch = (connection: Connection) => {
    if (originalQueries.has(connection)) return;
    const { query } = connection;
    originalQueries.set(connection, query);
    connection.query = (...args) => {
      sent += 1;
      return Reflect.apply(query, connection, args);
    };
  };
  pool.on('acquire', watch);
  try {
    await work();
  } finally {
    pool.off('acquire', watch);
    for (const [connection, query] of originalQueries) connection.query = query;
  }
  return sent;
}
