import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './commands.mjs';
import { readIfExists } from './files.mjs';
import { withLock } from './lock.mjs';
import { dataPaths, root } from './paths.mjs';

// This file and all its imports run before the first installation, so they must not import installed packages.

const stampFile = join(root, 'node_modules', '.launch-stamp');

/** @returns {string[]} all files that determine which packages are installed */
function manifests() {
  const members = ['apps', 'packages', 'tooling'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => join(folder, name, 'package.json')),
  );
  return [
    'package.json',
    'pnpm-lock.yaml',
    'pnpm-workspace.yaml',
    '.npmrc',
    join('bench', 'package.json'),
    ...members,
  ].filter((path) => existsSync(join(root, path)));
}

/**
 * Returns a digest of everything that determines the installation: the manifests and, for native packages, the
 * operating system, the architecture and the version of Node's binary interface.
 */
function installDigest() {
  const hash = createHash('sha256');
  hash.update(`${process.platform} ${process.arch} ${process.versions.modules}`);
  for (const path of manifests().sort()) {
    hash.update(`\n${path}\n`);
    hash.update(readFileSync(join(root, path)));
  }
  return hash.digest('hex');
}

/** Returns the package manager that package.json pins, for example `pnpm@10.34.9+sha512.<hash>`. */
export function packageManager() {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).packageManager;
}

/**
 * Compares the pinned hash of a package manager with the hash that the registry serves. npm verifies downloads against the
 * registry's hash but ignores the pinned one.
 *
 * @param {string} pinned
 * @throws {Error} if they differ or the registry's hash is unknown
 */
export async function verifyPackageManager(pinned) {
  const [release = '', hash = ''] = pinned.split('+sha512.');
  const { stdout, stderr } = await run('npm', ['view', release, 'dist.integrity', '--prefer-offline'], {
    output: 'capture',
  });
  const expected = `sha512-${Buffer.from(hash, 'hex').toString('base64')}`;
  if (stdout.trim() === expected) return;
  throw new Error(
    stdout.trim() === ''
      ? `could not read the hash of ${release} from the registry: ${stderr}`
      : `the registry serves another ${release} than package.json pins: ${stdout.trim()} instead of ${expected}`,
  );
}

/**
 * Runs the pinned package manager. If the machine has none, `npx` downloads it. `npx` also adds it to the PATH of
 * the tools that call it.
 *
 * @param {string[]} args
 * @param {'show' | 'capture'} output
 */
export function pnpm(args, output) {
  return run('npx', ['--yes', packageManager(), ...args], {
    output,
    env: {
      ...process.env,
      npm_config_loglevel: 'error',
      TURBO_TELEMETRY_DISABLED: '1',
      // pnpm must not get the Node options of a test run.
      NODE_OPTIONS: '',
    },
  });
}

/** @param {(line: string) => void} print */
async function install(print) {
  const wanted = installDigest();
  if (existsSync(join(root, 'node_modules', '.modules.yaml')) && readIfExists(stampFile) === wanted) return;
  print('Installing dependencies');
  await verifyPackageManager(packageManager());
  const args = ['install', '--frozen-lockfile', '--prefer-offline', '--prod=false'];
  const { code } = await pnpm(
    [...args, '--reporter=append-only', '--config.confirm-modules-purge=false'],
    'show',
  );
  if (code !== 0) throw new Error(`installing the dependencies failed (exit code ${code})`);
  writeFileSync(stampFile, wanted);
}

/** @param {(line: string) => void} print */
async function build(print) {
  print('Building (cached when nothing changed)');
  const { code, stdout, stderr } = await pnpm(
    ['turbo', 'run', 'build', '--output-logs=errors-only', '--ui=stream'],
    'capture',
  );
  if (code === 0) return;
  process.stderr.write(stdout + stderr);
  throw new Error(`the build failed (exit code ${code}). See the output above.`);
}

/**
 * Prepares a clone so that its apps can run: installs the dependencies of the lockfile and builds everything. It is fast if
 * nothing changed. Two launchers of one clone run it one after the other.
 *
 * @param {(line: string) => void} print
 */
export async function setUp(print) {
  await withLock(
    dataPaths().setupLock,
    async () => {
      await install(print);
      await build(print);
    },
    (pid) => print(`Waiting for the set-up of process ${pid}`),
  );
}
