import { join } from 'node:path';
import { run } from './commands.mjs';
import { root } from './paths.mjs';
import { setUp } from './setup.mjs';

/**
 * What has to hold besides the tests. Each check is counted as one, prints its own findings, and answers
 * whether it holds; one that fails stops no other.
 *
 * @typedef {{ name: string, holds: (output: Output) => Promise<boolean> }} Check
 */

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

/**
 * Holds generated files against their generators, which rewrite them for a moment: nothing that reads the sources runs
 * beside it.
 *
 * @type {Check}
 */
export const DRIFT = { name: 'drift', holds: (show) => show.command('node', ['tooling/launch/drift.mjs']) };

/**
 * Uses every core, and may write `dist`, which the tests run.
 *
 * @type {Check}
 */
export const TYPES = { name: 'types', holds: (show) => show.tool('tsc', ['-b']) };

/**
 * Checks that only read, each on one core: they run beside the tests.
 *
 * @type {Check[]}
 */
export const CHECKS = [
  { name: 'lint', holds: (show) => show.tool('biome', ['check', '.']) },
  { name: 'boundaries', holds: (show) => show.command('node', ['tooling/boundaries/check.mjs']) },
  { name: 'language', holds: (show) => show.command('node', ['tooling/rules/check-language.mjs']) },
  { name: 'unused', holds: (show) => show.tool('knip', ['--no-config-hints']) },
  { name: 'versions', holds: (show) => show.tool('sherif') },
];

/**
 * Runs checks one after another. What each printed appears when it ends; beside the tests its heading does too, so that
 * their output does not come between.
 *
 * @param {readonly Check[]} checks
 * @param {import('./steps.mjs').Steps} steps
 * @param {{ isBeside?: boolean }} [options] whether the tests run at the same time
 * @returns {Promise<{ passed: string[], failed: string[] }>}
 */
export async function runChecks(checks, steps, { isBeside = false } = {}) {
  /** @type {{ passed: string[], failed: string[] }} */
  const outcome = { passed: [], failed: [] };
  for (const { name, holds } of checks) {
    const printed = keepOutput();
    if (!isBeside) heading(name);
    const isHeld = await steps.time(name, () =>
      holds(printed).catch((error) => {
        printed.say(error instanceof Error ? error.message : String(error));
        return false;
      }),
    );
    if (isBeside) heading(name);
    if (printed.text() !== '') console.log(printed.text());
    console.log(`${name}: ${isHeld ? 'passed' : 'FAILED'}`);
    (isHeld ? outcome.passed : outcome.failed).push(name);
  }
  return outcome;
}

/** @typedef {ReturnType<typeof keepOutput>} Output */

/** Runs commands and keeps what they print. */
function keepOutput() {
  let text = '';
  const say = (/** @type {string} */ more) => {
    text += more.endsWith('\n') || more === '' ? more : `${more}\n`;
  };
  /**
   * @param {string} program
   * @param {string[]} args
   */
  async function command(program, args) {
    const { code, stdout, stderr } = await run(program, args);
    say(stdout);
    say(stderr);
    return code === 0;
  }
  return {
    say,
    command,
    /** @param {string} name a program of the root package @param {string[]} [args] */
    tool: (name, args = []) => command(join(root, 'node_modules', '.bin', name), args),
    text: () => text.trimEnd(),
  };
}

/** @param {string} name */
export function heading(name) {
  console.log(`\n── ${name} ${'─'.repeat(Math.max(3, 70 - name.length))}`);
}
