import { linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { readIfThere } from './files.mjs';
import { isRunning, nameProcess } from './processes.mjs';

/**
 * @typedef {{ taken: true, release: () => void } | { taken: false, holderPid: number }} LockAnswer
 */

/**
 * Takes a lock that at most one living process holds. A lock whose holder was killed counts for nothing, also
 * when its process number runs again as something else.
 *
 * @param {string} file
 * @returns {LockAnswer}
 */
export function takeLock(file) {
  mkdirSync(dirname(file), { recursive: true });
  const own = JSON.stringify(nameProcess(process.pid));
  for (;;) {
    if (place(file, own)) return { taken: true, release: () => release(file, own) };
    const found = readIfThere(file);
    if (found === null) continue;
    const holder = parseHolder(found);
    if (holder !== null && isRunning(holder)) return { taken: false, holderPid: holder.pid };
    putAside(file, found);
  }
}

/**
 * Waits for the lock, runs `work`, and releases the lock.
 *
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @param {(holderPid: number) => void} onWait called once if another process holds the lock
 */
export async function withLock(file, work, onWait) {
  let lock = takeLock(file);
  if (!lock.taken) onWait(lock.holderPid);
  while (!lock.taken) {
    await wait(200);
    lock = takeLock(file);
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/**
 * Links the complete file into its place, so that no process ever reads a half-written lock.
 *
 * @param {string} file
 * @param {string} own
 * @returns {boolean} false when a lock is there already
 */
function place(file, own) {
  const written = `${file}.${process.pid}.new`;
  writeFileSync(written, own, { mode: 0o600 });
  try {
    linkSync(written, file);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(written, { force: true });
  }
}

/**
 * Two processes may find the same dead lock at once, and the slower must not throw away the faster one's new
 * lock: what was moved is looked at again, and goes back if it isn't the dead one.
 *
 * @param {string} file
 * @param {string} dead
 */
function putAside(file, dead) {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
    if (readIfThere(aside) !== dead) linkSync(aside, file);
  } catch (error) {
    const code = /** @type {NodeJS.ErrnoException} */ (error).code ?? '';
    if (!['ENOENT', 'EEXIST'].includes(code)) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

/**
 * @param {string} file
 * @param {string} own
 */
function release(file, own) {
  if (readIfThere(file) === own) rmSync(file, { force: true });
}

/**
 * @param {string} text
 * @returns {import('./processes.mjs').NamedProcess | null}
 */
function parseHolder(text) {
  try {
    return JSON.parse(text);
  } catch {
    // Never placed half written, so this is what a power failure left.
    return null;
  }
}
