import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { run } from './commands.mjs';
import { root } from './paths.mjs';
import { pnpm } from './setup.mjs';

/**
 * Installs the published packages as users get them: packs them from their build, and unpacks them into a folder that
 * contains only their declared dependencies.
 *
 * 1. The folder cannot reach the workspace, so a dependency that a package does not declare is missing.
 * 2. If a package depends on another packed package, it uses the packed version.
 * 3. The caller removes the folder. If the installation fails, this code removes it.
 */

const scope = '@trading-automation';

/**
 * @param {readonly string[]} names folders of `packages/`; each must be built
 * @param {string} [parent] where the folder is created
 * @returns {Promise<string>} the folder: its `node_modules` contains the packages, `<name>.tgz` are the published archives,
 *   and `sdk.mjs`, `sdk-signer.mjs` and so on re-export the entry points of the SDK
 */
export async function installPacked(names, parent = tmpdir()) {
  const folder = mkdtempSync(join(parent, 'trading-automation-packed-'));
  try {
    await pack(names, folder);
    await Promise.all(names.map((name) => unpack(name, folder)));
    for (const name of names) linkDependencies(name, folder);
    if (names.includes('sdk')) writeEntries(folder);
    return folder;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** @typedef {{ dependencies?: Record<string, string>, peerDependencies?: Record<string, string>, exports: object }} Manifest */

/**
 * @param {string} name
 * @param {string} folder
 */
const packageFolder = (name, folder) => join(folder, 'node_modules', scope, name);

/**
 * @param {string} name
 * @param {string} folder
 * @returns {Manifest} the published manifest
 */
const manifestOf = (name, folder) =>
  JSON.parse(readFileSync(join(packageFolder(name, folder), 'package.json'), 'utf8'));

/**
 * Packs each package into `<name>.tgz`.
 *
 * @param {readonly string[]} names
 * @param {string} folder
 */
export async function pack(names, folder) {
  const unbuilt = names.filter((name) => !existsSync(join(root, 'packages', name, 'dist')));
  if (unbuilt.length > 0) throw new Error(`not built: ${unbuilt.join(', ')} (npm run build)`);
  const chosen = names.flatMap((name) => ['--filter', `${scope}/${name}`]);
  assertSucceeded('packing', await pnpm([...chosen, 'pack', '--pack-destination', folder], 'capture'));
  for (const file of readdirSync(folder)) {
    const [, name] = /^trading-automation-(.+)-\d+\.\d+\.\d+.*\.tgz$/.exec(file) ?? [];
    if (name !== undefined) renameSync(join(folder, file), join(folder, `${name}.tgz`));
  }
}

/**
 * @param {string} name
 * @param {string} folder
 */
async function unpack(name, folder) {
  const tarball = join(folder, `${name}.tgz`);
  const place = packageFolder(name, folder);
  mkdirSync(place, { recursive: true });
  const unpacked = await run('tar', ['-xzf', tarball, '-C', place, '--strip-components=1']);
  assertSucceeded(`unpacking ${name}`, unpacked);
  const missing = filesIn(manifestOf(name, folder).exports).filter((file) => !existsSync(join(place, file)));
  if (missing.length > 0)
    throw new Error(`packages/${name} is built incompletely; missing: ${missing.join(', ')}`);
}

/**
 * Returns all files that a manifest's `exports` name.
 *
 * @param {object | string} exports
 * @returns {string[]}
 */
const filesIn = (exports) =>
  typeof exports === 'string' ? [exports] : Object.values(exports).flatMap((each) => filesIn(each));

/**
 * @param {string} what
 * @param {{ code: number, stdout: string, stderr: string }} ended
 */
function assertSucceeded(what, { code, stdout, stderr }) {
  if (code !== 0) throw new Error(`${what} failed (exit code ${code}): ${stdout}${stderr}`);
}

/**
 * Links the declared dependencies and peer dependencies to the installed packages of the workspace. Node follows the
 * links, so that it finds the dependencies of those packages there.
 *
 * @param {string} name
 * @param {string} folder
 */
function linkDependencies(name, folder) {
  const { dependencies, peerDependencies } = manifestOf(name, folder);
  for (const dependency of Object.keys({ ...dependencies, ...peerDependencies })) {
    const link = join(folder, 'node_modules', dependency);
    if (existsSync(link)) continue;
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(realpathSync(join(root, 'packages', name, 'node_modules', dependency)), link);
  }
}

/**
 * For each entry point of the SDK, writes a file that re-exports it.
 *
 * @param {string} folder
 */
function writeEntries(folder) {
  for (const entry of Object.keys(manifestOf('sdk', folder).exports)) {
    if (entry === './package.json') continue;
    const path = entry.slice(1);
    writeFileSync(join(folder, `sdk${path.replace('/', '-')}.mjs`), `export * from '${scope}/sdk${path}';\n`);
  }
}
