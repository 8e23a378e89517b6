/**
 * Files that only their user can read.
 *
 * 1. Writes are atomic: a temporary file is renamed, so that a reader sees either the old or the new content.
 * 2. The file has the mode 0600, in a folder with the mode 0700, before its first byte is written. On Windows, folders
 *    of a user are private by default.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UsageError } from '../failures.js';
import { causeOf } from '../file-failure.js';

export const FOLDER_ADVICE =
  'Check the folder, its permissions and the free space. SVC_CONFIG_DIR selects another configuration folder.';

/** A failure of a file has the exit code for invalid input, because the user chose or prepared its folder. */
export function folderFailure(error: unknown, action: string, advice = FOLDER_ADVICE): UsageError {
  return new UsageError(`${action}: ${causeOf(error)}.`, advice);
}

/**
 * Returns the text of a file; undefined if it does not exist.
 *
 * @param advice what the user can do if the file cannot be read
 * @throws {UsageError} if it cannot be read
 */
export async function readIfExists(path: string, advice = FOLDER_ADVICE): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw folderFailure(error, `Cannot read ${path}`, advice);
  }
}

/** Replaces the content of a file. If that fails, the old content stays. @throws {UsageError} */
export async function writePrivately(path: string, text: string): Promise<void> {
  const folder = dirname(path);
  try {
    await createFolder(folder);
  } catch (error) {
    throw folderFailure(error, `Cannot create the folder ${folder}`);
  }
  const temporaryPath = `${path}.${randomBytes(6).toString('hex')}.new`;
  try {
    const file = await open(temporaryPath, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporaryPath, path);
  } catch (error) {
    await rm(temporaryPath, { force: true }).catch(() => undefined);
    throw folderFailure(error, `Cannot write ${path}`);
  }
}

/** Checks that a file can be written at this path, and leaves nothing behind. @throws {UsageError} */
export async function assertWritable(path: string): Promise<void> {
  const missing: string[] = [];
  for (let folder = dirname(path); !(await isFolder(folder)); folder = dirname(folder)) {
    missing.push(folder);
    if (dirname(folder) === folder) break;
  }
  const probe = `${path}.probe`;
  try {
    await writePrivately(probe, '');
  } finally {
    await rm(probe, { force: true }).catch(() => undefined);
    for (const folder of missing) await rmdir(folder).catch(() => undefined);
  }
}

/** Creates a folder and its missing parents, one by one: below /proc, the option `recursive` of mkdir never returns. */
async function createFolder(folder: string): Promise<void> {
  const parent = dirname(folder);
  try {
    await createLevel(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === folder) throw error;
    await createFolder(parent);
    await createLevel(folder);
  }
}

/** Creates a folder whose parent exists. An existing folder is not changed. */
async function createLevel(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (!(await isFolder(folder))) throw error;
  }
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );

/** Returns whether other users can access a file; false if it does not exist. */
export async function isOpenToOthers(path: string, platform: NodeJS.Platform): Promise<boolean> {
  if (platform === 'win32') return false;
  try {
    return ((await stat(path)).mode & 0o077) !== 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw folderFailure(error, `Cannot read ${path}`);
  }
}
