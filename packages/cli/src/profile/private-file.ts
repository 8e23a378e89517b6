/**
 * Files that only their user can read.
 *
 * 1. Writes are atomic: a temporary file is renamed, so that a reader sees either the old or the new content.
 * 2. The file has the mode 0600, in a folder with the mode 0700, before its first byte is written. On Windows, folders
 *    of a user are private by default.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Returns the text of a file; undefined if it does not exist. */
export async function readIfExists(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

export async function writePrivately(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
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
    await rm(temporaryPath, { force: true });
    throw error;
  }
}

/** Returns whether other users can access a file; false if it does not exist. */
export async function isOpenToOthers(path: string, platform: NodeJS.Platform): Promise<boolean> {
  if (platform === 'win32') return false;
  try {
    return ((await stat(path)).mode & 0o077) !== 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
