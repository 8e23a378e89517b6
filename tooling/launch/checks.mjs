import { join } from 'node:path';
import { run } from './commands.mjs';
import { root } from './paths.mjs';
import { pnpm, setUp } from './setup.mjs';

/**
 * What has to hold besides the tests. Each check is counted as one, prints its own findings, and answers
 * whether it holds; one that fails stops no other.
 *
 * @typedef {{ name: string, holds: () => Promise<boolean> }} Check
 */

/**
 * @param {string} command
 * @param {string[]} args
 */
async function succeeds(command, args) {
  const { code, stderr } = await run(command, args, { output: 'show' });
  if (stderr !== '') console.error(stderr);
  return code === 0;
}

/**
 * @param {string} name
 * @param {string[]} args
 */
const tool = (name, args = []) => succeeds(join(root, 'node_modules', '.bin', name), args);

/**
 * Dependencies and build: what comes after works on what this left.
 *
 * @type {Check}
 */
export const SET_UP = {
  name: 'set-up',
  async holds() {
    await setUp((line) => console.log(line));
    return true;
  },
};

/** @type {Check[]} */
export const CHECKS = [
  {
    name: 'types',
    async holds() {
      const args = ['turbo', 'run', 'types', '--continue', '--output-logs=errors-only', '--ui=stream'];
      return (await pnpm(args, 'show')).code === 0;
    },
  },
  { name: 'lint', holds: () => tool('biome', ['check', '.']) },
  { name: 'boundaries', holds: () => succeeds('node', ['tooling/boundaries/check.mjs']) },
  { name: 'unused', holds: () => tool('knip', ['--no-config-hints']) },
  { name: 'versions', holds: () => tool('sherif') },
  { name: 'drift', holds: () => succeeds('node', ['tooling/launch/drift.mjs']) },
];

/**
 * Runs checks one after another, each under a heading.
 *
 * @param {Check[]} checks
 * @returns {Promise<{ passed: string[], failed: string[] }>}
 */
export async function runChecks(checks) {
  /** @type {{ passed: string[], failed: string[] }} */
  const outcome = { passed: [], failed: [] };
  for (const { name, holds } of checks) {
    heading(name);
    const isHeld = await holds().catch((error) => {
      console.error(error instanceof Error ? error.message : error);
      return false;
    });
    console.log(`${name}: ${isHeld ? 'passed' : 'FAILED'}`);
    (isHeld ? outcome.passed : outcome.failed).push(name);
  }
  return outcome;
}

/** @param {string} name */
export function heading(name) {
  console.log(`\n── ${name} ${'─'.repeat(Math.max(3, 70 - name.length))}`);
}
