import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { makeFolder } from '../launch/files.mjs';
import { freePort } from '../launch/ports.mjs';
import { preparePostgres } from '../launch/postgres.mjs';
import { startServer } from './server-process.mjs';

/** The shutdown modes of Postgres and their signals. */
const SHUTDOWNS = /** @type {const} */ ({ fast: 'SIGINT', immediate: 'SIGQUIT' });
const START_TRIES = 20;

/**
 * Starts a separate Postgres server, which a fault may stop and kill. The server flushes commits to the disk, as in a
 * deployment. After `stop`, the server stays down until `start`.
 *
 * @param {{ folder: string, database?: string, settings?: readonly string[] }} options
 *   `settings` as `name=value`; the user `postgres` must have access to the folder (`temporaryFolder`)
 */
export async function openPostgres({ folder, database = 'faults', settings = [] }) {
  makeFolder(folder, 0o755);
  const port = await freePort();
  const prepared = await preparePostgres({
    dataDir: join(folder, 'postgres'),
    passwordFile: join(folder, 'postgres-password'),
    logFile: join(folder, 'postgres.log'),
    port,
    database,
    // Only initdb does not flush: the new cluster needs no protection against a power failure.
    isFlushed: false,
  });
  prepared.command.args.push(...settings.flatMap((setting) => ['-c', setting]));
  /** @type {import('./server-process.mjs').ServerProcess | undefined} */
  let running = await startServer(prepared);

  /** @param {NodeJS.Signals} signal */
  const end = async (signal) => {
    const last = running;
    running = undefined;
    await last?.end(signal);
  };
  const start = async () => {
    for (let tries = 1; running === undefined; tries++) {
      try {
        running = await startServer(prepared);
      } catch (error) {
        // Child processes of the killed server may still hold its shared memory.
        if (tries >= START_TRIES) throw error;
        await wait(250);
      }
    }
  };
  return {
    url: prepared.url,
    port,
    start,
    /** @param {keyof typeof SHUTDOWNS} mode */
    async stop(mode) {
      await end(SHUTDOWNS[mode]);
    },
    /**
     * Kills the backend of a connection with this name by SIGKILL. Postgres then ends all other backends and recovers.
     * Resolves once Postgres accepts connections again.
     *
     * @param {string} applicationName
     * @returns {Promise<boolean>} false if no connection has this name
     */
    async killBackend(applicationName) {
      const client = new pg.Client({ connectionString: prepared.url });
      client.on('error', () => undefined);
      await client.connect();
      try {
        const { rows } = await client.query(
          `SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND backend_type = 'client backend'
           ORDER BY state = 'active' DESC, random() LIMIT 1`,
          [applicationName],
        );
        if (rows[0] === undefined) return false;
        const ended = new Promise((resolve) => client.once('end', resolve));
        process.kill(rows[0].pid, 'SIGKILL');
        // Postgres also ends this connection, because it ends all backends.
        await ended;
      } finally {
        await client.end().catch(() => undefined);
      }
      while (!(await prepared.isReady())) await wait(20);
      return true;
    },
    close: () => end('SIGQUIT'),
  };
}

/** @typedef {Awaited<ReturnType<typeof openPostgres>>} PostgresControl */
