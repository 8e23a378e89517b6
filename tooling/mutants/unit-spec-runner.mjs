import { realpathSync } from 'node:fs';
import { register } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import {
  DryRunStatus,
  determineHitLimitReached,
  MutantRunStatus,
  TestStatus,
} from '@stryker-mutator/api/test-runner';
import fc from 'fast-check';
import { loadSpecs, runUntilFailure } from './spec-files.mjs';

/**
 * The test runner of Stryker for this repository: it loads the unit specs of an area once per process, and runs them for
 * one mutant after another. Property tests generate the same cases in every run, so that a mutant is always judged the
 * same way.
 *
 * @typedef {import('./spec-files.mjs').SpecTest} SpecTest
 * @typedef {import('@stryker-mutator/api/test-runner').MutantRunOptions} MutantRunOptions
 * @typedef {import('@stryker-mutator/api/test-runner').MutantRunResult} MutantRunResult
 */

const SEED = 20_260_101;

/**
 * What the instrumented sources read and write.
 *
 * @type {import('@stryker-mutator/api/core').InstrumenterContext}
 */
const context = {};
Object.assign(globalThis, { __stryker__: context });

class UnitSpecRunner {
  static inject = tokens(commonTokens.options);

  /** @type {readonly SpecTest[] | undefined} undefined while nothing is loaded */
  #tests;
  #loadCount = 0;
  /** The longest time of each test, to run the quick tests first. @type {Map<string, number>} */
  #milliseconds = new Map();

  /** @param {import('@stryker-mutator/api/core').StrykerOptions} options */
  constructor(options) {
    const files = /** @type {readonly string[]} */ (options.unitSpecs);
    this.files = files.map((file) => resolve(file));
  }

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    const workspace = pathToFileURL(`${realpathSync(process.cwd())}/`).href;
    register('./load-hooks.mjs', { parentURL: import.meta.url, data: { workspace } });
    process.env.NODE_ENV = 'test';
    fc.configureGlobal({ seed: SEED, endOnFailure: true });
  }

  /**
   * Runs all tests without a mutant, and records which mutants each test reaches.
   *
   * @returns {Promise<import('@stryker-mutator/api/test-runner').DryRunResult>}
   */
  async dryRun() {
    const tests = await this.#load();
    const outcomes = await runUntilFailure(tests, ({ id }) => {
      context.currentTestId = id;
    });
    context.currentTestId = undefined;
    this.#learn(outcomes);
    return {
      status: DryRunStatus.Complete,
      mutantCoverage: context.mutantCoverage,
      tests: outcomes.map(resultOf),
    };
  }

  /** @param {MutantRunOptions} options @returns {Promise<MutantRunResult>} */
  async mutantRun(options) {
    if (options.reloadEnvironment) this.#tests = undefined;
    const first = await this.#runMutant(options);
    if (first.killer === undefined || options.mutantActivation === 'static') return first.result;
    // An earlier mutant may have damaged the state of a module. The killing test must pass without the mutant.
    if (await this.#passesWithoutMutant(first.killer)) return first.result;
    this.#tests = undefined;
    return (await this.#runMutant(options)).result;
  }

  /**
   * @param {MutantRunOptions} options
   * @returns {Promise<{ result: MutantRunResult, killer?: SpecTest }>}
   */
  async #runMutant({ activeMutant, mutantActivation, testFilter, hitLimit }) {
    context.hitLimit = hitLimit;
    context.hitCount = hitLimit === undefined ? undefined : 0;
    context.activeMutant = mutantActivation === 'static' ? activeMutant.id : undefined;
    /** @type {readonly SpecTest[]} */
    let tests;
    try {
      tests = this.#tests ?? (await this.#load());
    } catch (error) {
      return { result: { status: MutantRunStatus.Error, errorMessage: String(error) } };
    }
    context.activeMutant = activeMutant.id;
    const outcomes = await runUntilFailure(this.#selected(tests, testFilter));
    context.activeMutant = undefined;
    const timeout = determineHitLimitReached(context.hitCount, hitLimit);
    if (timeout !== undefined) return { result: { status: MutantRunStatus.Timeout, reason: timeout.reason } };
    const nrOfTests = outcomes.length;
    const failed = outcomes.find(({ error }) => error !== undefined);
    if (failed === undefined) {
      this.#learn(outcomes);
      return { result: { status: MutantRunStatus.Survived, nrOfTests } };
    }
    const killedBy = [failed.test.id];
    const failureMessage = failed.error?.message ?? '';
    return {
      killer: failed.test,
      result: { status: MutantRunStatus.Killed, killedBy, failureMessage, nrOfTests },
    };
  }

  /** @param {SpecTest} test */
  async #passesWithoutMutant(test) {
    context.hitLimit = undefined;
    context.hitCount = undefined;
    const [outcome] = await runUntilFailure([test]);
    return outcome?.error === undefined;
  }

  async #load() {
    this.#tests = undefined;
    this.#loadCount++;
    const tests = await loadSpecs(this.files, this.#loadCount);
    this.#tests = tests;
    return tests;
  }

  /**
   * @param {readonly SpecTest[]} tests
   * @param {readonly string[] | undefined} ids undefined for all tests, as for mutants of a module's constants
   */
  #selected(tests, ids) {
    const wanted = ids === undefined ? undefined : new Set(ids);
    return tests
      .filter(({ id }) => wanted?.has(id) ?? true)
      .sort((a, b) => (this.#milliseconds.get(a.id) ?? 0) - (this.#milliseconds.get(b.id) ?? 0));
  }

  /** @param {readonly import('./spec-files.mjs').Outcome[]} outcomes */
  #learn(outcomes) {
    for (const { test, milliseconds } of outcomes) {
      this.#milliseconds.set(test.id, Math.max(milliseconds, this.#milliseconds.get(test.id) ?? 0));
    }
  }
}

/**
 * @param {import('./spec-files.mjs').Outcome} outcome
 * @returns {import('@stryker-mutator/api/test-runner').TestResult}
 */
function resultOf({ test: { id, name, file }, milliseconds, error }) {
  const result = { id, name, fileName: file, timeSpentMs: milliseconds };
  return error === undefined
    ? { ...result, status: TestStatus.Success }
    : { ...result, status: TestStatus.Failed, failureMessage: error.stack ?? error.message };
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'unit-specs', UnitSpecRunner)];
