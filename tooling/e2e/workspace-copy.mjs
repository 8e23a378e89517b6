import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../launch/paths.mjs';

const excluded = new Set(['.git', '.data', '.pnpm', 'docs', 'dist-docs']);

/**
 * Copies the built workspace, so that a test can edit it. Installed packages are shared with the original.
 *
 * @param {string} folder a new folder
 */
export function copyWorkspace(folder) {
  mkdirSync(folder);
  for (const name of readdirSync(root)) {
    if (excluded.has(name)) continue;
    cpSync(join(root, name), join(folder, name), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !excluded.has(basename(path)),
    });
  }
  symlinkSync(join(root, 'node_modules', '.pnpm'), join(folder, 'node_modules', '.pnpm'));
}
