import { parseArgs } from 'node:util';
import { runOracle } from './run.mjs';

/** `npm run oracle -- --decisions 200 --seed 1`, with `--perpetual` on perpetuals: exits with code 0 if the product and the oracle agree. */
const { values } = parseArgs({
  options: {
    decisions: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    copiers: { type: 'string', default: '8' },
    perpetual: { type: 'boolean', default: false },
    'wait-for-equity': { type: 'boolean', default: false },
    'stop-at-difference': { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});
const startedAt = performance.now();
const print = (/** @type {string} */ line) =>
  console.log(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(7)} s  ${line}`);
const { decisions, outcomes, differences } = await runOracle({
  seed: Number(values.seed),
  decisions: Number(values.decisions),
  copiers: Number(values.copiers),
  tradingType: values.perpetual ? 'perpetual' : 'spot',
  waitsForEquity: values['wait-for-equity'],
  stopsAtDifference: values['stop-at-difference'],
  print,
  log: values.verbose ? print : () => {},
});
print(JSON.stringify(outcomes));
print(`${decisions} decisions compared, ${differences.length} differences (seed ${values.seed})`);
process.exitCode = differences.length === 0 ? 0 : 1;
