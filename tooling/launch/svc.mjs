import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './commands.mjs';
import { root } from './paths.mjs';

/**
 * Runs the CLI. Tests get the CLI that was packed for their run, as users install it. Other programs get the build of
 * the workspace.
 */
const installed = process.env.TEST_PACKED_SDK;
if (installed === '')
  throw new Error(
    'No CLI was packed for this test run; the beginning of its output shows why. Run: npm run build',
  );
const folder =
  installed === undefined
    ? join(root, 'packages', 'cli')
    : join(installed, 'node_modules', '@trading-automation', 'cli');

/** The file that `svc` runs. */
export const svcFile = join(folder, JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).bin.svc);

/**
 * Runs one command until it ends, without a terminal and with its own home folder.
 *
 * @param {string} home a folder for its configuration and secrets
 * @param {readonly string[]} args
 * @param {{ variables?: Record<string, string>, input?: string }} [options] `variables`: additional environment
 *   variables; `input`: the standard input
 */
export function svc(home, args, { variables = {}, input } = {}) {
  return run('node', [svcFile, ...args], { env: { ...environmentIn(home), ...variables }, input });
}

/**
 * Returns this process's environment without variables for the CLI or Node, and with the given home folder.
 *
 * @param {string} home
 * @returns {NodeJS.ProcessEnv}
 */
export function environmentIn(home) {
  const others = Object.entries(process.env).filter(([name]) => !/^(?:SVC_|NODE_OPTIONS$)/.test(name));
  return { ...Object.fromEntries(others), SVC_CONFIG_DIR: home, SVC_CREDENTIALS: 'file' };
}
