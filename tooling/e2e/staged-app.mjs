import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../launch/paths.mjs';

/**
 * Copies an app as its image contains it (infra/docker/Dockerfile): the files of its package, and the packages that its
 * dependencies name. The copy can load nothing else: no package of the workspace, and no peer that only another app has.
 *
 * @param {string} app
 * @param {string} folder a new folder outside of the workspace
 */
export function stageApp(app, folder) {
  copyPackage(join(root, 'apps', app), folder);
  /** Where each package was copied to, by its real path. @type {Map<string, string>} */
  const copied = new Map();
  /** @param {string} source a package @param {string} target its copy @param {string} modules where its dependencies go */
  const link = (source, target, modules) => {
    const { dependencies = {}, peerDependencies = {} } = manifestOf(source);
    for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
      const found = findPackage(source, name);
      // A peer is part of the image only if a dependency brings it.
      if (found !== undefined && (name in dependencies || copied.has(found)))
        symlink(copyOnce(found, name), join(modules, name));
    }
    return target;
  };
  /** @param {string} source @param {string} name */
  const copyOnce = (source, name) => {
    const done = copied.get(source);
    if (done !== undefined) return done;
    const modules = join(folder, 'node_modules', '.store', String(copied.size), 'node_modules');
    const target = join(modules, name);
    copied.set(source, target);
    copyPackage(source, target);
    return link(source, target, modules);
  };
  link(realpathSync(join(root, 'apps', app)), folder, join(folder, 'node_modules'));
  return folder;
}

/** @param {string} source @returns {{ files?: string[], dependencies?: object, peerDependencies?: object }} */
const manifestOf = (source) => JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));

/** Copies the files that a package publishes; all of them for an installed one. @param {string} source @param {string} target */
function copyPackage(source, target) {
  const isOfWorkspace = !source.includes(join('node_modules', '.pnpm'));
  const { files } = manifestOf(source);
  const names = isOfWorkspace ? [...(files ?? ['dist']), 'package.json'] : ['.'];
  for (const name of names)
    cpSync(join(source, name), join(target, name), {
      recursive: true,
      // Packing leaves installed packages behind.
      filter: (path) => !isOfWorkspace || !path.slice(source.length).includes('node_modules'),
    });
}

/** @param {string} target @param {string} link */
function symlink(target, link) {
  if (existsSync(link)) return;
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(target, link);
}

/** Returns the real path of a dependency, as Node finds it. @param {string} source @param {string} name */
function findPackage(source, name) {
  for (let folder = source; folder !== dirname(folder); folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(found)) return realpathSync(found);
  }
  return undefined;
}
