import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { root } from '../paths.mjs';

/**
 * An app or package of this repository; `needs` contains its own folder and those of all workspace packages that it depends on.
 *
 * @typedef {{ name: string, folder: string, needs: Set<string> }} Member
 */

/**
 * Reads the manifests of all apps and packages.
 *
 * @param {string} [workspaceRoot]
 * @returns {Member[]}
 */
export function readWorkspace(workspaceRoot = root) {
  const manifests = ['apps', 'packages'].flatMap((group) =>
    readdirSync(join(workspaceRoot, group))
      .map((name) => join(workspaceRoot, group, name))
      .filter((folder) => existsSync(join(folder, 'package.json')))
      .map((folder) => ({
        folder,
        manifest: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')),
      })),
  );
  const byName = new Map(manifests.map((member) => [String(member.manifest.name), member]));
  return manifests.map(({ folder, manifest }) => {
    const needs = new Set([folder]);
    const open = [manifest];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for (const name of Object.keys({ ...next.dependencies, ...next.devDependencies })) {
        const needed = byName.get(name);
        if (needed === undefined || needs.has(needed.folder)) continue;
        needs.add(needed.folder);
        open.push(needed.manifest);
      }
    }
    return { name: folder.slice(folder.lastIndexOf(sep) + 1), folder, needs };
  });
}

/**
 * @param {Member[]} members
 * @param {string} file
 */
export const memberOf = (members, file) => members.find(({ folder }) => file.startsWith(folder + sep));
