/** Starts a Postgres and a Redis for a benchmark. As in a deployment, both write acknowledged data to the disk. */
import { join } from 'node:path';
import { freePort } from '../tooling/launch/ports.mjs';
import { preparePostgres } from '../tooling/launch/postgres.mjs';
import { prepareRedis } from '../tooling/launch/redis.mjs';
import { startServerSupervisor } from '../tooling/launch/servers.mjs';
import { temporaryFolder } from '../tooling/launch/test-servers.mjs';

/** @param {{ postgresSettings?: readonly string[] }} [options] settings as `name=value` */
export async function startDurableServers({ postgresSettings = [] } = {}) {
  const folder = temporaryFolder();
  const supervisor = startServerSupervisor((name, event) => {
    if (event.type === 'exited') console.error(`${name} ended and will be restarted`);
  });
  supervisor.removeAfterwards(folder);
  const postgres = await preparePostgres({
    dataDir: join(folder, 'postgres'),
    passwordFile: join(folder, 'postgres-password'),
    logFile: join(folder, 'postgres.log'),
    port: await freePort(),
    database: 'product',
  });
  // Stores the commit time of each transaction. It is later than the times that the transaction wrote into its rows.
  const settings = ['track_commit_timestamp=on', ...postgresSettings];
  postgres.command.args.push(...settings.flatMap((setting) => ['-c', setting]));
  const redis = await prepareRedis({
    dataDir: join(folder, 'redis'),
    logFile: join(folder, 'redis.log'),
    port: await freePort(),
    print: () => undefined,
  });
  await Promise.all([supervisor.start(postgres), supervisor.start(redis)]);
  return { databaseUrl: postgres.url, redisUrl: redis.url, folder, stop: () => supervisor.stop() };
}
