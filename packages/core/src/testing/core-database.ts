import { readdirSync, readFileSync } from 'node:fs';
import type { World } from '@trading-automation/contracts';
import { createTestDatabase, type TestDatabase } from '@trading-automation/persistence/testing';
import { migrate } from '../database/index.js';

const MIGRATIONS = new URL('../database/migrations/', import.meta.url);

/** Creates an empty database with this release's schema, for one test file. @param world default: `test` */
export function createCoreDatabase(world: World = 'test'): Promise<TestDatabase> {
  const migrations = readdirSync(MIGRATIONS)
    .filter((name) => /\.[jt]s$/.test(name))
    .sort()
    .map((name) => readFileSync(new URL(name, MIGRATIONS), 'utf8'));
  return createTestDatabase({
    schema: [world, ...migrations],
    migrate: async (url) => void (await migrate(url, world)),
  });
}
