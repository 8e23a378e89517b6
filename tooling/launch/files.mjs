import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and its missing parents, one by one: below /proc, the option `recursive` of mkdir never returns.
 *
 * @param {string} path
 */
export function createFolder(path) {
  try {
    createLevel(path);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOENT' || dirname(path) === path) throw error;
    createFolder(dirname(path));
    createLevel(path);
  }
}

/**
 * Creates a folder whose parent exists. An existing folder is not changed.
 *
 * @param {string} path
 */
function createLevel(path) {
  try {
    mkdirSync(path);
  } catch (error) {
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/**
 * Creates a folder with exactly this mode, regardless of the umask.
 *
 * @param {string} path
 * @param {number} mode
 */
export function makeFolder(path, mode) {
  createFolder(path);
  chmodSync(path, mode);
}

/**
 * Writes a file that only its owner can read. The write is atomic: a reader sees either the old or the new content.
 *
 * @param {string} path
 * @param {string} content
 */
export function writePrivateFile(path, content) {
  createFolder(dirname(path));
  const unfinished = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    writeFileSync(unfinished, content, { mode: 0o600, flag: 'wx' });
    chmodSync(unfinished, 0o600);
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/**
 * Returns the content of a UTF-8 file, or null if it does not exist.
 *
 * @param {string} path
 */
export function readIfExists(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Parses a JSON file. Returns null if it does not exist or is truncated.
 *
 * @param {string} path
 * @returns {any}
 */
export function readJsonIfExists(path) {
  const text = readIfExists(path);
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
