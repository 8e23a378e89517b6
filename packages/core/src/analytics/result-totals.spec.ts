import fc from 'fast-check';
import { type LossRuns, longestRun } from './result-totals.js';

/** Runs as they are told of a stretch. */
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
  it('goes on over days, and over days that lost nothing else', () => {
    const days = [[false, true], [true, true], [], [true, false, true]];
    expect(longestRun(days.map(runsOf))).toBe(4);
    expect(longestRun([])).toBe(0);
  });

  it('is the same however the closings are cut into stretches', () => {
    const stretches = fc.array(fc.array(fc.boolean(), { maxLength: 8 }), { maxLength: 8 });
    fc.assert(
      fc.property(stretches, (parts) => {
        expect(longestRun(parts.map(runsOf))).toBe(runsOf(parts.flat()).longest);
      }),
    );
  });
});
