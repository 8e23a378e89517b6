/**
 * The process behind guard.mjs. It does nothing while its launcher lives. When the launcher ends, the IPC channel closes,
 * and the guard ends every process group that is under guard:
 *
 * 1. SIGTERM at once. Services have seen the end of the launcher themselves, but one that is still starting has not.
 * 2. SIGKILL after `killAfterMs` to what is left. The platform resumes interrupted work from its database.
 *
 * The server supervisor is not under guard, because it must survive its launcher for a moment: it stops Postgres and Redis.
 *
 * Messages that it receives: `{ watch: pid }`, `{ forget: pid }`.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { identifyProcess, isRunning, signalTree } from './processes.mjs';

const killAfterMs = 4_000;
const pollMs = 100;

/** @type {Map<number, import('./processes.mjs').ProcessIdentity>} */
const watched = new Map();

/** @param {NodeJS.Signals} signal @returns {number} how many are alive */
function signalAll(signal) {
  const alive = [...watched.values()].filter(isRunning);
  for (const { pid } of alive) signalTree(pid, signal);
  return alive.length;
}

process.on('message', (/** @type {{ watch?: number, forget?: number }} */ { watch, forget }) => {
  const identity = watch === undefined ? null : identifyProcess(watch);
  if (identity !== null) watched.set(identity.pid, identity);
  if (forget !== undefined) watched.delete(forget);
});

process.on('disconnect', async () => {
  const deadline = performance.now() + killAfterMs;
  signalAll('SIGTERM');
  while ([...watched.values()].some(isRunning) && performance.now() < deadline) await wait(pollMs);
  signalAll('SIGKILL');
  process.exit(0);
});
