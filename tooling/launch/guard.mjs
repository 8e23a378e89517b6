import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { identifyProcess, isRunning } from './processes.mjs';

/**
 * The guard of a launcher: a process that ends what the launcher leaves behind if it is killed (guard-process.mjs).
 *
 * @type {import('node:child_process').ChildProcess | undefined}
 */
let guard;

/** Starts the guard of this process. Children that `guarded` names afterwards end at most 5 s after this process. */
export function startGuard() {
  guard = fork(join(import.meta.dirname, 'guard-process.mjs'), [], {
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: [],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  // The launcher ends when its own work ends, not when the guard does.
  guard.unref();
  guard.channel?.unref();
  guard.once('exit', () => {
    guard = undefined;
  });
}

/** Ends the guard, once everything else has ended. */
export async function endGuard() {
  const ending = guard;
  if (ending === undefined) return;
  const ended = new Promise((resolve) => {
    ending.once('exit', resolve);
  });
  ending.ref();
  ending.disconnect();
  await ended;
}

/**
 * Puts a child that leads its own process group under the guard, if this process has one. Returns the child.
 *
 * @template {import('node:child_process').ChildProcess} Child
 * @param {Child} child
 * @returns {Child}
 */
export function guarded(child) {
  const { pid } = child;
  if (pid === undefined || guard === undefined) return child;
  tell({ watch: pid });
  child.once('exit', () => tell({ forget: pid }));
  return child;
}

/** @param {{ watch: number } | { forget: number }} message */
function tell(message) {
  if (guard?.connected) guard.send(message);
}

/**
 * Calls `onLost` once if the `npm` that runs this process as a script ends. A killed npm does not end its script, so
 * the script would run on without a terminal that could stop it. Without npm, does nothing.
 *
 * @param {() => void} onLost
 * @param {number} [everyMs]
 */
export function watchNpm(onLost, everyMs = 500) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const ancestors = npmProcesses(process.ppid).map(identifyProcess);
  const timer = setInterval(() => {
    if (ancestors.every(isRunning)) return;
    clearInterval(timer);
    onLost();
  }, everyMs);
  timer.unref();
}

/**
 * Returns npm's process and the shell in which it runs the script, if that shell did not replace itself by the script.
 *
 * @param {number} parent
 * @returns {number[]}
 */
function npmProcesses(parent) {
  const isShell = procFile(parent, 'cmdline').split('\0')[1] === '-c';
  const grandparent = Number(
    procFile(parent, 'stat')
      .replace(/^.*\) \S+ /s, '')
      .split(' ')[0],
  );
  return isShell && grandparent > 1 ? [parent, grandparent] : [parent];
}

/**
 * @param {number} pid
 * @param {string} name
 * @returns {string} empty if the process has ended, or on a system without /proc
 */
function procFile(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
