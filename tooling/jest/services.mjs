import { startTestServers } from '../launch/test-servers.mjs';

/** Where `stop-services.mjs` finds what was begun here; Jest gives the two nothing else in common. */
export const startedServers = Symbol.for('trading-automation.test-servers');

/**
 * Jest's global set-up: a Postgres and a Redis for the whole run, unless somebody (`npm test`, or a developer
 * with servers of their own) gave their addresses already.
 */
export default async function startServices() {
  const { TEST_DATABASE_URL, TEST_REDIS_URL } = process.env;
  if (TEST_DATABASE_URL !== undefined && TEST_REDIS_URL !== undefined) return;
  const servers = await startTestServers({
    postgres: TEST_DATABASE_URL === undefined,
    redis: TEST_REDIS_URL === undefined,
  });
  Object.assign(globalThis, { [startedServers]: servers });
  process.env.TEST_DATABASE_URL ??= servers.databaseUrl;
  process.env.TEST_REDIS_URL ??= servers.redisUrl;
}
