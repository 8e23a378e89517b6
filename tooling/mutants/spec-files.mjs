import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'expect';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  getState,
  it,
  resetState,
  test,
} from 'jest-circus';

/**
 * Runs spec files in this process, again and again. Jest loads every module anew for each run, which takes seconds; a
 * mutant is switched on by a variable, so that one load serves thousands of runs.
 *
 * @typedef {{ id: string, name: string, file: string, run: () => Promise<void> }} SpecTest
 * @typedef {{ test: SpecTest, milliseconds: number, error: Error | undefined }} Outcome
 */

/** @typedef {ReturnType<typeof getState>['rootDescribeBlock']} DescribeBlock */
/** @typedef {Extract<DescribeBlock['children'][number], { type: 'test' }>} TestEntry */

Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test });

/**
 * Evaluates spec files and returns their tests in order.
 *
 * @param {readonly string[]} files absolute paths
 * @param {number} load a number that was not used before; the modules of the workspace are evaluated again for it
 * @returns {Promise<SpecTest[]>}
 * @throws {Error} if a file cannot be evaluated or contains no test
 */
export async function loadSpecs(files, load) {
  /** @type {SpecTest[]} */
  const tests = [];
  for (const file of files) {
    resetState();
    await import(`${pathToFileURL(file).href}?load=${load}`);
    const found = testsIn(getState().rootDescribeBlock, file, []);
    if (found.length === 0) throw new Error(`${file} contains no test.`);
    tests.push(...found);
  }
  return withUniqueIds(tests);
}

/**
 * @param {DescribeBlock} block
 * @param {string} file
 * @param {readonly DescribeBlock[]} parents
 * @returns {SpecTest[]}
 */
function testsIn(block, file, parents) {
  const blocks = [...parents, block];
  return block.children.flatMap((child) => {
    if (child.type === 'describeBlock') return testsIn(child, file, blocks);
    const name = [...blocks.slice(1), child].map((each) => each.name).join(' ');
    return { id: `${basename(file)}: ${name}`, name, file, run: () => runTest(child, blocks) };
  });
}

/** @param {readonly SpecTest[]} tests */
function withUniqueIds(tests) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  return tests.map((each) => {
    const count = (counts.get(each.id) ?? 0) + 1;
    counts.set(each.id, count);
    return count === 1 ? each : { ...each, id: `${each.id} (${count})` };
  });
}

/**
 * Runs one test with all its hooks. Each test runs the `beforeAll` hooks of its blocks too, because mutants run a
 * selection of the tests.
 *
 * @param {TestEntry} entry
 * @param {readonly DescribeBlock[]} blocks from the outermost
 */
async function runTest({ fn, name }, blocks) {
  /** @param {readonly DescribeBlock[]} from @param {string[]} types */
  const runHooks = async (from, ...types) => {
    for (const block of from) {
      for (const hook of block.hooks) if (types.includes(hook.type)) await call(hook.fn, name);
    }
  };
  expect.setState({ assertionCalls: 0, expectedAssertionsNumber: null, isExpectingAssertions: false });
  try {
    await runHooks(blocks, 'beforeAll');
    await runHooks(blocks, 'beforeEach');
    await call(fn, name);
    const [missing] = expect.extractExpectedAssertionsErrors();
    if (missing !== undefined) throw missing.error;
  } finally {
    await runHooks(blocks.toReversed(), 'afterEach', 'afterAll');
  }
}

/**
 * @param {Function | undefined} fn
 * @param {string} name
 */
async function call(fn, name) {
  if (fn === undefined || fn.length > 0)
    throw new TypeError(
      `${name} must be a function without parameters. Return a promise instead of calling done.`,
    );
  await fn();
}

/**
 * Runs tests one after another, up to the first that fails.
 *
 * @param {readonly SpecTest[]} tests
 * @param {(test: SpecTest) => void} [beforeEachTest]
 * @returns {Promise<Outcome[]>}
 */
export async function runUntilFailure(tests, beforeEachTest = () => {}) {
  /** @type {Outcome[]} */
  const outcomes = [];
  for (const each of tests) {
    beforeEachTest(each);
    const startedAt = performance.now();
    /** @type {Error | undefined} */
    let error;
    try {
      await each.run();
    } catch (thrown) {
      error = thrown instanceof Error ? thrown : new Error(String(thrown));
    }
    outcomes.push({ test: each, milliseconds: performance.now() - startedAt, error });
    if (error !== undefined) break;
  }
  return outcomes;
}
