import { fork } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { readIfExists } from './files.mjs';

/**
 * A server that can be started: its command, its URL, and a check of its readiness. `afterStart` runs once, after the
 * first successful check and before `start` resolves.
 *
 * @typedef {{
 *   url: string,
 *   command: import('./server-supervisor.mjs').ServerCommand,
 *   isReady: () => Promise<boolean>,
 *   afterStart?: () => Promise<void>,
 * }} PreparedServer
 */

/** The start fails after this number of crashes without a response. */
const crashesBeforeGivingUp = 3;
const startDeadlineMs = 60_000;

/**
 * Starts the server supervisor (server-supervisor.mjs), a process that runs servers until `stop` or until this process
 * ends.
 *
 * @param {(name: string, event: import('./supervise.mjs').ProcessEvent) => void} onEvent
 */
export function startServerSupervisor(onEvent) {
  const supervisor = fork(join(import.meta.dirname, 'server-supervisor.mjs'), [], {
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
    // The Node options of a test run must not reach the supervisor.
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  /** @type {Map<string, number>} */
  const crashes = new Map();
  supervisor.on(
    'message',
    (/** @type {{ name: string, event: import('./supervise.mjs').ProcessEvent }} */ message) => {
      if (message.event.type === 'exited') crashes.set(message.name, message.event.crashes);
      onEvent(message.name, message.event);
    },
  );
  const ended = new Promise((resolve) => {
    supervisor.once('exit', resolve);
  });

  return {
    pid: supervisor.pid,

    /**
     * Starts a server; resolves once it responds and `afterStart` has ended. From then on, the supervisor restarts it
     * whenever it ends.
     *
     * @param {PreparedServer} server
     */
    async start({ command, isReady, afterStart }) {
      const deadline = performance.now() + startDeadlineMs;
      supervisor.send({ start: command });
      while (!(await isReady())) {
        const gaveUp = (crashes.get(command.name) ?? 0) >= crashesBeforeGivingUp;
        if (gaveUp || performance.now() > deadline) throw notStarted(command);
        await wait(20);
      }
      await afterStart?.();
    },

    /**
     * Removes a folder after the servers have ended, even if this process was killed.
     *
     * @param {string} folder
     */
    removeAfterwards(folder) {
      supervisor.send({ remove: folder });
    },

    /** Ends all servers, then the supervisor. */
    async stop() {
      if (supervisor.connected) supervisor.send({ stop: true });
      await ended;
    },
  };
}

/** @typedef {ReturnType<typeof startServerSupervisor>} ServerSupervisor */

/** @param {import('./server-supervisor.mjs').ServerCommand} command */
function notStarted({ name, logFile }) {
  const log = readIfExists(logFile) ?? '';
  const lastLines = log.trimEnd().split('\n').slice(-15).join('\n');
  return new Error(`${name} did not start. The end of its log, ${logFile}:\n${lastLines}`);
}
