import { parseArgs } from 'node:util';
import { runChaos } from './run.mjs';

/** `npm run chaos -- --seconds 600 --seed 1`: exits with code 0 if the audit finds no violation. */
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
const { counts, figures, violations } = await runChaos({
  seconds: Number(values.seconds),
  seed: Number(values.seed),
  copiers: Number(values.copiers),
  print,
  log: values.verbose ? print : () => {},
});
print(JSON.stringify(counts));
print(JSON.stringify(figures));
for (const violation of violations.slice(0, 50)) print(`VIOLATION ${violation}`);
print(violations.length === 0 ? 'no violation' : `${violations.length} violations`);
process.exitCode = violations.length === 0 ? 0 : 1;
