import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../launch/commands.mjs';

/** The commit of the release before this one, from `previous-release.json`. The release of a new version updates that file. */
export const previousCommit = /** @type {{ commit: string }} */ (
  JSON.parse(readFileSync(join(import.meta.dirname, 'previous-release.json'), 'utf8'))
).commit;

/** Written when a checkout is installed and built. */
const stamp = '.rollout-stamp';

/**
 * Checks out the previous release beside this clone, installs it from its own lockfile and builds it. A later run uses the
 * same checkout.
 *
 * @param {(line: string) => void} print
 * @param {string} [folder]
 * @returns {Promise<string>} the folder of the checkout
 * @throws {Error} if the history of this clone does not contain the commit, or a step fails
 */
export async function preparePreviousRelease(
  print,
  folder = join(tmpdir(), 'trading-automation-rollout', previousCommit),
) {
  const stampFile = join(folder, stamp);
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === previousCommit) return folder;
  await assertHasCommit(previousCommit);
  if (!existsSync(join(folder, '.git'))) {
    print(`Checking out ${previousCommit}`);
    mkdirSync(join(folder, '..'), { recursive: true });
    await succeed('git', ['worktree', 'prune']);
    await succeed('git', ['worktree', 'add', '--force', '--detach', folder, previousCommit]);
  }
  print('Installing and building the previous release');
  const script = "const { setUp } = await import('./tooling/launch/setup.mjs'); await setUp(console.log);";
  await succeed('node', ['--input-type=module', '--eval', script], folder);
  writeFileSync(stampFile, previousCommit);
  return folder;
}

/**
 * @param {string} commit
 * @throws {Error} if the history of this clone does not contain the commit
 */
export async function assertHasCommit(commit) {
  const { code } = await run('git', ['cat-file', '-e', `${commit}^{commit}`]);
  if (code === 0) return;
  throw new Error(
    `The history of this clone does not contain the previous release, ${commit}. Fetch the whole history: git fetch --unshallow`,
  );
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} [cwd]
 */
async function succeed(command, args, cwd) {
  const { code, stdout, stderr } = await run(command, args, cwd === undefined ? {} : { cwd });
  if (code !== 0) throw new Error(`${command} ${args[0]} failed (exit code ${code}):\n${stdout}${stderr}`);
}
