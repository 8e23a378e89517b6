import { parseArgs } from 'node:util';
import { setUp } from '../launch/setup.mjs';
import { endOnSignals } from './signals.mjs';

/**
 * `npm run planted-faults -- [words ...] [--as-built]`: plants each fault (or those whose names contain one of the
 * words) in a copy of the workspace. The exit code is 0 if a test finds each planted fault.
 *
 * Before the set-up has run, this file must not import installed packages.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'as-built': { type: 'boolean', default: false } },
});

endOnSignals();
if (!values['as-built']) await setUp((line) => console.log(line));
const { PLANTED_FAULTS } = await import('./faults.mjs');
const { runFault, runUnmodified } = await import('./run.mjs');
const { describeOutcome, totalLine } = await import('./report.mjs');
const { withCopies } = await import('./copies.mjs');

const faults = PLANTED_FAULTS.filter(
  ({ name }) => positionals.length === 0 || positionals.some((word) => name.includes(word)),
);
if (faults.length === 0) throw new Error(`No fault has a name with ${positionals.join(' or ')}.`);

const areAllFound = await withCopies({ count: 1, withServers: true }, ([copy]) => isEachFound(copy));
process.exitCode = areAllFound ? 0 : 1;

/** @param {import('./run.mjs').WorkspaceCopy | undefined} copy */
async function isEachFound(copy) {
  if (copy === undefined) throw new RangeError('The workspace was not copied.');
  const unmodified = await runUnmodified(copy, [...new Set(faults.flatMap(({ tests }) => tests))]);
  if (unmodified.kind !== 'missed') {
    console.error(`The specs must pass without a fault: ${describeOutcome(unmodified)}`);
    return false;
  }
  console.log('without a fault: all specs pass');
  let foundCount = 0;
  for (const fault of faults) {
    const { outcome, seconds } = await runFault(copy, fault);
    if (outcome.kind === 'found') foundCount++;
    console.log(`${fault.name}: ${describeOutcome(outcome)} (${seconds} s)`);
  }
  console.log(`\n${totalLine(foundCount, faults.length)}`);
  return foundCount === faults.length;
}
