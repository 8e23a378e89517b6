import { fork } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { readIfExists } from './files.mjs';

/**
 * A server that can be started: its command, its URL, and checks of its readiness.
 *
 * @typedef {{
 *   url: string,
 *   command: import('./keeper.mjs').ServerCommand,
 *   isReady: () => Promise<boolean>,
 *   whenReady?: () => Promise<void>,
 * }} PreparedServer
 */

/** The start fails after this number of crashes without a response. */
const crashesBeforeGivingUp = 3;
const startDeadlineMs = 60_000;

/**
 * Starts the keeper process (keeper.mjs), which runs servers until `stop` or until this process ends.
 *
 * @param {(name: string, event: import('./supervise.mjs').ProcessEvent) => void} onEvent
 */
export function startKeeper(onEvent) {
  const keeper = fork(join(import.meta.dirname, 'keeper.mjs'), [], {
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
    // The Node options of a test run must not reach the keeper.
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  /** @type {Map<string, number>} */
  const crashes = new Map();
  keeper.on(
    'message',
    (/** @type {{ name: string, event: import('./supervise.mjs').ProcessEvent }} */ message) => {
      if (message.event.type === 'exited') crashes.set(message.name, message.event.crashes);
      onEvent(message.name, message.event);
    },
  );
  const ended = new Promise((resolve) => {
    keeper.once('exit', resolve);
  });

  return {
    pid: keeper.pid,

    /**
     * Starts a server and resolves once it responds. From then on, the keeper restarts it whenever it ends.
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
     * Removes a folder after the servers have ended, even if this process was killed.
     *
     * @param {string} folder
     */
    removeAfterwards(folder) {
      keeper.send({ remove: folder });
    },

    /** Ends all servers, then the keeper. */
    async stop() {
      if (keeper.connected) keeper.send({ stop: true });
      await ended;
    },
  };
}

/** @typedef {ReturnType<typeof startKeeper>} Keeper */

/** @param {import('./keeper.mjs').ServerCommand} command */
function notStarted({ name, logFile }) {
  const log = readIfExists(logFile) ?? '';
  const lastLines = log.trimEnd().split('\n').slice(-15).join('\n');
  return new Error(`${name} did not start. The end of its log, ${logFile}:\n${lastLines}`);
}
