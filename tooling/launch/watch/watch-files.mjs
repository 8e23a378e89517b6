import { readdirSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';

/** Changes are reported after this time without events, because a save may write a file in several steps. */
const quietMs = 40;

/**
 * Watches folders and all their subfolders. The recursive mode of Node's `watch` misses files that an editor replaces
 * by renaming. Therefore each event triggers a scan of all files, and only differences are reported.
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
    const scanned = scanFolders(folders);
    for (const [folder, watcher] of watchers) {
      if (scanned.folders.has(folder)) continue;
      watcher.close();
      watchers.delete(folder);
    }
    for (const folder of scanned.folders) {
      if (watchers.has(folder)) continue;
      const watcher = watch(folder, scheduleScan);
      // The folder was removed; the next scan notices it.
      watcher.on('error', scheduleScan);
      watchers.set(folder, watcher);
    }
    return scanned.files;
  }

  function scheduleScan() {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const now = scan();
      const before = previousFiles;
      previousFiles = now;
      const changed = [...new Set([...before.keys(), ...now.keys()])].filter(
        (file) => before.get(file) !== now.get(file),
      );
      if (changed.length > 0) onChange(changed.sort());
    }, quietMs);
  }

  let previousFiles = scan();
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
 * @returns {{ folders: Set<string>, files: Map<string, string> }} `files`: by path, a string that changes with each write
 */
function scanFolders(roots) {
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
        else if (entry.isFile()) files.set(path, fingerprintOf(path));
      }
    } catch {
      // A file or folder that was removed during the scan is reported as removed.
    }
  }
  return { folders, files };
}

/** @param {string} path */
function fingerprintOf(path) {
  const { mtimeMs, size, ino } = statSync(path);
  return `${mtimeMs} ${size} ${ino}`;
}
