import { fork } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { run } from './commands.mjs';
import { guarded } from './guard.mjs';
import { readableLine } from './log-lines.mjs';
import { root } from './paths.mjs';
import { supervise } from './supervise.mjs';

const readyDeadlineMs = 60_000;
/** The log messages of a service that is ready. */
const readyMessages = ['ready', 'listening'];

/** @param {string} app */
const mainOf = (app) => join(root, 'apps', app, 'dist', 'main.js');

/**
 * Migrates the database to the schema of this release.
 *
 * @param {string} databaseUrl
 */
export async function migrateDatabase(databaseUrl) {
  const env = { ...process.env, NODE_OPTIONS: '', WORLD: 'test', DATABASE_URL: databaseUrl };
  const { code, stdout, stderr } = await run('node', [mainOf('migrator')], { env });
  if (code !== 0) throw new Error(`the migration failed:\n${stdout}${stderr}`);
}

/**
 * Runs a service until `stop`, and restarts it whenever it ends.
 *
 * @param {import('./service-list.mjs').Service} service
 * @param {(line: string) => void} print
 * @param {import('./supervise.mjs').Supervised['delays']} [delays] the delays before a restart, for tests that kill the service
 */
export function superviseService({ name, app, main = mainOf(app), env }, print, delays) {
  let readiness = createDeferred();
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let current;
  const supervisor = supervise({
    ...(delays === undefined ? {} : { delays }),
    spawn: () => {
      const child = guarded(
        fork(main, [], {
          cwd: root,
          detached: true,
          stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
          // The Node options of a test run must not reach the services.
          execArgv: [],
          env: { ...process.env, NODE_OPTIONS: '', ...env },
        }),
      );
      current = child;
      if (readiness.isReady) readiness = createDeferred();
      for (const stream of [child.stdout, child.stderr]) {
        if (stream === null) continue;
        createInterface({ input: stream }).on('line', (line) => {
          if (child === current && isReadyLine(line)) readiness.resolveReady();
          print(readableLine(name, line));
        });
      }
      return child;
    },
    onEvent: (event) => {
      if (event.type !== 'exited') return;
      const how = event.signal ?? `code ${event.code}`;
      print(readableLine(name, `ended (${how}); restarting in ${event.restartInMs} ms`));
    },
  });
  return {
    get pid() {
      return supervisor.pid;
    },
    stop: () => supervisor.stop(),
    /**
     * Ends the process and starts it again; `untilReady` then waits for the new one.
     *
     * @param {number} graceMs how long the process may take to stop before it is killed
     */
    async restart(graceMs) {
      readiness = createDeferred();
      await supervisor.restart(graceMs);
    },
    /** Resolves once the running process logs that it is ready. A process that ends before is replaced by the next. */
    async untilReady() {
      /** @type {NodeJS.Timeout | undefined} */
      let timer;
      const late = new Promise((_resolve, reject) => {
        timer = setTimeout(
          () => reject(new Error(`${name} was not ready within ${readyDeadlineMs / 1000} s`)),
          readyDeadlineMs,
        );
      });
      await Promise.race([readiness.promise, late]).finally(() => clearTimeout(timer));
    },
  };
}

/** @typedef {ReturnType<typeof superviseService>} ServiceProcess */

function createDeferred() {
  /** @type {() => void} */
  let resolve = () => {};
  const deferred = {
    isReady: false,
    /** @type {Promise<void>} */
    promise: new Promise((resolvePromise) => {
      resolve = resolvePromise;
    }),
    resolveReady() {
      deferred.isReady = true;
      resolve();
    },
  };
  return deferred;
}

/** @param {string} line */
function isReadyLine(line) {
  try {
    return readyMessages.includes(JSON.parse(line).msg);
  } catch {
    return false;
  }
}
