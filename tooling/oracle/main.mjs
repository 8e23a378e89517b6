import { parseArgs } from 'node:util';
import { runOracle } from './run.mjs';

/**
 * `npm run oracle -- --decisions 200 --seed 1`, with `--perpetual` on perpetuals: exits with code 0 if the product and the oracle
 * agree. `--days 4` plays four days of so many decisions each, with the next seeds; each begins with new accounts.
 */
const { values } = parseArgs({
  options: {
    decisions: { type: 'string', default: '200' },
    days: { type: 'string', default: '1' },
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
const total = { decisions: 0, differences: 0 };
for (let day = 0; day < Number(values.days); day += 1) {
  const seed = Number(values.seed) + day;
  const { decisions, outcomes, differences } = await runOracle({
    seed,
    decisions: Number(values.decisions),
    copiers: Number(values.copiers),
    tradingType: values.perpetual ? 'perpetual' : 'spot',
    waitsForEquity: values['wait-for-equity'],
    stopsAtDifference: values['stop-at-difference'],
    print,
    log: values.verbose ? print : () => {},
  });
  print(JSON.stringify(outcomes));
  print(`${decisions} decisions compared, ${differences.length} differences (seed ${seed})`);
  total.decisions += decisions;
  total.differences += differences.length;
  if (values['stop-at-difference'] && differences.length > 0) break;
}
if (Number(values.days) > 1)
  print(`${total.decisions} decisions of ${values.days} days compared, ${total.differences} differences`);
process.exitCode = total.differences === 0 ? 0 : 1;
