import { readdirSync, readFileSync } from 'node:fs';
import { createTestDatabase, type TestDatabase } from '@trading-automation/persistence/testing';
import { migrate } from '../database/index.js';

const MIGRATIONS = new URL('../database/migrations/', import.meta.url);

/** An empty database of this release's schema, for one test file. */
export function createCoreDatabase(): Promise<TestDatabase> {
  const texts = readdirSync(MIGRATIONS)
    .filter((name) => /\.[jt]s$/.test(name))
    .sort()
    .map((name) => readFileSync(new URL(name, MIGRATIONS), 'utf8'));
  return createTestDatabase({ schema: texts, migrate: async (url) => void (await migrate(url)) });
}
