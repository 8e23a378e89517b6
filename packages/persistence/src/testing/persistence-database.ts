import { Client } from 'pg';
import { OUTBOX_SHARES_SQL, PERSISTENCE_SCHEMA_SQL, PROCESS_CALL_SHARES_SQL } from '../persistence-schema.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';

/** Creates a test database with the tables of this package, then runs `statements` in it. */
export function createPersistenceDatabase(...statements: string[]): Promise<TestDatabase> {
  const schema = [...PERSISTENCE_SCHEMA_SQL, ...PROCESS_CALL_SHARES_SQL, ...OUTBOX_SHARES_SQL, ...statements];
  return createTestDatabase({
    schema,
    migrate: async (url) => {
      const client = new Client({ connectionString: url });
      await client.connect();
      for (const statement of schema) await client.query(statement);
      await client.end();
    },
  });
}
