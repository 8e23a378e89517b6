import { fork } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { run } from './commands.mjs';
import { readableLine } from './log-lines.mjs';
import { root } from './paths.mjs';
import { supervise } from './supervise.mjs';

const readyDeadlineMs = 60_000;
/** What a service says once it works. */
const readyMessages = ['ready', 'listening'];

/** @param {string} app */
const mainOf = (app) => join(root, 'apps', app, 'dist', 'main.js');

/**
 * Brings the database to the schema of this release.
 *
 * @param {string} databaseUrl
 */
export async function migrateDatabase(databaseUrl) {
  const env = { ...process.env, NODE_OPTIONS: '', DATABASE_URL: databaseUrl };
  const { code, stdout, stderr } = await run('node', [mainOf('migrator')], { env });
  if (code !== 0) throw new Error(`the migration failed:\n${stdout}${stderr}`);
}

/**
 * Runs a service, begun again whenever it ends, until `stop`.
 *
 * @param {import('./service-list.mjs').Service} service
 * @param {(line: string) => void} say
 * @param {import('./supervise.mjs').Supervised['delays']} [delays] how long it stays ended, where it is ended on purpose
 */
export function superviseService({ name, app, main = mainOf(app), env }, say, delays) {
  let readiness = createSignal();
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let current;
  const supervisor = supervise({
    ...(delays === undefined ? {} : { delays }),
    spawn: () => {
      const child = fork(main, [], {
        cwd: root,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        // Flags of a test run are not for the services.
        execArgv: [],
        env: { ...process.env, NODE_OPTIONS: '', ...env },
      });
      current = child;
      for (const stream of [child.stdout, child.stderr]) {
        if (stream === null) continue;
        createInterface({ input: stream }).on('line', (line) => {
          if (child === current && isReadyLine(line)) readiness.give();
          say(readableLine(name, line));
        });
      }
      return child;
    },
    onEvent: (event) => {
      if (event.type !== 'exited') return;
      const how = event.signal ?? `code ${event.code}`;
      say(readableLine(name, `ended (${how}) and is started again in ${event.restartInMs} ms`));
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
     * @param {number} patienceMs how long the process may take to stop before it is killed
     */
    async restart(patienceMs) {
      readiness = createSignal();
      await supervisor.restart(patienceMs);
    },
    /** Resolves once the service says that it works. */
    async untilReady() {
      /** @type {NodeJS.Timeout | undefined} */
      let timer;
      const late = new Promise((_resolve, reject) => {
        timer = setTimeout(
          () => reject(new Error(`${name} was not ready within ${readyDeadlineMs / 1000} s`)),
          readyDeadlineMs,
        );
      });
      await Promise.race([readiness.given, late]).finally(() => clearTimeout(timer));
    },
  };
}

/** @typedef {ReturnType<typeof superviseService>} ServiceProcess */

function createSignal() {
  /** @type {() => void} */
  let give = () => {};
  const given = new Promise((resolve) => {
    give = () => resolve(undefined);
  });
  return { given, give };
}

/** @param {string} line */
function isReadyLine(line) {
  try {
    return readyMessages.includes(JSON.parse(line).msg);
  } catch {
    return false;
  }
}
