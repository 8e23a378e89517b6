import fc from 'fast-check';
import { mean, sampleStandardDeviation, sum } from 'simple-statistics';
import { BigDecimal } from '../values/index.js';
import { EquityHistory } from './equity-history.rules.js';
import { returnMetrics } from './equity-returns.rules.js';
import { dailyResults } from './open-results.rules.js';

const DAY_MS = 86_400_000;
const START_MS = Date.parse('2026-03-01');
const dayAt = (index: number) => new Date(START_MS + index * DAY_MS).toISOString().slice(0, 10);

/** The account's equity at the start of each day. */
function equityOf(amounts: readonly number[]): EquityHistory {
  const points = amounts.map((amount, i) => ({
    accountId: 'a',
    takenAt: new Date(START_MS + i * DAY_MS - 1),
    amount: String(amount),
  }));
  return new EquityHistory(new Map([['a', START_MS]]), points);
}

const daysOf = (results: readonly (number | string)[]) =>
  results.map((result, i) => ({ startMs: START_MS + i * DAY_MS, result: new BigDecimal(result) }));

const metricsOf = (results: readonly (number | string)[], equities: readonly number[]) =>
  returnMetrics(daysOf(results), equityOf(equities));

describe('figures from equity', () => {
  it('have the Sharpe and Sortino ratios that a statistics library computes from the daily returns', () => {
    const day = fc.record({
      result: fc.integer({ min: -900, max: 900 }),
      equity: fc.integer({ min: 1_000, max: 1_000_000 }),
    });
    fc.assert(
      fc.property(fc.array(day, { minLength: 3, maxLength: 60 }), (days) => {
        const returns = days.map(({ result, equity }) => result / equity);
        fc.pre(new Set(returns).size > 1);
        const { sharpe, sortino } = metricsOf(
          days.map(({ result }) => result),
          days.map(({ equity }) => equity),
        );
        const expected = (mean(returns) / sampleStandardDeviation(returns)) * Math.sqrt(365);
        expect(Number(sharpe)).toBeCloseTo(expected, 6);
        const losses = returns.filter((value) => value < 0);
        if (losses.length === 0) return expect(sortino).toBeNull();
        const downside = Math.sqrt(sum(losses.map((value) => value ** 2)) / (returns.length - 1));
        expect(Number(sortino)).toBeCloseTo((mean(returns) / downside) * Math.sqrt(365), 6);
      }),
    );
  });

  it('compound the daily returns, and measure the fall of the compounded returns', () => {
    // 10 % of 1,000; −20 % of 2,000 after a deposit; 5 % of 1,600: 1.1 × 0.8 × 1.05
    const { roi, maxDrawdown, index } = metricsOf([100, -400, 80], [1_000, 2_000, 1_600]);
    expect(roi).toBe('-0.076');
    expect(maxDrawdown).toEqual({
      amount: '400',
      percent: '20',
      peak_at: '2026-03-01T00:00:00.000Z',
      trough_at: '2026-03-02T00:00:00.000Z',
      recovered_at: null,
    });
    expect(index?.map(({ index: value }) => value.toString())).toEqual(['1.1', '0.88', '0.924']);
  });

  it('are null if the equity is unknown or zero on a day with a result, and do not need it on others', () => {
    expect(metricsOf([0, 5], [0, 100])).toMatchObject({ roi: '0.05' });
    expect(metricsOf([1, 5], [0, 100])).toMatchObject({
      roi: null,
      sharpe: null,
      sortino: null,
      index: null,
    });
    const unknown = returnMetrics(daysOf([1, 2]), new EquityHistory(new Map([['a', START_MS]]), []));
    expect(unknown).toMatchObject({ roi: null, maxDrawdown: { amount: '0', percent: null } });
    expect(metricsOf([5], [100])).toMatchObject({ sharpe: null, sortino: null, calmar: null });
  });
});

describe('the results of days', () => {
  const change = (day: number, heldChange: string, costChange: string) => ({
    pairId: 'p',
    day: dayAt(day),
    heldChange,
    costChange,
  });
  const price = (day: number, value: string) => ({ pairId: 'p', day: dayAt(day), price: value });
  const realised = (day: number, pnl: string) => ({
    startMs: START_MS + day * DAY_MS,
    pnl: new BigDecimal(pnl),
  });
  const resultsOf = (input: Parameters<typeof dailyResults>[0]) => {
    const { days, unrealized, hasOpenLots } = dailyResults(input);
    return [days.map(({ result }) => result.toString()), unrealized.toString(), hasOpenLots];
  };

  it('value open lots at the last price of each day, or at the last known one', () => {
    expect(
      resultsOf({
        realised: [realised(0, '0'), realised(3, '12')],
        changes: [change(0, '2', '200'), change(3, '-1', '-100')],
        prices: [price(0, '90'), price(1, '95'), price(3, '110'), price(4, '104')],
      }),
      // −20; +10; 0; realised 12 and 1 × 10 + 10 open; −6
    ).toEqual([['-20', '10', '0', '32', '-6'], '4', true]);
  });

  it('value lots at their cost before the first price, and lots of sales against the price', () => {
    expect(
      resultsOf({
        realised: [realised(0, '0')],
        changes: [change(0, '-2', '-200')],
        prices: [price(1, '90')],
      }),
    ).toEqual([['0', '20'], '20', true]);
  });

  it('of a range begin with what was held before it, at the price before it', () => {
    expect(
      resultsOf({
        realised: [],
        changes: [],
        before: [change(0, '2', '200')],
        sinceMs: START_MS + DAY_MS,
        prices: [price(0, '150'), price(1, '160'), price(2, '140')],
      }),
    ).toEqual([['20', '-40'], '80', true]);
  });

  it('end with the last fill if nothing is open', () => {
    expect(
      resultsOf({
        realised: [realised(0, '0'), realised(1, '7')],
        changes: [change(0, '1', '100'), change(1, '-1', '-100')],
        prices: [price(0, '104'), price(5, '1')],
      }),
    ).toEqual([['4', '3'], '0', false]);
  });
});
