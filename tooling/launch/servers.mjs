import { fork } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { readIfThere } from './files.mjs';

/**
 * A server that is ready to be run: by which command, where it will answer, and when it does.
 *
 * @typedef {{
 *   url: string,
 *   command: import('./keeper.mjs').KeptCommand,
 *   isReady: () => Promise<boolean>,
 *   whenReady?: () => Promise<void>,
 * }} PreparedServer
 */

/** A server that dies this often before it ever answered is not going to. */
const crashesBeforeGivingUp = 3;
const startDeadlineMs = 60_000;

/**
 * Begins the keeper process (keeper.mjs), which runs servers until `stop`, or until this process is no more.
 *
 * @param {(name: string, event: import('./supervise.mjs').ProcessEvent) => void} onEvent
 */
export function startKeeper(onEvent) {
  const keeper = fork(join(import.meta.dirname, 'keeper.mjs'), [], {
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
    // Flags of a test run are not for the keeper.
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  /** @type {Map<string, number>} */
  const crashes = new Map();
  keeper.on(
    'message',
    (/** @type {{ name: string, event: import('./supervise.mjs').ProcessEvent }} */ told) => {
      if (told.event.type === 'exited') crashes.set(told.name, told.event.crashes);
      onEvent(told.name, told.event);
    },
  );
  const gone = new Promise((resolve) => {
    keeper.once('exit', resolve);
  });

  return {
    pid: keeper.pid,

    /**
     * Resolves once the server answers; from then on it is restarted whenever it ends.
     *
     * @param {PreparedServer} server
     */
    async start({ command, isReady, whenReady }) {
      const deadline = performance.now() + startDeadlineMs;
      keeper.send({ start: command });
      while (!(await isReady())) {
        const gaveUp = (crashes.get(command.name) ?? 0) >= crashesBeforeGivingUp;
        if (gaveUp || performance.now() > deadline) throw notStarted(command);
        await wait(20);
      }
      await whenReady?.();
    },

    /**
     * Has a folder removed when all is over, also when this process did not live to do it.
     *
     * @param {string} folder
     */
    removeAfterwards(folder) {
      keeper.send({ remove: folder });
    },

    /** Ends all kept processes, then the keeper. */
    async stop() {
      if (keeper.connected) keeper.send({ stop: true });
      await gone;
    },
  };
}

/** @typedef {ReturnType<typeof startKeeper>} Keeper */

/** @param {import('./keeper.mjs').KeptCommand} command */
function notStarted({ name, logFile }) {
  const log = readIfThere(logFile) ?? '';
  const lastLines = log.trimEnd().split('\n').slice(-15).join('\n');
  return new Error(`${name} did not start. The end of its log, ${logFile}:\n${lastLines}`);
}
