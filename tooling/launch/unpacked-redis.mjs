import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './commands.mjs';
import { withLock } from './lock.mjs';
import { dataPaths } from './paths.mjs';

/**
 * Provides Redis for an ordinary user of Debian or Ubuntu. It downloads the packages of the distribution and unpacks them
 * under the data folder. It installs nothing and needs no root.
 */

/** The program in the package `redis-server` is a symbolic link to a file of the package `redis-tools`. */
const packages = ['redis-server', 'redis-tools'];

const aptSettings = [
  // If root runs apt, apt downloads as another user, who may have no access to the clone.
  'APT::Sandbox::User=root',
  'Acquire::http::Timeout=20',
  'Acquire::https::Timeout=20',
  'Acquire::Retries=1',
  // Without this setting, an update that reaches no server exits with code 0.
  'APT::Update::Error-Mode=any',
];

/**
 * How to run a Redis server: its path and extra environment variables.
 *
 * @typedef {{ command: string, env?: Record<string, string> }} RedisProgram
 *
 * @typedef {{ program: RedisProgram, reason?: undefined } | { program?: undefined, reason: string }} RedisResult
 *   `reason`: why no program is available
 */

/** @param {{ path?: string }} [machine] */
export function hasApt({ path = process.env.PATH ?? '' } = {}) {
  const folders = path.split(delimiter).filter(Boolean);
  return ['apt-get', 'dpkg-deb'].every((program) =>
    folders.some((folder) => existsSync(join(folder, program))),
  );
}

/** Returns the message that is printed if the tests of unpacking are skipped. */
export function aptMissingMessage() {
  return 'Tests of an unpacked Redis are skipped. They need apt-get and dpkg-deb of Debian or Ubuntu.';
}

/**
 * Returns the Redis under `folder`. If it is missing or does not run, it is downloaded and unpacked there first. A
 * second call needs neither apt nor a network. Two launchers of one clone run it one after the other.
 *
 * @param {(line: string) => void} print
 * @param {{ folder?: string, run?: typeof run, hasApt?: () => boolean }} [machine]
 * @returns {Promise<RedisResult>}
 */
export async function ensureUnpackedRedis(
  print,
  { folder = dataPaths().redisProgram, run: execute = run, hasApt: canUnpack = hasApt } = {},
) {
  const existing = await programIn(folder, execute);
  if (existing.program !== undefined) return existing;
  if (!canUnpack()) return { reason: 'unpacking it without root needs apt-get and dpkg-deb' };
  return await withLock(
    `${folder}.lock`,
    async () => {
      const unpackedMeanwhile = await programIn(folder, execute);
      if (unpackedMeanwhile.program !== undefined) return unpackedMeanwhile;
      print(`No redis-server or valkey-server on the PATH: unpacking the redis-server package in ${folder}`);
      return await unpack(folder, execute);
    },
    (pid) => print(`Waiting for process ${pid}, which unpacks Redis`),
  );
}

/**
 * Unpacks into a temporary folder and then renames it, so that an interrupted attempt is never used.
 *
 * @param {string} folder
 * @param {typeof run} execute
 * @returns {Promise<RedisResult>}
 */
async function unpack(folder, execute) {
  const work = `${folder}.unfinished`;
  const archives = join(work, 'archives');
  const tree = join(work, 'tree');
  rmSync(work, { recursive: true, force: true });
  mkdirSync(tree, { recursive: true });
  try {
    const reason = await downloadPackages(work, archives, execute);
    if (reason !== null) return { reason };
    for (const name of readdirSync(archives).filter((file) => file.endsWith('.deb'))) {
      const result = await execute('dpkg-deb', ['-x', join(archives, name), tree]);
      if (result.code !== 0) return { reason: failure(`dpkg-deb -x ${name}`, result) };
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
 * Downloads the packages with the system's package lists. If these lists are missing or too old, it downloads its own
 * lists, because an ordinary user cannot update the system's, and tries again.
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
  const reason = await downloadBy(settings, archives, execute);
  // `update` fails if any package repository is unreachable. That does not matter if another one has Redis.
  if (reason === null || update.code === 0) return reason;
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
  // apt-get skips an installed package that is in no list, without an error.
  if (!planned.some((name) => name.startsWith('redis-server=')))
    return 'apt-get does not find the package redis-server';
  const download = await aptGet(settings, ['download', ...planned], archives, execute);
  return download.code === 0 ? null : failure('apt-get download', download);
}

/**
 * Parses the output of `apt-get --simulate install`: the requested packages, and those of their dependencies
 * that are missing or too old on the system.
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
  // The first error of apt causes the later ones.
  const cause = lines.find((line) => line.startsWith('E: ')) ?? lines.at(-1);
  return `${command} failed: ${cause || `exit code ${code}`}`;
}

/**
 * Returns the server in a folder of unpacked packages, if `redis-server --version` works there.
 *
 * @param {string} tree
 * @param {typeof run} execute
 * @returns {Promise<RedisResult>}
 */
async function programIn(tree, execute) {
  const command = join(tree, 'usr', 'bin', 'redis-server');
  if (!existsSync(command)) return { reason: 'the packages contain no usr/bin/redis-server' };
  const libraries = libraryFolders(tree);
  if (process.env.LD_LIBRARY_PATH) libraries.push(process.env.LD_LIBRARY_PATH);
  const env = { LD_LIBRARY_PATH: libraries.join(':') };
  const result = await execute(command, ['--version'], { env: { ...process.env, ...env } });
  if (result.code === 0 && result.stdout.startsWith('Redis server v=')) return { program: { command, env } };
  return { reason: failure(`${command} --version`, result) };
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
