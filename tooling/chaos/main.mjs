import { parseArgs } from 'node:util';
import { tableOf } from './audit.mjs';
import { runChaos } from './run.mjs';

/** `npm run chaos -- --minutes 10 --seed 1 [--perpetual]`: prints a table of the rules; exits with code 0 if all of them are met, and a long storm on perpetuals contained liquidations. */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    copiers: { type: 'string', default: '200' },
    perpetual: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});
/** The number of findings of a rule that are printed. */
const findingsMax = 20;
/** A storm on perpetuals of at least this length contains fundings, auto-deleveraging and liquidations. */
const FORCED_FROM_MINUTES = 5;

/**
 * @param {'minutes' | 'seed' | 'copiers'} name
 * @param {(value: number) => boolean} isAccepted
 * @param {string} expected
 */
function numberOf(name, isAccepted, expected) {
  const value = Number(values[name]);
  if (values[name].trim() !== '' && isAccepted(value)) return value;
  console.error(`--${name} must be ${expected}; got ${values[name]}.`);
  process.exit(2);
}

const minutes = numberOf(
  'minutes',
  (value) => value > 0 && value <= 1_440,
  'a number of minutes from 0 to 1440',
);
const seed = numberOf('seed', Number.isSafeInteger, 'an integer');
const copiers = numberOf(
  'copiers',
  (value) => Number.isSafeInteger(value) && value > 0,
  'an integer above 0',
);
const startedAt = performance.now();
const print = (/** @type {string} */ line) =>
  console.log(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(7)} s  ${line}`);
const { counts, figures, results } = await runChaos({
  seconds: minutes * 60,
  seed,
  copiers,
  tradingType: values.perpetual ? 'perpetual' : 'spot',
  print,
  log: values.verbose ? print : () => {},
});
print(JSON.stringify(counts));
print(JSON.stringify(figures));
for (const { id, findings } of results) {
  for (const finding of findings.slice(0, findingsMax)) print(`${id}: ${finding}`);
  if (findings.length > findingsMax) print(`${id}: ${findings.length - findingsMax} more`);
}
for (const line of tableOf(results)) console.log(line);
// Without one of these, the storm would not show what it is for.
const missing =
  values.perpetual && minutes >= FORCED_FROM_MINUTES
    ? Object.entries(counts.forced).flatMap(([kind, count]) => (count === 0 ? [kind] : []))
    : [];
if (missing.length > 0) console.log(`The storm contained no ${missing.join(' and no ')}.`);
process.exitCode = missing.length === 0 && results.every(({ isMet }) => isMet) ? 0 : 1;
