/** Tests of profit shares. `rule 28` is the row of docs/trading/rules.md that a test proves. */
import fc from 'fast-check';
import { BigDecimal } from '../values/index.js';
import { periodsToSettle, profitShareOf, type UtcPeriod } from './profit-share.rules.js';

/** The gain or loss of each period, in ten-thousandths of the quote currency. */
const anyResults = fc.array(fc.integer({ min: -5_000_000, max: 5_000_000 }), { maxLength: 40 });
const rates = fc
  .integer({ min: 1, max: 5_000 })
  .map((tenThousandths) => new BigDecimal(tenThousandths).div(10_000).toFixed());
const conversions = fc
  .integer({ min: 1, max: 50_000 })
  .map((hundredths) => new BigDecimal(hundredths).div(100).toFixed());

interface Settlement {
  readonly amounts: readonly string[];
  readonly marks: readonly string[];
  readonly highest: BigDecimal;
}

/** Settles the profit after each period's result. `highest` is the highest profit after any period, at least 0. */
function settleAll(results: readonly number[], terms: { rate: string; tokensPerQuote: string }): Settlement {
  let profit = new BigDecimal(0);
  let highest = new BigDecimal(0);
  const [amounts, marks]: [string[], string[]] = [[], ['0']];
  for (const result of results) {
    profit = profit.plus(new BigDecimal(result).div(10_000));
    highest = BigDecimal.max(highest, profit);
    const highWaterMark = marks.at(-1)!;
    const share = profitShareOf({ ...terms, highWaterMark, profit: profit.toFixed() });
    if (share === null) continue;
    amounts.push(share.amount);
    marks.push(share.highWaterMark);
  }
  return { amounts, marks, highest };
}
const sumOf = (amounts: readonly string[]) =>
  amounts.reduce((sum, amount) => sum.plus(amount), new BigDecimal(0));

describe('profit shares', () => {
  it('rule 28: add up to rate × highest profit (at least 0), for any order of gains and losses', () => {
    fc.assert(
      fc.property(anyResults, rates, conversions, (results, rate, tokensPerQuote) => {
        const { amounts, marks, highest } = settleAll(results, { rate, tokensPerQuote });
        const whole = highest.times(rate).times(tokensPerQuote);
        expect(sumOf(amounts).toFixed()).toBe(whole.toFixed());
        expect(marks.at(-1)).toBe(highest.toFixed());
      }),
    );
  });

  it('rule 28: each equal max(0, rate × profit − already shared)', () => {
    fc.assert(
      fc.property(anyResults, rates, (results, rate) => {
        let [profit, shared, highWaterMark] = [new BigDecimal(0), new BigDecimal(0), '0'];
        for (const result of results) {
          profit = profit.plus(new BigDecimal(result).div(10_000));
          const share = profitShareOf({ rate, tokensPerQuote: '1', highWaterMark, profit: profit.toFixed() });
          const expected = BigDecimal.max(0, profit.times(rate).minus(shared));
          expect(share?.amount ?? '0').toBe(expected.toFixed());
          shared = shared.plus(share?.amount ?? 0);
          highWaterMark = share?.highWaterMark ?? highWaterMark;
        }
      }),
    );
  });

  it('rule 28: add up to the same total however gains are divided into periods', () => {
    const gains = fc.array(fc.nat(5_000_000), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(gains, rates, (results, rate) => {
        const terms = { rate, tokensPerQuote: '1' };
        const whole = results.reduce((sum, result) => sum + result, 0);
        expect(sumOf(settleAll(results, terms).amounts).toFixed()).toBe(
          sumOf(settleAll([whole], terms).amounts).toFixed(),
        );
      }),
    );
  });

  it('rule 28: are never granted twice: a second settlement at the same profit grants no share', () => {
    const terms = { rate: '0.2', tokensPerQuote: '1' };
    const share = profitShareOf({ ...terms, highWaterMark: '0', profit: '100' });
    expect(share).toEqual({ amount: '20', highWaterMark: '100' });
    expect(profitShareOf({ ...terms, highWaterMark: '100', profit: '100' })).toBeNull();
    expect(profitShareOf({ ...terms, highWaterMark: '100', profit: '99.99' })).toBeNull();
  });

  it('rule 28: are not granted for a loss before the first gain', () => {
    const terms = { rate: '0.1', tokensPerQuote: '1', highWaterMark: '0' };
    expect(profitShareOf({ ...terms, profit: '-50' })).toBeNull();
    expect(profitShareOf({ ...terms, profit: '0' })).toBeNull();
  });

  it('are rounded down, so that they never exceed rate × profit', () => {
    const tiny = '0.000000000000000003';
    expect(profitShareOf({ rate: '0.5', tokensPerQuote: '1', highWaterMark: '0', profit: tiny })).toEqual({
      amount: '0.000000000000000001',
      highWaterMark: tiny,
    });
    expect(
      profitShareOf({
        rate: '0.5',
        tokensPerQuote: '1',
        highWaterMark: '0',
        profit: '1.9999999999999999999',
      }),
    ).toEqual({ amount: '0.999999999999999999', highWaterMark: '1.999999999999999999' });
  });

  it('are carried into the next period if they are below the smallest unit of the token or there is no conversion rate', () => {
    const terms = { rate: '0.1', highWaterMark: '0' };
    expect(profitShareOf({ ...terms, tokensPerQuote: '1', profit: '0.000000000000000009' })).toBeNull();
    expect(profitShareOf({ ...terms, tokensPerQuote: undefined, profit: '1000' })).toBeNull();
    expect(profitShareOf({ ...terms, tokensPerQuote: '2', profit: '1100' })).toEqual({
      amount: '220',
      highWaterMark: '1100',
    });
  });

  it('are never granted for profit that was made while copying was free, not even at a later rate', () => {
    const free = profitShareOf({ rate: '0', tokensPerQuote: undefined, highWaterMark: '0', profit: '100' });
    expect(free).toEqual({ amount: '0', highWaterMark: '100' });
    expect(profitShareOf({ rate: '0.5', tokensPerQuote: '1', highWaterMark: '100', profit: '110' })).toEqual({
      amount: '5',
      highWaterMark: '110',
    });
  });
});

