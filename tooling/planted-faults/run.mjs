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
 * @typedef {{ folder: string, databaseUrl: string | undefined, redisUrl: string | undefined }} WorkspaceCopy
 * @typedef {{ fault: import('./faults.mjs').PlantedFault, outcome: import('./outcome.mjs').Outcome, seconds: number }} Run
 */

/**
 * Runs the specs of all planted faults on the unmodified source, where they must pass.
 *
 * @param {WorkspaceCopy} copy
 * @param {readonly import('./faults.mjs').PlantedFault[]} faults
 */
export function runUnmodified(copy, faults) {
  return runSpecs(copy, [...new Set(faults.flatMap(({ tests }) => tests))]);
}

/**
 * Plants a fault, runs its specs, and restores the source.
 *
 * @param {WorkspaceCopy} copy
 * @param {import('./faults.mjs').PlantedFault} fault
 * @returns {Promise<Run>}
 */
export async function runFault(copy, fault) {
  const startedAt = performance.now();
  const path = join(copy.folder, fault.file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, plant(source, fault));
  try {
    const outcome = await runSpecs(copy, fault.tests);
    return { fault, outcome, seconds: Math.round((performance.now() - startedAt) / 1_000) };
  } finally {
    writeFileSync(path, source);
  }
}

/**
 * @param {WorkspaceCopy} copy
 * @param {readonly string[]} specs
 */
async function runSpecs({ folder, databaseUrl, redisUrl }, specs) {
  const resultFolder = mkdtempSync(join(tmpdir(), 'trading-automation-planted-'));
  const outputFile = join(resultFolder, 'result.json');
  // Some specs measure contention. They could fail if other specs ran at the same time on a slow machine.
  const options = ['--ci', '--maxWorkers=1', '--json', `--outputFile=${outputFile}`];
  try {
    const { stderr } = await run(
      'node',
      ['node_modules/jest/bin/jest.js', ...options, '--runTestsByPath', ...specs],
      {
        cwd: folder,
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
    const outcome = outcomeOf(JSON.parse(readIfExists(outputFile) ?? 'null'), specs.length);
    if (outcome.kind === 'unusable') console.error(stderr);
    return outcome;
  } finally {
    rmSync(resultFolder, { recursive: true, force: true });
  }
}
