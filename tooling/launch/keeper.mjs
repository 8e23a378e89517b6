/**
 * A process that keeps the database servers of one launcher, apart from the launcher for two reasons: Ctrl-C in
 * a terminal must not reach them before the services that still write to them, and they must end in good order
 * even when the launcher is killed outright: then the channel to it closes, which is all this process waits for.
 *
 * In: `{ start: KeptCommand }`, `{ remove: path }` (a folder to remove at the end), `{ stop: true }`.
 * Out: `{ name, event: ProcessEvent }`.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';
import { supervise } from './supervise.mjs';

/**
 * @typedef {{
 *   name: string, command: string, args: string[], logFile: string, stopSignal: NodeJS.Signals,
 *   uid?: number, gid?: number, env?: Record<string, string>,
 * }} KeptCommand
 */

/** @type {import('./supervise.mjs').Supervisor[]} */
const keeping = [];
/** @type {string[]} */
const toRemove = [];
let isEnding = false;

/** @param {KeptCommand} kept */
function begin({ command, args, logFile, uid, gid, env }) {
  const log = openSync(logFile, 'a', 0o600);
  try {
    return spawn(command, args, {
      // A folder that every user may be in.
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

/** @param {KeptCommand} kept */
function keep(kept) {
  const supervisor = supervise({
    spawn: () => begin(kept),
    stopSignal: kept.stopSignal,
    graceMs: 20_000,
    onEvent: (event) => {
      if (process.connected) process.send?.({ name: kept.name, event });
    },
  });
  keeping.push(supervisor);
}

async function end() {
  if (isEnding) return;
  isEnding = true;
  await Promise.all(keeping.map((supervisor) => supervisor.stop()));
  for (const path of toRemove) rmSync(path, { recursive: true, force: true });
  process.exit(0);
}

process.on('message', (/** @type {{ start?: KeptCommand, remove?: string, stop?: true }} */ message) => {
  if (message.remove !== undefined) toRemove.push(message.remove);
  if (message.start !== undefined && !isEnding) keep(message.start);
  if (message.stop) void end();
});
process.on('disconnect', () => void end());
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => void end());
}
