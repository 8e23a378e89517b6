import { Client } from 'pg';
import { MECHANISM_SCHEMA_SQL } from '../mechanism-schema.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';

/** A test database with this package's own tables and, after them, what `more` makes. */
export function createMechanismDatabase(...more: string[]): Promise<TestDatabase> {
  const schema = [...MECHANISM_SCHEMA_SQL, ...more];
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
