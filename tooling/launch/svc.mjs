import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './commands.mjs';
import { root } from './paths.mjs';

/**
 * The command line as users install it: in tests the one that was packed for the run, elsewhere the build of
 * the workspace.
 */
const installed = process.env.TEST_PACKED_SDK;
if (installed === '') throw new Error('No CLI was packed for this run, see its beginning: npm run build');
const folder =
  installed === undefined
    ? join(root, 'packages', 'cli')
    : join(installed, 'node_modules', '@trading-automation', 'cli');

/** What `svc` runs. */
export const svcFile = join(folder, JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).bin.svc);

/**
 * Runs one command to its end, without a terminal, in a home of its own.
 *
 * @param {string} home a folder for its configuration and secrets
 * @param {readonly string[]} args
 * @param {{ variables?: Record<string, string>, input?: string }} [options] `input` is its stdin
 */
export function svc(home, args, { variables = {}, input } = {}) {
  return run('node', [svcFile, ...args], { env: { ...environmentIn(home), ...variables }, input });
}

/**
 * Nothing that this process's environment says to the command line or to Node is heard.
 *
 * @param {string} home
 * @returns {NodeJS.ProcessEnv}
 */
export function environmentIn(home) {
  const others = Object.entries(process.env).filter(([name]) => !/^(?:SVC_|NODE_OPTIONS$)/.test(name));
  return { ...Object.fromEntries(others), SVC_CONFIG_DIR: home, SVC_CREDENTIALS: 'file' };
}
