import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { heading } from '../checks.mjs';
import { endCommands, run } from '../commands.mjs';
import { dataPaths } from '../paths.mjs';
import { setUp } from '../setup.mjs';
import { PARTS, partLimitMinutes, partsNamed } from './parts.mjs';
import { isCurrent, readPasses, recordPass, tableOf } from './passes.mjs';

/**
 * `npm run test:nightly [-- part ...] [--again] [--list]`: the tests that are too long for every change, one part after
 * another. A part that passed on this commit is not run again, unless `--again` asks for it, so a lane that was
 * interrupted continues. `--list` only prints when each part last passed.
 *
 * Nothing here may import an installed package before the set-up has run.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    again: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
});
const file = join(dataPaths().dataDir, 'nightly.json');
const parts = partsNamed(positionals);

if (values.list) console.log(tableOf(PARTS, readPasses(file), {}));
else await runParts();

async function runParts() {
  for (const [signal, exitCode] of /** @type {const} */ ([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])) {
    process.once(signal, async () => {
      await endCommands();
      process.exit(exitCode);
    });
  }
  const tree = await readTree();
  if (!tree.isClean) console.log('There are uncommitted changes: no pass of this run is recorded.');
  await setUp((line) => console.log(line));
  /** @type {Record<string, string>} */
  const outcomes = {};
  for (const part of parts) {
    if (!values.again && isCurrent(readPasses(file)[part.name], tree)) {
      outcomes[part.name] = 'passed before';
      continue;
    }
    heading(`${part.name}: ${part.about}`);
    const { hasPassed, why, seconds } = await runPart(part);
    outcomes[part.name] = hasPassed ? 'passed' : why;
    console.log(`${part.name}: ${outcomes[part.name]} (${seconds} s)`);
    if (hasPassed && tree.isClean) {
      recordPass(file, part.name, { passedAt: new Date().toISOString(), commit: tree.commit, seconds });
    }
  }
  console.log(`\n${tableOf(PARTS, readPasses(file), outcomes)}`);
  const isGood = Object.values(outcomes).every((outcome) => outcome.startsWith('passed'));
  process.exitCode = isGood ? 0 : 1;
}

/** @param {import('./parts.mjs').Part} part */
async function runPart({ command, args, env }) {
  const startedAt = performance.now();
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    void endCommands();
  }, partLimitMinutes * 60_000);
  const { code } = await run(command, args, { output: 'show', env: { ...process.env, ...env } });
  clearTimeout(limit);
  return {
    hasPassed: code === 0 && !isLate,
    why: isLate ? `FAILED: over ${partLimitMinutes} min` : `FAILED: exit code ${code}`,
    seconds: Math.round((performance.now() - startedAt) / 1_000),
  };
}

async function readTree() {
  const commit = (await run('git', ['rev-parse', 'HEAD'])).stdout.trim();
  const status = await run('git', ['status', '--porcelain']);
  return { commit, isClean: status.code === 0 && commit !== '' && status.stdout === '' };
}
