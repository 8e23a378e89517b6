import fc from 'fast-check';
import { BigDecimal } from '../values/index.js';
import { computeDayMetrics, periodStartMs } from './daily-results.rules.js';
import { EquityHistory } from './equity-history.rules.js';

const DAY_MS = 86_400_000;
const T0 = Date.UTC(2026, 0, 5);
const at = (day: number) => new Date(T0 + day * DAY_MS).toISOString();
const UNKNOWN_EQUITY = new EquityHistory(new Map(), []);

/** Returns an account's equity history: the first amount at noon before the first day, then one at noon of each day. */
function equityOf(...amounts: readonly string[]): EquityHistory {
  return new EquityHistory(
    new Map([['a', T0]]),
    amounts.map((amount, index) => ({
      accountId: 'a',
      takenAt: new Date(T0 + (index - 0.5) * DAY_MS),
      amount,
    })),
  );
}

/** Computes the metrics of consecutive days with these results, in hundredths. */
function metricsOf(results: readonly number[], equity = UNKNOWN_EQUITY) {
  const days = results.map((result, day) => ({
    startMs: T0 + day * DAY_MS,
    pnl: new BigDecimal(result).div(100),
    hasRealised: true,
  }));
  return computeDayMetrics(days, 'day', equity);
}

describe('periods', () => {
  const startOf = (instant: string, interval: 'day' | 'week' | 'month') =>
    new Date(periodStartMs(Date.parse(instant), interval)).toISOString();

  it('start at midnight UTC; weeks start on Mondays, months on their first day', () => {
    expect(startOf('2026-03-01T23:59:59.999Z', 'day')).toBe('2026-03-01T00:00:00.000Z');
    expect(startOf('2026-03-01T23:59:59.999Z', 'week')).toBe('2026-02-23T00:00:00.000Z');
    expect(startOf('2026-03-02T00:00:00.000Z', 'week')).toBe('2026-03-02T00:00:00.000Z');
    expect(startOf('1969-12-28T12:00:00.000Z', 'week')).toBe('1969-12-22T00:00:00.000Z');
    expect(startOf('2024-02-29T12:00:00.000Z', 'month')).toBe('2024-02-01T00:00:00.000Z');
  });

  it('have no gaps: every instant is in exactly one period', () => {
    const instants = fc.date({
      min: new Date('1900-01-01'),
      max: new Date('2200-01-01'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instants, fc.constantFrom('day', 'week', 'month'), (instant, interval) => {
        const startMs = periodStartMs(instant.getTime(), interval);
        expect(startMs).toBeLessThanOrEqual(instant.getTime());
        expect(periodStartMs(startMs, interval)).toBe(startMs);
        const [least, most] = { day: [1, 1], week: [7, 7], month: [28, 31] }[interval] as [number, number];
        expect(instant.getTime()).toBeLessThan(startMs + most * DAY_MS);
        expect(periodStartMs(startMs + most * DAY_MS, interval)).toBeGreaterThan(startMs);
        expect(periodStartMs(startMs + least * DAY_MS - 1, interval)).toBe(startMs);
        if (interval === 'week') expect(new Date(startMs).getUTCDay()).toBe(1);
      }),
    );
  });
});

describe('ratios of daily results', () => {
  it('are null for fewer than two days; Sharpe also without deviation, Sortino also without a loss', () => {
    expect(metricsOf([100])).toMatchObject({ sharpe: null, sortino: null, sample_days: 1 });
    expect(metricsOf([100, 100])).toMatchObject({ sharpe: null, sortino: null, sample_days: 2 });
    expect(metricsOf([100, 200]).sortino).toBeNull();
  });

  it('have low_sample set for fewer than thirty days', () => {
    expect(metricsOf(Array.from({ length: 29 }, () => 1)).low_sample).toBe(true);
    expect(metricsOf(Array.from({ length: 30 }, () => 1)).low_sample).toBe(false);
  });

  it('match the textbook formulas, and do not change if all results are multiplied by 1,000', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -10_000, max: 10_000 }), { minLength: 2, maxLength: 60 }),
        (results) => {
          const mean = results.reduce((sum, result) => sum + result, 0) / results.length;
          const deviation = (values: number[]) =>
            Math.sqrt(values.reduce((sum, value) => sum + value ** 2, 0) / (results.length - 1));
          const spread = deviation(results.map((result) => result - mean));
          const lossDeviation = deviation(results.filter((result) => result < 0));
          const { sharpe, sortino } = metricsOf(results);
          const yearly = mean * Math.sqrt(365);
          if (sharpe === null) expect(spread).toBeCloseTo(0, 9);
          else expect(Number(sharpe)).toBeCloseTo(yearly / spread, 6);
          if (sortino === null) expect(lossDeviation).toBe(0);
          else expect(Number(sortino)).toBeCloseTo(yearly / lossDeviation, 6);
          const larger = metricsOf(results.map((result) => result * 1_000));
          expect([larger.sharpe, larger.sortino]).toEqual([sharpe, sortino]);
        },
      ),
    );
  });
});

