import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from './files.mjs';
import { freePort } from './ports.mjs';
import { preparePostgres } from './postgres.mjs';
import { folderOutsideClone, isOpenToOthers } from './postgres-binaries.mjs';
import { prepareRedis } from './redis.mjs';
import { startServerSupervisor } from './servers.mjs';

/** Creates a temporary folder to which the user that runs Postgres has access. */
export function temporaryFolder() {
  const isClosed = process.getuid?.() === 0 && !isOpenToOthers(tmpdir());
  if (isClosed) makeFolder(folderOutsideClone, 0o755);
  const folder = mkdtempSync(join(isClosed ? folderOutsideClone : tmpdir(), 'trading-automation-test-'));
  chmodSync(folder, 0o755);
  return folder;
}

/**
 * Starts one empty Postgres and one empty Redis for a test run, on free ports. Their data is deleted at the end. They end
 * with `stop`, and also if this process is killed.
 *
 * @param {{
 *   postgres: boolean, redis: boolean, returnsFreedMemory?: boolean,
 *   onEvent?: (name: string, event: import('./supervise.mjs').ProcessEvent) => void,
 *   print?: (line: string) => void,
 * }} options `postgres`, `redis`: whether to start that server; `returnsFreedMemory`: as in `preparePostgres`
 * @returns {Promise<{ databaseUrl?: string, redisUrl?: string, stop: () => Promise<void> }>}
 */
export async function startTestServers({
  postgres,
  redis,
  returnsFreedMemory = false,
  onEvent = reportCrash,
  print = console.error,
}) {
  const folder = temporaryFolder();
  const supervisor = startServerSupervisor(onEvent);
  supervisor.removeAfterwards(folder);
  try {
    const [preparedPostgres, preparedRedis] = await Promise.all([
      postgres ? prepareTestPostgres(folder, returnsFreedMemory) : undefined,
      redis ? prepareTestRedis(folder, print) : undefined,
    ]);
    const wanted = [preparedPostgres, preparedRedis].filter((server) => server !== undefined);
    await Promise.all(wanted.map((server) => supervisor.start(server)));
    return {
      databaseUrl: preparedPostgres?.url,
      redisUrl: preparedRedis?.url,
      stop: () => supervisor.stop(),
    };
  } catch (error) {
    await supervisor.stop();
    throw error;
  }
}

/**
 * @param {string} folder
 * @param {boolean} returnsFreedMemory
 */
async function prepareTestPostgres(folder, returnsFreedMemory) {
  return await preparePostgres({
    dataDir: join(folder, 'postgres'),
    passwordFile: join(folder, 'postgres-password'),
    logFile: join(folder, 'postgres.log'),
    port: await freePort(),
    database: 'test',
    isTemporary: true,
    returnsFreedMemory,
  });
}

/**
 * @param {string} folder
 * @param {(line: string) => void} print
 */
async function prepareTestRedis(folder, print) {
  return await prepareRedis({
    dataDir: join(folder, 'redis'),
    logFile: join(folder, 'redis.log'),
    port: await freePort(),
    isTemporary: true,
    print,
  });
}

/**
 * @param {string} name
 * @param {import('./supervise.mjs').ProcessEvent} event
 */
function reportCrash(name, event) {
  if (event.type !== 'exited') return;
  console.error(`${name} ended (${event.signal ?? `code ${event.code}`}) and will be restarted`);
}
