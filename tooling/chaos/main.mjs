import { parseArgs } from 'node:util';
import { runChaos } from './run.mjs';

/** `npm run chaos -- --seconds 600 --seed 1`: exits with code 0 if the audit finds no fault. */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    seed: { type: 'string', default: '1' },
    copiers: { type: 'string', default: '200' },
    verbose: { type: 'boolean', default: false },
  },
});
const startedAt = performance.now();
const print = (/** @type {string} */ line) =>
  console.log(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(7)} s  ${line}`);
const { done, figures, faults } = await runChaos({
  seconds: Number(values.seconds),
  seed: Number(values.seed),
  copiers: Number(values.copiers),
  print,
  log: values.verbose ? print : () => {},
});
print(JSON.stringify(done));
print(JSON.stringify(figures));
for (const fault of faults.slice(0, 50)) print(`FAULT ${fault}`);
print(faults.length === 0 ? 'no fault' : `${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
