import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createFolder, readIfExists } from './files.mjs';
import { identifyProcess, isRunning } from './processes.mjs';

/**
 * @typedef {{ taken: true, release: () => void } | { taken: false, holderPid: number }} LockResult
 */

/**
 * Takes a lock that at most one running process holds. The lock of a killed process is ignored, even if its pid now belongs
 * to another process.
 *
 * @param {string} file
 * @returns {LockResult}
 */
export function takeLock(file) {
  createFolder(dirname(file));
  const identity = JSON.stringify(identifyProcess(process.pid));
  for (;;) {
    if (createLockFile(file, identity)) return { taken: true, release: () => release(file, identity) };
    const content = readIfExists(file);
    if (content === null) continue;
    const holder = parseHolder(content);
    if (holder !== null && isRunning(holder)) return { taken: false, holderPid: holder.pid };
    removeStaleLock(file, content);
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
 * Creates the lock file with its content in one step, so that no process ever reads a partly written lock.
 *
 * @param {string} file
 * @param {string} identity the content of the lock file
 * @returns {boolean} false if the lock file already exists
 */
function createLockFile(file, identity) {
  const newFile = `${file}.${process.pid}.new`;
  writeFileSync(newFile, identity, { mode: 0o600 });
  try {
    linkSync(newFile, file);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(newFile, { force: true });
  }
}

/**
 * Removes a stale lock. Two processes may find the same stale lock, and the slower one must not remove the new lock of the
 * faster one. Therefore the file is moved away and compared again, and moved back if it is not the stale lock.
 *
 * @param {string} file
 * @param {string} staleContent
 */
function removeStaleLock(file, staleContent) {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
    if (readIfExists(aside) !== staleContent) linkSync(aside, file);
  } catch (error) {
    const code = /** @type {NodeJS.ErrnoException} */ (error).code ?? '';
    if (!['ENOENT', 'EEXIST'].includes(code)) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

/**
 * @param {string} file
 * @param {string} identity the content of this process's lock file
 */
function release(file, identity) {
  if (readIfExists(file) === identity) rmSync(file, { force: true });
}

/**
 * @param {string} text
 * @returns {import('./processes.mjs').ProcessIdentity | null}
 */
function parseHolder(text) {
  try {
    return JSON.parse(text);
  } catch {
    // A lock is never partly written, so a power failure has damaged the file.
    return null;
  }
}
