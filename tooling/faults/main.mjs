import { parseArgs } from 'node:util';
import { setUp } from '../launch/setup.mjs';

/**
 * `npm run faults -- [F3 F7 ...] [--size short|long] [--seed 1,2,3] [--only with|without] [--at-once 2] [--markdown]
 * [--as-built]`: runs every fault with all defences, which must pass, and once with one defence removed, which must
 * fail. The exit code is 0 if every run had the expected result. `--as-built` skips the set-up and uses the last
 * build, which must exist.
 *
 * Before the set-up has run, this file must not import installed packages.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    size: { type: 'string', default: 'short' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    'at-once': { type: 'string', default: '1' },
    markdown: { type: 'boolean', default: false },
    'as-built': { type: 'boolean', default: false },
  },
});
const { only, size } = values;
if (size !== 'short' && size !== 'long') throw new Error('--size must be short or long');
if (only !== undefined && only !== 'with' && only !== 'without')
  throw new Error('--only must be with or without');

const startedAt = performance.now();
const print = (/** @type {string} */ line) =>
  console.log(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(7)} s  ${line}`);

if (!values['as-built']) await setUp(print);
const { startTestServers } = await import('../launch/test-servers.mjs');
const { loadFaults, runFault } = await import('./run.mjs');
const { hasExpectedResult, printMarkdown, printTable } = await import('./table.mjs');

const faults = await loadFaults(positionals);
const servers = await startTestServers({ postgres: true, redis: false });
process.env.TEST_DATABASE_URL = servers.databaseUrl;
const { default: pLimit } = await import('p-limit');
const limit = pLimit(Number(values['at-once']));
/** @type {import('./table.mjs').Row[]} */
let rows = [];
try {
  rows = await Promise.all(
    faults.map((fault) =>
      limit(() =>
        runFault(fault, {
          size,
          seeds: values.seed.split(',').map(Number),
          modes: only === undefined ? ['with', 'without'] : [only],
          print: (line) => print(values['at-once'] === '1' ? line : `${fault.id.padEnd(3)}  ${line}`),
        }),
      ),
    ),
  );
} finally {
  await servers.stop();
}
printTable(rows);
if (values.markdown) printMarkdown(rows);
process.exitCode = rows.every(hasExpectedResult) ? 0 : 1;
