import { signalTree } from './processes.mjs';

/** How long to wait before a crashed process is begun again: almost nothing at first, then ever longer. */
const restartDelays = { firstMs: 250, mostMs: 10_000, calmAfterMs: 30_000 };

/**
 * @param {number} crashes crashes in a row, from 1; a process that ran for `calmAfterMs` is back at 1
 * @param {typeof restartDelays} [delays]
 */
function restartDelayMs(crashes, delays = restartDelays) {
  return Math.min(delays.firstMs * 2 ** (crashes - 1), delays.mostMs);
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
 * Keeps one process running until `stop`. Every exit counts as a crash, also with code 0. Each crash is reported
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
  let restart;
  /** @type {Promise<void> | undefined} */
  let stopped;
  /** @type {import('node:child_process').ChildProcess | undefined} a process that ends because of `restart` */
  let replaced;
  let crashes = 0;

  function begin() {
    const startedAt = performance.now();
    const began = spawn();
    let isOver = false;
    child = began;
    /** @type {(code: number | null, signal: string | null) => void} */
    const over = (code, signal) => {
      if (isOver) return;
      isOver = true;
      child = undefined;
      if (stopped !== undefined || began === replaced) return;
      crashes = performance.now() - startedAt >= delays.calmAfterMs ? 1 : crashes + 1;
      const restartInMs = restartDelayMs(crashes, delays);
      restart = setTimeout(begin, restartInMs);
      onEvent({ type: 'exited', code, signal, crashes, restartInMs });
    };
    began.once('exit', over);
    // A command that can't be started has no exit.
    began.once('error', () => over(127, null));
    if (began.pid !== undefined) onEvent({ type: 'started', pid: began.pid });
  }

  /**
   * @param {number} patienceMs
   * @returns {Promise<void>}
   */
  function end(patienceMs) {
    clearTimeout(restart);
    const last = child;
    if (last?.pid === undefined) return Promise.resolve();
    const { pid } = last;
    return new Promise((resolve) => {
      const hurry = setTimeout(() => signalTree(pid, 'SIGKILL'), patienceMs);
      last.once('exit', () => {
        clearTimeout(hurry);
        resolve();
      });
      last.kill(stopSignal);
    });
  }

  begin();
  return {
    get pid() {
      return child?.pid;
    },
    /**
     * Ends the process and starts it again at once. The end is not a crash, and crashes before it no longer count.
     *
     * @param {number} patienceMs how long the process may take to stop before it is killed
     */
    async restart(patienceMs) {
      replaced = child;
      await end(patienceMs);
      if (stopped !== undefined || child !== undefined) return;
      crashes = 0;
      begin();
    },
    /** Ends the process and leaves it ended: asked first, after the grace period not asked any more. */
    stop() {
      stopped ??= end(graceMs);
      return stopped;
    },
  };
}

/** @typedef {ReturnType<typeof supervise>} Supervisor */
