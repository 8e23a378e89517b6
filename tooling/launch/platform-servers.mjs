import { join } from 'node:path';
import { makeFolder } from './files.mjs';
import { preparePostgres } from './postgres.mjs';
import { prepareRedis } from './redis.mjs';
import { startServerSupervisor } from './servers.mjs';

/**
 * Returns the URLs of Postgres and Redis for a platform: DATABASE_URL and REDIS_URL if they are set. For a URL that is
 * not set, it starts a server with its data under the data folder.
 *
 * @param {{
 *   paths: import('./paths.mjs').DataPaths, ports: import('./ports.mjs').Ports,
 *   lifecycle: import('./lifecycle.mjs').Lifecycle, print: (line: string) => void,
 * }} options
 * @returns {Promise<{ databaseUrl: string, redisUrl: string }>}
 */
export async function startServers({ paths, ports, lifecycle, print }) {
  const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = process.env;
  makeFolder(paths.logs, 0o700);
  const supervisor = startServerSupervisor((name, event) => {
    if (event.type !== 'exited') return;
    print(`${name} ended (${event.signal ?? `code ${event.code}`}); restarting in ${event.restartInMs} ms`);
  });
  await lifecycle.defer(() => supervisor.stop());
  const [postgres, redis] = await Promise.all([
    databaseUrl
      ? undefined
      : preparePostgres({
          dataDir: paths.postgres,
          passwordFile: join(paths.keys, 'postgres.password'),
          port: ports.postgres,
          logFile: join(paths.logs, 'postgres.log'),
          database: 'trading',
        }),
    redisUrl
      ? undefined
      : prepareRedis({
          dataDir: paths.redis,
          port: ports.redis,
          logFile: join(paths.logs, 'redis.log'),
          print,
        }),
  ]);
  await Promise.all([postgres, redis].map((server) => server && supervisor.start(server)));
  return {
    databaseUrl: databaseUrl || /** @type {string} */ (postgres?.url),
    redisUrl: redisUrl || /** @type {string} */ (redis?.url),
  };
}