const day = (text: string) => new Date(`${text}T00:00:00Z`);
const datesOf = (periods: readonly UtcPeriod[]) =>
  periods.map(({ from, to }) => `${from.toISOString().slice(0, 10)} ${to.toISOString().slice(0, 10)}`);

describe('periods', () => {
  it.each([
    ['WEEK', '2026-11-21', ['2026-11-09 2026-11-16']],
    ['WEEK', '2026-11-23', ['2026-11-16 2026-11-23']],
    ['WEEK', '2026-01-01', ['2025-12-22 2025-12-29']],
    ['MONTH', '2026-03-31', ['2026-02-01 2026-03-01']],
    ['MONTH', '2026-01-01', ['2025-12-01 2026-01-01']],
    ['QUARTER', '2026-11-21', ['2026-07-01 2026-10-01']],
    ['QUARTER', '2026-02-28', ['2025-10-01 2026-01-01']],
  ] as const)(
    'of the kind %s: the first settlement, at %s, settles the latest period that has ended',
    (kind, at, expected) => {
      expect(datesOf(periodsToSettle(kind, null, day(at)))).toEqual(expected);
    },
  );

  it('are due from their end on, and not a millisecond earlier', () => {
    const end = day('2026-11-23');
    expect(periodsToSettle('WEEK', day('2026-11-16'), new Date(end.getTime() - 1))).toEqual([]);
    expect(datesOf(periodsToSettle('WEEK', day('2026-11-16'), end))).toEqual(['2026-11-16 2026-11-23']);
  });

  it.each(['WEEK', 'MONTH', 'QUARTER'] as const)(
    'of the kind %s follow each other without gaps or overlaps',
    (kind) => {
      const instants = fc.date({ min: day('2020-01-01'), max: day('2030-01-01'), noInvalidDate: true });
      fc.assert(
        fc.property(instants, fc.nat(900), (begin, days) => {
          const at = new Date(begin.getTime() + days * 86_400_000);
          const [first] = periodsToSettle(kind, null, begin);
          const all = periodsToSettle(kind, first!.to, at);
          for (const [i, { from, to }] of all.entries()) {
            expect(from).toEqual(all[i - 1]?.to ?? first!.to);
            expect(to.getTime()).toBeGreaterThan(from.getTime());
          }
          const until = all.at(-1)?.to ?? first!.to;
          expect(until.getTime()).toBeLessThanOrEqual(at.getTime());
          expect(periodsToSettle(kind, until, at)).toEqual([]);
        }),
      );
    },
  );
});
