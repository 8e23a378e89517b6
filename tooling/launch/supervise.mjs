import { signalTree } from './processes.mjs';

/** The delays before a crashed process is restarted: short at first, then doubled up to `maxMs`. */
const restartDelays = { firstMs: 250, maxMs: 10_000, resetAfterMs: 30_000 };

/**
 * @param {number} crashes consecutive crashes, from 1; after a run of `resetAfterMs` the count starts again at 1
 * @param {typeof restartDelays} [delays]
 */
function restartDelayMs(crashes, delays = restartDelays) {
  return Math.min(delays.firstMs * 2 ** (crashes - 1), delays.maxMs);
}

/**
 * @typedef {{ type: 'started', pid: number }
 *   | { type: 'exited', code: number | null, signal: string | null, crashes: number, restartInMs: number }} ProcessEvent
 *
 * @typedef {{
 *   spawn: () => import('node:child_process').ChildProcess,
 *   onEvent: (event: ProcessEvent) => void,
 *   delays?: typeof restartDelays,
 *   stopSignal?: NodeJS.Signals,
 *   graceMs?: number,
 * }} Supervised
 */

/**
 * Keeps one process running until `stop`. Every exit counts as a crash, even with code 0. Each crash is reported
 * to `onEvent` before the restart. The process must lead its own group (`detached`).
 *
 * @param {Supervised} options
 */
export function supervise({
  spawn,
  onEvent,
  delays = restartDelays,
  stopSignal = 'SIGTERM',
  graceMs = 10_000,
}) {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let child;
  /** @type {NodeJS.Timeout | undefined} */
  let restartTimer;
  /** @type {Promise<void> | undefined} */
  let stopped;
  /** @type {import('node:child_process').ChildProcess | undefined} a process that ends because of `restart` */
  let replaced;
  let crashes = 0;

  function start() {
    const startedAt = performance.now();
    const spawned = spawn();
    let isOver = false;
    child = spawned;
    /** @type {(code: number | null, signal: string | null) => void} */
    const onExit = (code, signal) => {
      if (isOver) return;
      isOver = true;
      child = undefined;
      if (stopped !== undefined || spawned === replaced) return;
      crashes = performance.now() - startedAt >= delays.resetAfterMs ? 1 : crashes + 1;
      const restartInMs = restartDelayMs(crashes, delays);
      restartTimer = setTimeout(start, restartInMs);
      onEvent({ type: 'exited', code, signal, crashes, restartInMs });
    };
    spawned.once('exit', onExit);
    // A command that cannot be started emits no exit event.
    spawned.once('error', () => onExit(127, null));
    if (spawned.pid !== undefined) onEvent({ type: 'started', pid: spawned.pid });
  }

  /**
   * @param {number} graceMs
   * @returns {Promise<void>}
   */
  function end(graceMs) {
    clearTimeout(restartTimer);
    const current = child;
    if (current?.pid === undefined) return Promise.resolve();
    const { pid } = current;
    return new Promise((resolve) => {
      const killTimer = setTimeout(() => signalTree(pid, 'SIGKILL'), graceMs);
      current.once('exit', () => {
        clearTimeout(killTimer);
        resolve();
      });
      current.kill(stopSignal);
    });
  }

  start();
  return {
    get pid() {
      return child?.pid;
    },
    /**
     * Ends the process and starts it again immediately. This is not counted as a crash, and it resets the count.
     *
     * @param {number} graceMs how long the process may take to stop before it is killed
     */
    async restart(graceMs) {
      replaced = child;
      await end(graceMs);
      if (stopped !== undefined || child !== undefined) return;
      crashes = 0;
      start();
    },
    /**
     * Ends the process for good: sends the stop signal, and SIGKILL after the grace period.
     *
     * @param {number} [graceOfStopMs]
     */
    stop(graceOfStopMs = graceMs) {
      stopped ??= end(graceOfStopMs);
      return stopped;
    },
  };
}

/** @typedef {ReturnType<typeof supervise>} Supervisor */
