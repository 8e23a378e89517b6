import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from './files.mjs';
import { freePort } from './ports.mjs';
import { preparePostgres } from './postgres.mjs';
import { isOpenToOthers, outsideHome } from './postgres-binaries.mjs';
import { prepareRedis } from './redis.mjs';
import { startKeeper } from './servers.mjs';

/** A folder that the user of a throw-away Postgres can reach. */
export function temporaryFolder() {
  const isClosed = process.getuid?.() === 0 && !isOpenToOthers(tmpdir());
  if (isClosed) makeFolder(outsideHome, 0o755);
  const folder = mkdtempSync(join(isClosed ? outsideHome : tmpdir(), 'trading-automation-test-'));
  chmodSync(folder, 0o755);
  return folder;
}

/**
 * One Postgres and one Redis for a test run, on free ports, with nothing in them and nothing kept. They end
 * with `stop`, and also when this process dies.
 *
 * @param {{
 *   postgres: boolean, redis: boolean,
 *   onEvent?: (name: string, event: import('./supervise.mjs').ProcessEvent) => void,
 *   say?: (line: string) => void,
 * }} options which of the two are wanted
 * @returns {Promise<{ databaseUrl?: string, redisUrl?: string, stop: () => Promise<void> }>}
 */
export async function startTestServers({ postgres, redis, onEvent = reportCrash, say = console.error }) {
  const folder = temporaryFolder();
  const keeper = startKeeper(onEvent);
  keeper.removeAfterwards(folder);
  try {
    const [preparedPostgres, preparedRedis] = await Promise.all([
      postgres ? prepareTestPostgres(folder) : undefined,
      redis ? prepareTestRedis(folder, say) : undefined,
    ]);
    const wanted = [preparedPostgres, preparedRedis].filter((server) => server !== undefined);
    await Promise.all(wanted.map((server) => keeper.start(server)));
    return { databaseUrl: preparedPostgres?.url, redisUrl: preparedRedis?.url, stop: () => keeper.stop() };
  } catch (error) {
    await keeper.stop();
    throw error;
  }
}

/** @param {string} folder */
async function prepareTestPostgres(folder) {
  return await preparePostgres({
    dataDir: join(folder, 'postgres'),
    passwordFile: join(folder, 'postgres-password'),
    logFile: join(folder, 'postgres.log'),
    port: await freePort(),
    database: 'test',
    throwAway: true,
  });
}

/**
 * @param {string} folder
 * @param {(line: string) => void} say
 */
async function prepareTestRedis(folder, say) {
  return await prepareRedis({
    dataDir: join(folder, 'redis'),
    logFile: join(folder, 'redis.log'),
    port: await freePort(),
    throwAway: true,
    say,
  });
}

/**
 * @param {string} name
 * @param {import('./supervise.mjs').ProcessEvent} event
 */
function reportCrash(name, event) {
  if (event.type !== 'exited') return;
  console.error(`${name} ended (${event.signal ?? `code ${event.code}`}) and is started again`);
}
