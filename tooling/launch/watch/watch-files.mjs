import { readdirSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';

/** A save may write a file in several steps, and a branch switch writes many files. Milliseconds. */
const quietMs = 40;

/**
 * Watches folders with everything below them. Node's own recursive mode misses files that an editor replaces by
 * renaming, so each event leads to a look at what is there, and only differences are reported.
 *
 * @param {string[]} folders
 * @param {(changed: string[]) => void} onChange receives the paths of new, changed and removed files
 * @returns {{ stop: () => void }}
 */
export function watchFiles(folders, onChange) {
  /** @type {Map<string, import('node:fs').FSWatcher>} */
  const watchers = new Map();
  /** @type {NodeJS.Timeout | undefined} */
  let timer;

  function scan() {
    const seen = look(folders);
    for (const [folder, watcher] of watchers) {
      if (seen.folders.has(folder)) continue;
      watcher.close();
      watchers.delete(folder);
    }
    for (const folder of seen.folders) {
      if (watchers.has(folder)) continue;
      const watcher = watch(folder, wake);
      // The folder was removed; the next look finds out.
      watcher.on('error', wake);
      watchers.set(folder, watcher);
    }
    return seen.files;
  }

  function wake() {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const now = scan();
      const before = known;
      known = now;
      const changed = [...new Set([...before.keys(), ...now.keys()])].filter(
        (file) => before.get(file) !== now.get(file),
      );
      if (changed.length > 0) onChange(changed.sort());
    }, quietMs);
  }

  let known = scan();
  return {
    stop() {
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
      watchers.clear();
    },
  };
}

/**
 * @param {string[]} roots
 * @returns {{ folders: Set<string>, files: Map<string, string> }} files with a mark that differs after each write
 */
function look(roots) {
  const folders = new Set();
  const files = new Map();
  const open = [...roots];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    try {
      const entries = readdirSync(folder, { withFileTypes: true });
      folders.add(folder);
      for (const entry of entries) {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) open.push(path);
        else if (entry.isFile()) files.set(path, markOf(path));
      }
    } catch {
      // A file or folder that was removed during the look is reported as removed.
    }
  }
  return { folders, files };
}

/** @param {string} path */
function markOf(path) {
  const { mtimeMs, size, ino } = statSync(path);
  return `${mtimeMs} ${size} ${ino}`;
}
