import { join } from 'node:path';
import { run } from './commands.mjs';
import { root } from './paths.mjs';
import { setUp } from './setup.mjs';

/**
 * Checks that must pass besides the tests. The summary counts each check as one test. A check prints its own findings and
 * returns whether it passed. After a failure, the other checks still run.
 *
 * @typedef {{ name: string, passes: (output: Output) => Promise<boolean> }} Check
 */

/**
 * Installs dependencies and builds the workspace. The later checks need its result.
 *
 * @type {Check}
 */
export const SET_UP = {
  name: 'set-up',
  async passes() {
    await setUp((line) => console.log(line));
    return true;
  },
};

/**
 * Compares generated files with the output of their generators. The generators rewrite the files meanwhile, so no other
 * check may run at the same time.
 *
 * @type {Check}
 */
export const GENERATED_FILES = {
  name: 'drift',
  passes: (show) => show.command('node', ['tooling/launch/drift.mjs']),
};

/**
 * Checks the types. It uses all cores and may write `dist`, so it does not run at the same time as the tests.
 *
 * @type {Check}
 */
export const TYPES = { name: 'types', passes: (show) => show.tool('tsc', ['-b']) };

/**
 * Checks that write no files and use one core each. They run at the same time as the tests.
 *
 * @type {Check[]}
 */
export const CHECKS = [
  { name: 'lint', passes: (show) => show.tool('biome', ['check', '.']) },
  { name: 'boundaries', passes: (show) => show.command('node', ['tooling/boundaries/check.mjs']) },
  { name: 'language', passes: (show) => show.command('node', ['tooling/rules/check-language.mjs']) },
  { name: 'unused', passes: (show) => show.tool('knip', ['--no-config-hints']) },
  { name: 'versions', passes: (show) => show.tool('sherif') },
  {
    name: 'defences',
    passes: (show) =>
      show.command('node', ['tooling/defences/main.mjs', '--as-built', '--sample', '--at-once', '1']),
  },
];

/**
 * Runs checks one after another. The output of a check is printed when the check ends. Its heading is normally
 * printed first. While tests run, the heading is printed together with the output, so that test output does not
 * separate the two.
 *
 * @param {readonly Check[]} checks
 * @param {import('./steps.mjs').Steps} steps
 * @param {{ areTestsRunning?: boolean }} [options] `areTestsRunning`: whether the tests run at the same time
 * @returns {Promise<{ passed: string[], failed: string[] }>}
 */
export async function runChecks(checks, steps, { areTestsRunning = false } = {}) {
  /** @type {{ passed: string[], failed: string[] }} */
  const outcome = { passed: [], failed: [] };
  for (const { name, passes } of checks) {
    const output = captureOutput();
    if (!areTestsRunning) heading(name);
    const hasPassed = await steps.time(name, () =>
      passes(output).catch((error) => {
        output.print(error instanceof Error ? error.message : String(error));
        return false;
      }),
    );
    if (areTestsRunning) heading(name);
    if (output.text() !== '') console.log(output.text());
    console.log(`${name}: ${hasPassed ? 'passed' : 'FAILED'}`);
    (hasPassed ? outcome.passed : outcome.failed).push(name);
  }
  return outcome;
}

/** @typedef {ReturnType<typeof captureOutput>} Output */

/** Returns functions that run commands and capture their output. */
function captureOutput() {
  let text = '';
  const print = (/** @type {string} */ addition) => {
    text += addition.endsWith('\n') || addition === '' ? addition : `${addition}\n`;
  };
  /**
   * @param {string} program
   * @param {string[]} args
   */
  async function command(program, args) {
    const { code, stdout, stderr } = await run(program, args);
    print(stdout);
    print(stderr);
    return code === 0;
  }
  return {
    print,
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
