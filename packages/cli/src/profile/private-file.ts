/**
 * Files that nobody but their user reads.
 *
 * 1. A file is written whole beside its place, then put there: a reader sees the old one or the new one.
 * 2. It is the user's alone (0600, in a folder of 0700) from its first byte on; Windows keeps the user's folders private
 *    by itself.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The text of a file, or undefined where there is none. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

export async function writePrivately(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString('hex')}.new`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Whether others than its user may read or write a file; false where there is none. */
export async function isOpenToOthers(path: string, platform: NodeJS.Platform): Promise<boolean> {
  if (platform === 'win32') return false;
  try {
    return ((await stat(path)).mode & 0o077) !== 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