describe('the deepest drawdown', () => {
  it('ends when its peak is reached again', () => {
    expect(metricsOf([10, -5, 5, -8, 20, -7]).max_drawdown).toEqual({
      amount: '0.08',
      percent: null,
      peak_at: at(2),
      trough_at: at(3),
      recovered_at: at(4),
    });
  });

  it('has no peak if there was no gain before the fall', () => {
    expect(metricsOf([-5, 2]).max_drawdown).toMatchObject({
      amount: '0.05',
      peak_at: null,
      recovered_at: null,
    });
  });

  it('is the largest fall between the ends of two days', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -500, max: 500 }), { maxLength: 40 }), (results) => {
        const sums = results.map((_, day) => results.slice(0, day + 1).reduce((a, b) => a + b, 0));
        const falls = sums.map((sum, day) => Math.max(0, ...sums.slice(0, day)) - sum);
        const { amount } = metricsOf(results).max_drawdown;
        expect(Number(amount)).toBeCloseTo(Math.max(0, ...falls) / 100, 9);
      }),
    );
  });
});

describe('returns on recorded equity', () => {
  it('compound the daily returns, each relative to the equity at the start of the day', () => {
    // 10 % on 100, then -10 % on 110.
    const metrics = metricsOf([1_000, -1_100], equityOf('100', '110', '99'));
    expect(metrics.roi).toBe('-0.01');
    // A fall of 11 from the 110 at the end of the first day.
    expect(metrics.max_drawdown.percent).toBe('10');
    // -0.01 × 365 ÷ 2, ÷ 0.1
    expect(metrics.calmar).toBe('-18.25');
    expect(metrics.equity_curve.map(({ equity }) => equity)).toEqual(['110', '99']);
  });

  it('do not count a deposit as profit: with more capital, the same results are lower returns', () => {
    const withoutDeposit = metricsOf([1_000, 1_000], equityOf('100', '110', '120'));
    const withDeposit = metricsOf([1_000, 1_000], equityOf('100', '1110', '1120'));
    expect(withoutDeposit.roi).toBe('0.2');
    // 1.1 × (1 + 10 ÷ 1110) − 1; with the deposit as a gain it would exceed 11.
    expect(withDeposit.roi).toBe('0.10990991');
    expect(metricsOf([0, 0], equityOf('100', '1100', '50')).roi).toBe('0');
  });

  it('are zero while nothing is closed, and need no equity then', () => {
    const bought = { startMs: T0, pnl: new BigDecimal(0), hasRealised: false };
    for (const equity of [UNKNOWN_EQUITY, equityOf('100')])
      expect(computeDayMetrics([bought], 'day', equity).roi).toBe('0');
    const sold = { startMs: T0 + DAY_MS, pnl: new BigDecimal(10), hasRealised: true };
    expect(computeDayMetrics([bought, sold], 'day', equityOf('100', '200')).roi).toBe('0.05');
    expect(computeDayMetrics([bought, sold], 'day', UNKNOWN_EQUITY).roi).toBeNull();
  });

  it('are null, not zero, if an equity is unknown or zero; calmar also without a drawdown', () => {
    for (const equity of [UNKNOWN_EQUITY, equityOf('0', '0', '0')]) {
      expect(metricsOf([100, -50], equity)).toMatchObject({ roi: null, calmar: null });
      expect(metricsOf([100, -50], equity).max_drawdown.percent).toBeNull();
    }
    expect(metricsOf([], equityOf('100')).roi).toBeNull();
    expect(metricsOf([0, 50], equityOf('0', '100')).roi).toBe('0.005');
    expect(metricsOf([100, 100], equityOf('100', '100', '100'))).toMatchObject({ calmar: null });
  });
});
