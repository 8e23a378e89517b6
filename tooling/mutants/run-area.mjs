import { readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Stryker } from '@stryker-mutator/core';
import { root } from '../launch/paths.mjs';

/** Folders that no unit spec of an area reads. They are left out of the copy in which the specs run. */
const NOT_COPIED = [
  'dist',
  '.turbo',
  '/.data',
  '/.changeset',
  '/.mutants',
  '/tsconfig.json',
  '/apps/graphql-api',
  '/apps/migrator',
  '/apps/paper-exchange',
  '/apps/rest-api',
  '/apps/trading-worker',
  '/bench',
  '/infra',
  '/packages/cli',
  '/packages/sdk',
  '/tooling',
];

/** The copies of this process. Stryker leaves them behind if a signal ends it. */
const copies = `.mutants/${process.pid}`;
process.once('exit', () => rmSync(join(root, copies), { recursive: true, force: true }));

/**
 * Runs the unit specs for every mutant of the files. Stryker works on a copy of the workspace.
 *
 * @param {{ files: readonly string[], specs: readonly string[] }} area paths from the root folder
 * @returns {Promise<import('./judge.mjs').Mutant[]>}
 */
export async function runArea({ files, specs }) {
  process.chdir(root);
  const stryker = new Stryker({
    mutate: [...files],
    unitSpecs: specs,
    testRunner: 'unit-specs',
    plugins: [fileURLToPath(new URL('./unit-spec-runner.mjs', import.meta.url))],
    testRunnerNodeArgs: ['--conditions=@trading-automation/source'],
    coverageAnalysis: 'perTest',
    checkers: [],
    disableTypeChecks: false,
    concurrency: Math.min(availableParallelism(), 4),
    // Each mutant of a module's constants evaluates modules again, and the old ones stay in memory.
    maxTestRunnerReuse: 400,
    timeoutMS: 10_000,
    ignorePatterns: NOT_COPIED,
    tempDirName: copies,
    cleanTempDir: 'always',
    reporters: [],
    logLevel: /** @type {import('@stryker-mutator/api/core').LogLevel} */ ('error'),
    allowConsoleColors: false,
    warnings: false,
  });
  const results = await stryker.runMutationTest();
  return results.map(mutantOf);
}

/** @param {import('@stryker-mutator/api/core').MutantResult} result @returns {import('./judge.mjs').Mutant} */
function mutantOf({ fileName, location, mutatorName, replacement, status }) {
  const lines = readFileSync(join(root, relative(root, fileName)), 'utf8').split('\n');
  return {
    file: relative(root, fileName),
    lineNumber: location.start.line,
    line: (lines[location.start.line - 1] ?? '').trim(),
    mutator: mutatorName,
    original: textAt(lines, location),
    replacement: replacement ?? '',
    status,
  };
}

/**
 * @param {readonly string[]} lines
 * @param {import('@stryker-mutator/api/core').Location} location with lines and columns from 1
 */
function textAt(lines, { start, end }) {
  const selected = lines.slice(start.line - 1, end.line);
  selected.push((selected.pop() ?? '').slice(0, end.column - 1));
  const [first = '', ...others] = selected;
  return [first.slice(start.column - 1), ...others].join('\n');
}
