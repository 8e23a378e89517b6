import { readdirSync, readFileSync } from 'node:fs';
import { createTestDatabase, type TestDatabase } from '@trading-automation/persistence/testing';
import { migrate } from '../database/index.js';

const MIGRATIONS = new URL('../database/migrations/', import.meta.url);

/** Creates an empty database with this release's schema, for one test file. */
export function createCoreDatabase(): Promise<TestDatabase> {
  const migrations = readdirSync(MIGRATIONS)
    .filter((name) => /\.[jt]s$/.test(name))
    .sort()
    .map((name) => readFileSync(new URL(name, MIGRATIONS), 'utf8'));
  return createTestDatabase({ schema: migrations, migrate: async (url) => void (await migrate(url)) });
}
