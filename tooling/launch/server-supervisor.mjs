/**
 * The server supervisor: a process that runs and restarts the Postgres and Redis of one launcher. It is a separate
 * process for two reasons. Ctrl-C in a terminal must not stop the servers before the services that write to them. And
 * the servers must be shut down cleanly even if the launcher is killed: then the IPC channel closes, and the supervisor
 * stops them, within 3 s.
 *
 * Messages that it receives: `{ start: ServerCommand }`, `{ remove: path }` (a folder to remove at the end), `{ stop:
 * true }`. Messages that it sends: `{ name, event: ProcessEvent }`.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';
import { supervise } from './supervise.mjs';

/**
 * @typedef {{
 *   name: string, command: string, args: string[], logFile: string, stopSignal: NodeJS.Signals,
 *   uid?: number, gid?: number, env?: Record<string, string>,
 * }} ServerCommand
 */

/** @type {import('./supervise.mjs').Supervisor[]} */
const supervisors = [];
/** @type {string[]} */
const foldersToRemove = [];
let isEnding = false;

/** @param {ServerCommand} serverCommand */
function spawnServer({ command, args, logFile, uid, gid, env }) {
  const log = openSync(logFile, 'a', 0o600);
  try {
    return spawn(command, args, {
      // The user that runs the server may have no access to the current folder.
      cwd: '/',
      detached: true,
      env: { ...process.env, ...env },
      stdio: ['ignore', log, log],
      uid,
      gid,
    });
  } finally {
    closeSync(log);
  }
}

/** @param {ServerCommand} serverCommand */
function superviseServer(serverCommand) {
  const supervisor = supervise({
    spawn: () => spawnServer(serverCommand),
    stopSignal: serverCommand.stopSignal,
    graceMs: 20_000,
    onEvent: (event) => {
      if (process.connected) process.send?.({ name: serverCommand.name, event });
    },
  });
  supervisors.push(supervisor);
}

/** How long a server may take to stop once the launcher was killed. A killed Postgres recovers from its log. */
const orphanGraceMs = 3_000;

/** @param {number} [graceMs] */
async function end(graceMs) {
  if (isEnding) return;
  isEnding = true;
  await Promise.all(supervisors.map((supervisor) => supervisor.stop(graceMs)));
  for (const path of foldersToRemove) rmSync(path, { recursive: true, force: true });
  process.exit(0);
}

process.on('message', (/** @type {{ start?: ServerCommand, remove?: string, stop?: true }} */ message) => {
  if (message.remove !== undefined) foldersToRemove.push(message.remove);
  if (message.start !== undefined && !isEnding) superviseServer(message.start);
  if (message.stop) void end();
});
process.on('disconnect', () => void end(orphanGraceMs));
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => void end());
}
