import fc from 'fast-check';
import { PerformanceTally, periodStartMs } from './analytics.rules.js';

const DAY_MS = 86_400_000;
const T0 = Date.UTC(2026, 0, 5);
const at = (day: number) => new Date(T0 + day * DAY_MS);

/** What `results`, one a day, come to; in hundredths. */
function figuresOf(results: readonly number[]) {
  const tally = new PerformanceTally(2, 'day');
  results.forEach((result, day) => {
    tally.addFill(at(day), 0n, 0n);
    tally.addRealised(at(day), BigInt(result));
    tally.addClosed({ tradeId: String(day), openedAt: at(day), closedAt: at(day), pnl: BigInt(result) });
  });
  return { ...tally.summary(), ...tally.figures() };
}

describe('periods', () => {
  const start = (text: string, interval: 'day' | 'week' | 'month') =>
    new Date(periodStartMs(new Date(text), interval)).toISOString();

  it('begin at midnight UTC, on Mondays, and on the first', () => {
    expect(start('2026-03-01T23:59:59.999Z', 'day')).toBe('2026-03-01T00:00:00.000Z');
    expect(start('2026-03-01T23:59:59.999Z', 'week')).toBe('2026-02-23T00:00:00.000Z');
    expect(start('2026-03-02T00:00:00.000Z', 'week')).toBe('2026-03-02T00:00:00.000Z');
    expect(start('1969-12-28T12:00:00.000Z', 'week')).toBe('1969-12-22T00:00:00.000Z');
    expect(start('2024-02-29T12:00:00.000Z', 'month')).toBe('2024-02-01T00:00:00.000Z');
  });

  it('hold every instant in exactly one of them', () => {
    const instants = fc.date({
      min: new Date('1900-01-01'),
      max: new Date('2200-01-01'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instants, fc.constantFrom('day', 'week', 'month'), (instant, interval) => {
        const startMs = periodStartMs(instant, interval);
        expect(startMs).toBeLessThanOrEqual(instant.getTime());
        expect(periodStartMs(new Date(startMs), interval)).toBe(startMs);
        const [least, most] = { day: [1, 1], week: [7, 7], month: [28, 31] }[interval] as [number, number];
        expect(instant.getTime()).toBeLessThan(startMs + most * DAY_MS);
        expect(periodStartMs(new Date(startMs + most * DAY_MS), interval)).toBeGreaterThan(startMs);
        expect(periodStartMs(new Date(startMs + least * DAY_MS - 1), interval)).toBe(startMs);
        if (interval === 'week') expect(new Date(startMs).getUTCDay()).toBe(1);
      }),
    );
  });
});

describe('ratios of daily results', () => {
  it('are null under two days, and where nothing deviates', () => {
    expect(figuresOf([100])).toMatchObject({ sharpe: null, sortino: null, sample_days: 1 });
    expect(figuresOf([100, 100])).toMatchObject({ sharpe: null, sortino: null, sample_days: 2 });
    expect(figuresOf([100, 200]).sortino).toBeNull();
  });

  it('are flagged under thirty days', () => {
    expect(figuresOf(Array.from({ length: 29 }, () => 1)).low_sample).toBe(true);
    expect(figuresOf(Array.from({ length: 30 }, () => 1)).low_sample).toBe(false);
  });

  it('are those of the textbook, and do not depend on the size of the account', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -10_000, max: 10_000 }), { minLength: 2, maxLength: 60 }),
        (results) => {
          const mean = results.reduce((sum, result) => sum + result, 0) / results.length;
          const deviation = (parts: number[]) =>
            Math.sqrt(parts.reduce((sum, part) => sum + part ** 2, 0) / (results.length - 1));
          const spread = deviation(results.map((result) => result - mean));
          const losses = deviation(results.filter((result) => result < 0));
          const { sharpe, sortino } = figuresOf(results);
          const yearly = mean * Math.sqrt(365);
          if (sharpe === null) expect(spread).toBeCloseTo(0, 9);
          else expect(Number(sharpe)).toBeCloseTo(yearly / spread, 6);
          if (sortino === null) expect(losses).toBe(0);
          else expect(Number(sortino)).toBeCloseTo(yearly / losses, 6);
          const larger = figuresOf(results.map((result) => result * 1_000));
          expect([larger.sharpe, larger.sortino]).toEqual([sharpe, sortino]);
        },
      ),
    );
  });
});

describe('results of closed trades', () => {
  it('count a run of losses until a trade does not lose', () => {
    expect(figuresOf([-1, -1, 0, -1, -1, -1, 5, -1]).max_consecutive_losses).toBe(3);
    expect(figuresOf([1, 0]).max_consecutive_losses).toBe(0);
  });

  it('say that a fall was recovered where its peak was reached again, and keep the deepest', () => {
    expect(figuresOf([10, -5, 5, -8, 20, -7]).max_drawdown).toEqual({
      amount: '0.08',
      percent: null,
      peak_at: at(2).toISOString(),
      trough_at: at(3).toISOString(),
      recovered_at: at(4).toISOString(),
    });
  });

  it('fall from the beginning where there was no gain before', () => {
    expect(figuresOf([-5, 2]).max_drawdown).toMatchObject({
      amount: '0.05',
      peak_at: null,
      recovered_at: null,
    });
  });

  it('add up: gains less losses are the net result, and the deepest fall is the largest of all falls', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -500, max: 500 }), { maxLength: 40 }), (results) => {
        const figures = figuresOf(results);
        const total = results.reduce((sum, result) => sum + result, 0);
        expect(Number(figures.net_pnl)).toBeCloseTo(total / 100, 9);
        expect(Number(figures.gross_profit) - Number(figures.gross_loss)).toBeCloseTo(total / 100, 9);
        expect(figures.partial_pnl).toBe('0');
        const sums = results.map((_, day) => results.slice(0, day + 1).reduce((a, b) => a + b, 0));
        const falls = sums.map((sum, day) => Math.max(0, ...sums.slice(0, day)) - sum);
        expect(Number(figures.max_drawdown.amount)).toBeCloseTo(Math.max(0, ...falls) / 100, 9);
      }),
    );
  });
});
