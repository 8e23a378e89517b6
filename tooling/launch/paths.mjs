import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The top folder of this clone. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * Where a running platform keeps what it must not lose. The folder itself is open to other users, because
 * Postgres may have to run as one; every secret inside is a file of its own with mode 0600.
 *
 * @param {string} [dataDir]
 */
export function dataPaths(dataDir = join(root, '.data')) {
  return {
    dataDir,
    devState: join(dataDir, 'dev.json'),
    demo: join(dataDir, 'demo.json'),
    lock: join(dataDir, 'launcher.lock'),
    setupLock: join(dataDir, 'setup.lock'),
    processes: join(dataDir, 'processes.json'),
    keys: join(dataDir, 'keys'),
    logs: join(dataDir, 'logs'),
    postgres: join(dataDir, 'postgres'),
    redis: join(dataDir, 'redis'),
    redisProgram: join(dataDir, 'redis-program'),
    paperExchange: join(dataDir, 'paper-exchange'),
    mail: join(dataDir, 'mail'),
  };
}

/** @typedef {ReturnType<typeof dataPaths>} DataPaths */
