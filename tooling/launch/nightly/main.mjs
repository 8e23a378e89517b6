import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { heading } from '../checks.mjs';
import { endCommands, run } from '../commands.mjs';
import { dataPaths } from '../paths.mjs';
import { setUp } from '../setup.mjs';
import { PARTS, partsNamed } from './parts.mjs';
import { isCurrent, readPasses, recordPass, tableOf } from './passes.mjs';

/**
 * `npm run test:nightly [-- part ...] [--again] [--list]`: runs the tests that take too long for every change, one part after
 * another. A part that passed on this commit is not run again without `--again`. To continue an interrupted
 * run, start it again. `--list` only prints when each part last passed.
 *
 * Before the set-up has run, this file must not import installed packages.
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
  const checkout = await readCheckout();
  if (!checkout.isClean)
    console.log('There are uncommitted changes, so parts that pass in this run are not recorded as passed.');
  await setUp((line) => console.log(line));
  /** @type {Record<string, string>} */
  const outcomes = {};
  for (const part of parts) {
    if (!values.again && isCurrent(readPasses(file)[part.name], checkout)) {
      outcomes[part.name] = 'passed before';
      continue;
    }
    heading(`${part.name}: ${part.about}`);
    const { hasPassed, failure, seconds } = await runPart(part);
    outcomes[part.name] = hasPassed ? 'passed' : failure;
    console.log(`${part.name}: ${outcomes[part.name]} (${seconds} s)`);
    if (hasPassed && checkout.isClean) {
      recordPass(file, part.name, { passedAt: new Date().toISOString(), commit: checkout.commit, seconds });
    }
  }
  console.log(`\n${tableOf(PARTS, readPasses(file), outcomes)}`);
  const allPassed = Object.values(outcomes).every((outcome) => outcome.startsWith('passed'));
  process.exitCode = allPassed ? 0 : 1;
}

/** @param {import('./parts.mjs').Part} part */
async function runPart({ command, args, env, limitMinutes = 30 }) {
  const startedAt = performance.now();
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    void endCommands();
  }, limitMinutes * 60_000);
  const { code } = await run(command, args, { output: 'show', env: { ...process.env, ...env } });
  clearTimeout(limit);
  return {
    hasPassed: code === 0 && !isLate,
    failure: isLate ? `FAILED: over ${limitMinutes} min` : `FAILED: exit code ${code}`,
    seconds: Math.round((performance.now() - startedAt) / 1_000),
  };
}

async function readCheckout() {
  const commit = (await run('git', ['rev-parse', 'HEAD'])).stdout.trim();
  const status = await run('git', ['status', '--porcelain']);
  return { commit, isClean: status.code === 0 && commit !== '' && status.stdout === '' };
}
