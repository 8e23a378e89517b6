import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { copyWorkspace } from '../e2e/workspace-copy.mjs';
import { endCommands, run } from '../launch/commands.mjs';
import { temporaryFolder } from '../launch/test-servers.mjs';
import { plant } from '../planted-faults/plant.mjs';
import { totalLine } from '../planted-faults/report.mjs';
import { outcomeOfRun, packageOf } from './planted.rules.mjs';

/**
 * `npm run oracle:planted -- [words ...] [--perpetual] [--seeds 1,2] [--faults-only] [--list file]`: plants each fault of the list (planted.json) in a copy of the built workspace,
 * builds its package and runs the oracle over 200 decisions (500 on perpetuals) for each seed, until one finds the fault. Exits with code 0 if
 * the unmodified product agrees with the oracle and every fault is found. With `--perpetual`, these are the faults of perpetuals. `--faults-only` does not run the unmodified product.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '1' },
    decisions: { type: 'string' },
    perpetual: { type: 'boolean', default: false },
    'faults-only': { type: 'boolean', default: false },
    list: { type: 'string', default: join(import.meta.dirname, 'planted.json') },
  },
});
/** @type {{ name: string, file: string, find: string, replace: string, perpetual?: boolean }[]} */
const all = JSON.parse(readFileSync(values.list, 'utf8'));
const faults = all.filter(
  ({ name, perpetual = false }) =>
    perpetual === values.perpetual &&
    (positionals.length === 0 || positionals.some((word) => name.includes(word))),
);
if (faults.length === 0) throw new Error('No fault is listed. Add faults to tooling/oracle/planted.json.');

const copies = temporaryFolder();
/** @type {string | undefined} the file of a fault whose package was not rebuilt without it */
let staleFile;
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  process.once(signal, async () => {
    await endCommands();
    rmSync(copies, { recursive: true, force: true });
    process.exit(130);
  });
}
try {
  const folder = join(copies, 'workspace');
  copyWorkspace(folder);
  process.exitCode = (await isEachFound(folder)) ? 0 : 1;
} finally {
  rmSync(copies, { recursive: true, force: true });
}

/** @param {string} folder the copy of the workspace */
async function isEachFound(folder) {
  const unmodified = values['faults-only'] ? 'MISSED' : await runSeeds(folder);
  if (!values['faults-only'])
    console.log(`without a fault: ${unmodified === 'MISSED' ? 'no difference' : unmodified}`);
  if (unmodified !== 'MISSED') return false;
  let found = 0;
  for (const fault of faults) {
    await rebuildOther(folder, fault.file);
    const outcome = await runFault(folder, fault);
    if (outcome.startsWith('found')) found += 1;
    console.log(`${fault.name}: ${outcome}`);
  }
  console.log(`\n${totalLine(found, faults.length)}`);
  return found === faults.length;
}

/** @param {string} folder @param {typeof faults[number]} fault */
async function runFault(folder, fault) {
  const path = join(folder, fault.file);
  const source = readFileSync(path, 'utf8');
  try {
    writeFileSync(path, plant(source, fault));
    const problem = await build(folder, fault.file);
    return problem === undefined ? await runSeeds(folder) : `UNUSABLE: ${problem}`;
  } catch (error) {
    return `UNUSABLE: ${error instanceof Error ? error.message : error}`;
  } finally {
    writeFileSync(path, source);
    staleFile = fault.file;
  }
}

/** Rebuilds the package of the fault before, unless the next fault is in the same package. @param {string} folder @param {string} file */
async function rebuildOther(folder, file) {
  if (staleFile !== undefined && packageOf(staleFile) !== packageOf(file)) await build(folder, staleFile);
  staleFile = undefined;
}

/** @param {string} folder @param {string} file */
async function build(folder, file) {
  const { code, stdout } = await run('npm', ['run', 'build'], { cwd: join(folder, packageOf(file)) });
  return code === 0 ? undefined : stdout.trim().split('\n').at(-1);
}

/** Runs the oracle for one seed after another until one finds a difference, and only as far as needed. @param {string} folder */
async function runSeeds(folder) {
  for (const seed of values.seeds.split(',')) {
    const market = values.perpetual ? ['--perpetual', '--copiers', '16'] : [];
    const decisions = values.decisions ?? (values.perpetual ? '500' : '200');
    const options = ['--seed', seed, '--decisions', decisions, '--stop-at-difference', ...market];
    const args = ['tooling/oracle/main.mjs', ...options];
    const { code, stdout, stderr } = await run('node', args, { cwd: folder });
    const outcome = outcomeOfRun({ code, stdout, stderr });
    console.log(`  seed ${seed}: ${outcome.slice(0, 100)}`);
    if (outcome !== 'MISSED') return outcome;
  }
  return 'MISSED';
}
