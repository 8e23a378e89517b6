import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { makeFolder } from '../launch/files.mjs';
import { freePort } from '../launch/ports.mjs';
import { preparePostgres } from '../launch/postgres.mjs';
import { startServer } from './server-process.mjs';

/** How Postgres calls its ways to end, and by which signal. */
const SHUTDOWNS = /** @type {const} */ ({ fast: 'SIGINT', immediate: 'SIGQUIT' });
const START_TRIES = 20;

/**
 * A Postgres of one's own, to be mistreated. What it acknowledged is on its way to the disk, as in a deployment; it
 * stays down when it is stopped, until `start`.
 *
 * @param {{ folder: string, database?: string, settings?: readonly string[] }} options
 *   `settings` as `name=value`; the folder must be open to the user `postgres` (`temporaryFolder`)
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
    // What there is before the fault needs no power failure to be kept from.
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
        // Children of the one that was killed may hold its memory for a moment.
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
     * `kill -9` of the backend that serves a connection of this name: Postgres then ends all the others and recovers.
     * Resolves once it takes connections again.
     *
     * @param {string} applicationName
     * @returns {Promise<boolean>} false where it serves none
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
        const isOver = new Promise((resolve) => client.once('end', resolve));
        process.kill(rows[0].pid, 'SIGKILL');
        // This connection is one of the others.
        await isOver;
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
