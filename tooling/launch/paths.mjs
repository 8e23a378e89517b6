import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root folder of this repository. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * Returns the paths of a running platform's state. Other users may enter the folder, because Postgres may have to run as
 * another user. Each secret in it is a separate file with mode 0600.
 *
 * @param {string} [dataDir]
 */
export function dataPaths(dataDir = join(root, '.data')) {
  return {
    dataDir,
    devStateFile: join(dataDir, 'dev.json'),
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
