import { run } from '../launch/commands.mjs';
import { readPackedPackages } from './published.mjs';

/**
 * Publishes packed packages and tags their commit: `node tooling/release/publish.mjs <folder>`. It works only in the release
 * workflow, whose identity npm trusts.
 *
 * 1. It publishes the given tarballs unchanged, with the provenance of the publishing run.
 * 2. It skips versions and tags that already exist, so that an interrupted run can be repeated.
 */

/**
 * @param {string} command
 * @param {string[]} args
 */
async function runOrThrow(command, args) {
  const { code } = await run(command, args, { output: 'show' });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed (exit code ${code})`);
}

/** @param {string} release `name@version` */
async function isPublished(release) {
  const { code, stdout, stderr } = await run('npm', ['view', release, 'version', '--json']);
  if (code === 0) return stdout.trim() !== '';
  if ((stdout + stderr).includes('E404')) return false;
  throw new Error(`could not find out whether the registry has ${release}: ${stdout}${stderr}`);
}

/** @param {string} tag */
async function isTagged(tag) {
  const { code, stdout, stderr } = await run('git', ['ls-remote', '--tags', 'origin', `refs/tags/${tag}`]);
  if (code !== 0) throw new Error(`could not find out whether origin has the tag ${tag}: ${stderr}`);
  return stdout !== '';
}

const [folder] = process.argv.slice(2);
if (folder === undefined)
  throw new TypeError(
    'Missing folder of tarballs. Use: node tooling/release/publish.mjs <folder of tarballs>',
  );
for (const { tarball, name, version } of await readPackedPackages(folder)) {
  const release = `${name}@${version}`;
  if (await isPublished(release)) console.log(`${release} is already published`);
  else await runOrThrow('npm', ['publish', tarball, '--access', 'public', '--provenance']);
  if (await isTagged(release)) continue;
  await runOrThrow('git', ['tag', release]);
  await runOrThrow('git', ['push', 'origin', `refs/tags/${release}`]);
}
