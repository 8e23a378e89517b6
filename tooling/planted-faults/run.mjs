import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../launch/commands.mjs';
import { readIfExists } from '../launch/files.mjs';
import { outcomeOf } from './outcome.mjs';
import { plant } from './plant.mjs';

/**
 * A copy of the workspace, and the servers of its tests.
 *
 * @typedef {{ folder: string, databaseUrl: string, redisUrl: string }} WorkspaceCopy
 * A defect to plant. `find` occurs exactly once in `file`, and `replace` replaces it; then at least one of `tests`
 * must fail. Paths are relative to the root of the workspace. With `title`, only the tests run whose full name contains it.
 *
 * @typedef {{
 *   name: string, file: string, find: string, replace: string, tests: readonly string[], title?: string | undefined,
 * }} PlantedFault
 * @typedef {{ fault: PlantedFault, outcome: import('./outcome.mjs').Outcome, seconds: number }} Run
 */

/** The time after which a run of specs is killed. A defect may make a test wait for ever. */
const RUN_LIMIT_MS = 5 * 60_000;
/** The time after which a run of all specs on the unmodified source is killed. */
const UNMODIFIED_LIMIT_MS = 25 * 60_000;

/**
 * Runs specs on the unmodified source, where they must pass.
 *
 * @param {WorkspaceCopy} copy
 * @param {readonly string[]} tests
 */
export function runUnmodified(copy, tests) {
  return runSpecs(copy, { tests, limitMs: UNMODIFIED_LIMIT_MS });
}

/**
 * Plants a fault, runs its specs, and restores the source.
 *
 * @param {WorkspaceCopy} copy
 * @param {PlantedFault} fault
 * @returns {Promise<Run>}
 */
export async function runFault(copy, fault) {
  const startedAt = performance.now();
  const path = join(copy.folder, fault.file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, plant(source, fault));
  try {
    const outcome = await runSpecs(copy, { ...fault, limitMs: RUN_LIMIT_MS });
    return { fault, outcome, seconds: Math.round((performance.now() - startedAt) / 1_000) };
  } finally {
    writeFileSync(path, source);
  }
}

/**
 * @param {WorkspaceCopy} copy
 * @param {{ tests: readonly string[], title?: string | undefined, limitMs: number }} specs
 */
async function runSpecs({ folder, databaseUrl, redisUrl }, { tests, title, limitMs }) {
  const resultFolder = mkdtempSync(join(tmpdir(), 'trading-automation-planted-'));
  const outputFile = join(resultFolder, 'result.json');
  // Some specs measure contention. They could fail if other specs ran at the same time on a slow machine.
  const options = ['--ci', '--runInBand', '--json', `--outputFile=${outputFile}`];
  if (title !== undefined) options.push('--testNamePattern', title.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  try {
    const { stderr } = await run(
      'node',
      ['node_modules/jest/bin/jest.js', ...options, '--runTestsByPath', ...tests],
      {
        cwd: folder,
        limitMs,
        env: {
          ...process.env,
          // Colour codes in the result would hide the messages of assertions.
          FORCE_COLOR: '0',
          TEST_DATABASE_URL: databaseUrl,
          TEST_REDIS_URL: redisUrl,
          TEST_BROWSER: '',
          TEST_KEYRING: '',
          TEST_APT: '',
          // None of these specs uses the packed SDK, and packing takes longer than most of them.
          TEST_PACKED_SDK: '',
          NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning',
        },
      },
    );
    const outcome = outcomeOf(JSON.parse(readIfExists(outputFile) ?? 'null'), tests.length);
    if (outcome.kind === 'unusable') console.error(stderr);
    return outcome;
  } finally {
    rmSync(resultFolder, { recursive: true, force: true });
  }
}
