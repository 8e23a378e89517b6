import fc from 'fast-check';
import { type LossRuns, longestRun } from './result-totals.js';

/** Returns the loss runs of a time range. */
function runsOf(losses: readonly boolean[]): LossRuns {
  const lengths = losses
    .map((isLoss) => (isLoss ? 'x' : ' '))
    .join('')
    .split(' ')
    .map(({ length }) => length);
  return {
    closed_count: losses.length,
    first_losses: lengths.at(0) ?? 0,
    last_losses: lengths.at(-1) ?? 0,
    longest: Math.max(0, ...lengths),
  };
}

describe('the longest run of losses', () => {
  it('continues from day to day, even over days with losses only', () => {
    const days = [[false, true], [true, true], [], [true, false, true]];
    expect(longestRun(days.map(runsOf))).toBe(4);
    expect(longestRun([])).toBe(0);
  });

  it('is the same however the closures are split into ranges', () => {
    const ranges = fc.array(fc.array(fc.boolean(), { maxLength: 8 }), { maxLength: 8 });
    fc.assert(
      fc.property(ranges, (closures) => {
        expect(longestRun(closures.map(runsOf))).toBe(runsOf(closures.flat()).longest);
      }),
    );
  });
});
