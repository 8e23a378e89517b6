import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './commands.mjs';
import { withLock } from './lock.mjs';
import { dataPaths } from './paths.mjs';

/**
 * Redis for an ordinary user of Debian or Ubuntu: the packages of the distribution, downloaded and unpacked under
 * the data folder. Nothing is installed, and no step needs root.
 */

/** `redis-server` is a symbolic link into the package `redis-tools`. */
const packages = ['redis-server', 'redis-tools'];

const aptSettings = [
  // As root, apt would hand the download to a user that may be unable to enter the clone.
  'APT::Sandbox::User=root',
  'Acquire::http::Timeout=20',
  'Acquire::https::Timeout=20',
  'Acquire::Retries=1',
  // Otherwise an update that reaches no server exits with code 0.
  'APT::Update::Error-Mode=any',
];

/**
 * How to run a Redis server: its path, and the environment that it alone needs.
 *
 * @typedef {{ command: string, env?: Record<string, string> }} RedisProgram
 *
 * @typedef {{ program: RedisProgram, refusal?: undefined } | { program?: undefined, refusal: string }} RedisAnswer
 *   `refusal` says why there is no program
 */

/** @param {{ path?: string }} [machine] */
export function hasApt({ path = process.env.PATH ?? '' } = {}) {
  const folders = path.split(delimiter).filter(Boolean);
  return ['apt-get', 'dpkg-deb'].every((program) =>
    folders.some((folder) => existsSync(join(folder, program))),
  );
}

/** The line that replaces the tests of unpacking. */
export function withoutApt() {
  return 'The tests of an unpacked Redis are left out: they need apt-get and dpkg-deb, of Debian or Ubuntu.';
}

/**
 * Returns the Redis under `folder`, and downloads and unpacks it there first if it is missing or does not run. A
 * second call needs neither apt nor a network. Two launchers of one clone take turns.
 *
 * @param {(line: string) => void} say
 * @param {{ folder?: string, run?: typeof run, hasApt?: () => boolean }} [machine]
 * @returns {Promise<RedisAnswer>}
 */
export async function ensureUnpackedRedis(
  say,
  { folder = dataPaths().redisProgram, run: execute = run, hasApt: canUnpack = hasApt } = {},
) {
  const kept = await programIn(folder, execute);
  if (kept.program !== undefined) return kept;
  if (!canUnpack()) return { refusal: 'unpacking it without root needs apt-get and dpkg-deb' };
  return await withLock(
    `${folder}.lock`,
    async () => {
      const unpackedMeanwhile = await programIn(folder, execute);
      if (unpackedMeanwhile.program !== undefined) return unpackedMeanwhile;
      say(`No redis-server or valkey-server on the PATH: unpacking the redis-server package in ${folder}`);
      return await unpack(folder, execute);
    },
    (pid) => say(`Waiting for process ${pid}, which unpacks Redis`),
  );
}

/**
 * Unpacks beside the folder and moves the result there whole, so that an interrupted attempt is never used.
 *
 * @param {string} folder
 * @param {typeof run} execute
 * @returns {Promise<RedisAnswer>}
 */
