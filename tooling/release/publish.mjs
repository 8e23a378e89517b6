import { run } from '../launch/commands.mjs';
import { packedIn } from './published.mjs';

/**
 * Publishes packed packages and tags what they were made of: `node tooling/release/publish.mjs <folder>`, in the
 * release workflow alone, whose identity npm knows.
 *
 * 1. What is published is the tarball that was given, byte for byte, with the provenance of the run that publishes it.
 * 2. A version that is there already is left alone, and a tag as well: a run that ended half-way is simply run again.
 */

/**
 * @param {string} command
 * @param {string[]} args
 */
async function does(command, args) {
  const { code } = await run(command, args, { output: 'show' });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed (exit code ${code})`);
}

/** @param {string} release `name@version` */
async function isPublished(release) {
  const { code, stdout, stderr } = await run('npm', ['view', release, 'version', '--json']);
  if (code === 0) return stdout.trim() !== '';
  if ((stdout + stderr).includes('E404')) return false;
  throw new Error(`the registry does not say whether ${release} is there: ${stdout}${stderr}`);
}

/** @param {string} tag */
async function isTagged(tag) {
  const { code, stdout, stderr } = await run('git', ['ls-remote', '--tags', 'origin', `refs/tags/${tag}`]);
  if (code !== 0) throw new Error(`origin does not say whether ${tag} is there: ${stderr}`);
  return stdout !== '';
}

const [folder] = process.argv.slice(2);
if (folder === undefined)
  throw new TypeError('Say what: node tooling/release/publish.mjs <folder of tarballs>');
for (const { tarball, name, version } of await packedIn(folder)) {
  const release = `${name}@${version}`;
  if (await isPublished(release)) console.log(`${release} is published`);
  else await does('npm', ['publish', tarball, '--access', 'public', '--provenance']);
  if (await isTagged(release)) continue;
  await does('git', ['tag', release]);
  await does('git', ['push', 'origin', `refs/tags/${release}`]);
}
