import fc from 'fast-check';
import { planRead } from './read-plan.rules.js';
import { type LossRuns, longestRun } from './result-totals.js';

describe('the read plan of a range', () => {
  const DAY_MS = 86_400_000;
  const T0 = Date.UTC(2026, 0, 1);
  const HOUR_MS = 3_600_000;
  const formatDay = (day: number) => new Date(T0 + day * DAY_MS).toISOString().slice(0, 10);

  it('covers every instant exactly once, by a rollup or by a computed range', () => {
    const hour = fc.option(fc.integer({ min: 0, max: 24 * 8 }), { nil: undefined });
    const marked = fc.uniqueArray(fc.integer({ min: 0, max: 7 }));
    fc.assert(
      fc.property(hour, hour, marked, (a, b, days) => {
        const at = (hours: number | undefined) =>
          hours === undefined ? undefined : new Date(T0 + hours * HOUR_MS);
        const [from, to] = [at(a), at(b)];
        const plan = planRead({ from, to }, days.map(formatDay));
        for (let instant = T0; instant < T0 + 8 * DAY_MS; instant += HOUR_MS) {
          const day = new Date(instant).toISOString().slice(0, 10);
          const isFromRollup =
            (plan.fromDay === null || day >= plan.fromDay) &&
            (plan.toDay === null || day < plan.toDay) &&
            !plan.staleDays.includes(day);
          const covering = plan.computedRanges.filter(
            ({ since, until }) => since.getTime() <= instant && instant < until.getTime(),
          );
          const isInRange =
            (from === undefined || instant >= from.getTime()) && (to === undefined || instant < to.getTime());
          // A range that does not end after its start is empty; the API rejects such a query before it plans a read.
          if (from && to && from >= to) expect(covering).toEqual([]);
          else expect(Number(isFromRollup) + covering.length).toBe(isInRange ? 1 : 0);
        }
        for (const { since, until } of plan.computedRanges)
          expect(Math.floor(since.getTime() / DAY_MS)).toBe(Math.floor((until.getTime() - 1) / DAY_MS));
      }),
    );
  });
});

describe('the longest run of losses', () => {
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