async function unpack(folder, execute) {
  const work = `${folder}.unfinished`;
  const archives = join(work, 'archives');
  const tree = join(work, 'tree');
  rmSync(work, { recursive: true, force: true });
  mkdirSync(tree, { recursive: true });
  try {
    const refusal = await downloadPackages(work, archives, execute);
    if (refusal !== null) return { refusal };
    for (const name of readdirSync(archives).filter((file) => file.endsWith('.deb'))) {
      const result = await execute('dpkg-deb', ['-x', join(archives, name), tree]);
      if (result.code !== 0) return { refusal: failure(`dpkg-deb -x ${name}`, result) };
    }
    const unpacked = await programIn(tree, execute);
    if (unpacked.program === undefined) return unpacked;
    rmSync(folder, { recursive: true, force: true });
    renameSync(tree, folder);
    return await programIn(folder, execute);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Downloads by the system's package lists. An ordinary user cannot refresh those, so where they are missing or too
 * old, a second attempt reads lists of its own.
 *
 * @param {string} work
 * @param {string} archives
 * @param {typeof run} execute
 * @returns {Promise<string | null>} why it failed, or null
 */
async function downloadPackages(work, archives, execute) {
  if ((await downloadBy([], archives, execute)) === null) return null;
  const lists = join(work, 'lists');
  const cache = join(work, 'cache');
  for (const path of [join(lists, 'partial'), join(cache, 'archives', 'partial')])
    mkdirSync(path, { recursive: true });
  const settings = [`Dir::State::Lists=${lists}`, `Dir::Cache=${cache}`];
  const update = await aptGet(settings, ['update'], work, execute);
  const refusal = await downloadBy(settings, archives, execute);
  // One unreachable third-party archive does not matter if Redis was found in another.
  if (refusal === null || update.code === 0) return refusal;
  return failure('apt-get update', update);
}

/**
 * @param {string[]} settings
 * @param {string} archives
 * @param {typeof run} execute
 * @returns {Promise<string | null>} why it failed, or null
 */
async function downloadBy(settings, archives, execute) {
  // A failed attempt may have left packages of other versions.
  rmSync(archives, { recursive: true, force: true });
  mkdirSync(archives);
  const install = ['--simulate', '--reinstall', '--no-install-recommends', 'install', ...packages];
  const plan = await aptGet(settings, install, archives, execute);
  if (plan.code !== 0) return failure('apt-get --simulate install', plan);
  const planned = plannedPackages(plan.stdout);
  // An installed package that no list names is skipped without an error.
  if (!planned.some((name) => name.startsWith('redis-server=')))
    return 'apt-get finds no package redis-server';
  const download = await aptGet(settings, ['download', ...planned], archives, execute);
  return download.code === 0 ? null : failure('apt-get download', download);
}

/**
 * Parses what `apt-get --simulate install` would install: the requested packages, and those of their dependencies
 * that the system lacks or has in too old a version.
 *
 * @param {string} simulation
 * @returns {string[]} as `name=version`
 */
export function plannedPackages(simulation) {
  const lines = simulation.matchAll(/^Inst (\S+) (?:\[\S+\] )?\((\S+) /gm);
  return [...lines].map(([, name, version]) => `${name}=${version}`);
}

/**
 * @param {string[]} settings
 * @param {string[]} args
 * @param {string} cwd where `download` puts its files
 * @param {typeof run} execute
 */
function aptGet(settings, args, cwd, execute) {
  const options = [...aptSettings, ...settings].flatMap((setting) => ['-o', setting]);
  return execute('apt-get', ['-q', ...options, ...args], { cwd, env: { ...process.env, LC_ALL: 'C' } });
}

/**
 * @param {string} command
 * @param {{ code: number, stderr: string }} result
 */
function failure(command, { code, stderr }) {
  const lines = stderr.trim().split('\n');
  // Later errors of apt follow from the first.
  const cause = lines.find((line) => line.startsWith('E: ')) ?? lines.at(-1);
  return `${command} failed: ${cause || `exit code ${code}`}`;
}

/**
 * Finds the server in a tree of unpacked packages, and runs it once.
 *
 * @param {string} tree
 * @param {typeof run} execute
 * @returns {Promise<RedisAnswer>}
 */
async function programIn(tree, execute) {
  const command = join(tree, 'usr', 'bin', 'redis-server');
  if (!existsSync(command)) return { refusal: 'the packages hold no usr/bin/redis-server' };
  const libraries = libraryFolders(tree);
  if (process.env.LD_LIBRARY_PATH) libraries.push(process.env.LD_LIBRARY_PATH);
  const env = { LD_LIBRARY_PATH: libraries.join(':') };
  const result = await execute(command, ['--version'], { env: { ...process.env, ...env } });
  if (result.code === 0 && result.stdout.startsWith('Redis server v=')) return { program: { command, env } };
  return { refusal: failure(`${command} --version`, result) };
}

/**
 * @param {string} tree
 * @returns {string[]} every folder in which a package for this architecture puts shared libraries
 */
function libraryFolders(tree) {
  return ['lib', join('usr', 'lib')]
    .map((name) => join(tree, name))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => [
      folder,
      ...readdirSync(folder)
        .filter((name) => name.includes('-linux-gnu'))
        .map((name) => join(folder, name)),
    ]);
}
