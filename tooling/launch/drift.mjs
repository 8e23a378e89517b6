import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './commands.mjs';
import { root } from './paths.mjs';

/**
 * Checks that committed generated files equal the current output of their generators. A workspace package registers its
 * generator as the script `gen` of its package.json. The script must be deterministic and may write only inside its package.
 * The check reports the files that differ, and restores their committed content.
 */

/** @returns {string[]} folders of the packages that have a generator */
function generators(/** @type {string} */ workspaceRoot) {
  const inside = (/** @type {string} */ group) =>
    existsSync(join(workspaceRoot, group))
      ? readdirSync(join(workspaceRoot, group)).map((name) => `${group}/${name}`)
      : [];
  return [...inside('packages'), ...inside('apps')].filter((folder) => {
    const manifest = join(workspaceRoot, folder, 'package.json');
    return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).scripts?.gen !== undefined;
  });
}

/** Returns the current content of every file in a folder that git tracks or would add. */
function snapshot(/** @type {string} */ folder) {
  const listing = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', folder],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  const files = listing.split('\0').filter((file) => file !== '' && existsSync(join(root, file)));
  return new Map(files.map((file) => [file, readFileSync(join(root, file))]));
}

const digest = (/** @type {Buffer | undefined} */ bytes) =>
  bytes === undefined ? 'absent' : createHash('sha256').update(bytes).digest('hex');

/** @returns {Promise<boolean>} whether the generator succeeded and changed no file */
async function isUpToDate(/** @type {string} */ folder) {
  const before = snapshot(folder);
  const { code } = await run('npm', ['run', '--silent', 'gen'], { cwd: join(root, folder), output: 'show' });
  const after = snapshot(folder);
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (file) => digest(before.get(file)) !== digest(after.get(file)),
  );
  for (const file of changed) {
    console.error(`${file} differs from the output of its generator. Run \`npm run gen\` in ${folder}`);
    const bytes = before.get(file);
    if (bytes !== undefined) writeFileSync(join(root, file), bytes);
  }
  return code === 0 && changed.length === 0;
}

if (process.argv[1] === import.meta.filename) {
  const folders = generators(root);
  if (folders.length === 0) console.log('No generated files yet');
  // The generators can run concurrently, because each writes only inside its package.
  const states = await Promise.all(
    folders.map(async (folder) => ({ folder, isCurrent: await isUpToDate(folder) })),
  );
  for (const { folder, isCurrent } of states) {
    console.log(`${folder}: ${isCurrent ? 'up to date' : 'out of date'}`);
    if (!isCurrent) process.exitCode = 1;
  }
}
