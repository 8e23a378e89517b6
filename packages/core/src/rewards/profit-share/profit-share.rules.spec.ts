/** Tests of profit shares. `rule 28` is the row of docs/trading/rules.md that a test proves. */
import type { ProfitSharePeriod } from '@trading-automation/contracts';
import fc from 'fast-check';
import { BigDecimal, type UtcPeriod } from '../../values/index.js';
import {
  budgetMonthOf,
  currencyOfMark,
  inOrderOfEnd,
  periodsToSettle,
  profitShareOf,
  settledTermsOf,
  type Terms,
} from './profit-share.rules.js';

/** The gain or loss of each period, in ten-thousandths of the quote currency. */
const anyResults = fc.array(fc.integer({ min: -5_000_000, max: 5_000_000 }), { maxLength: 40 });
const rates = fc
  .integer({ min: 1, max: 5_000 })
  .map((tenThousandths) => new BigDecimal(tenThousandths).div(10_000).toFixed());
const conversions = fc
  .integer({ min: 1, max: 50_000 })
  .map((hundredths) => new BigDecimal(hundredths).div(100).toFixed());

const shareOf = (profit: Partial<Parameters<typeof profitShareOf>[0]>) =>
  profitShareOf({
    rate: '0.1',
    tokensPerQuote: '1',
    mark: '0',
    realized: '0',
    openLoss: '0',
    withheld: null,
    ...profit,
  });

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
    const share = shareOf({ ...terms, mark: marks.at(-1)!, realized: profit.toFixed() });
    amounts.push(share!.amount);
    marks.push(share!.mark);
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
        let [profit, shared, mark] = [new BigDecimal(0), new BigDecimal(0), '0'];
        for (const result of results) {
          profit = profit.plus(new BigDecimal(result).div(10_000));
          const share = shareOf({ rate, mark, realized: profit.toFixed() })!;
          const expected = BigDecimal.max(0, profit.times(rate).minus(shared));
          expect(share.amount).toBe(expected.toFixed());
          shared = shared.plus(share.amount);
          mark = share.mark;
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
    const share = shareOf({ rate: '0.2', realized: '100' });
    expect(share).toEqual({ amount: '20', mark: '100', withheld: null });
    const unchanged = { amount: '0', mark: '100', withheld: null };
    expect(shareOf({ rate: '0.2', mark: '100', realized: '100' })).toEqual(unchanged);
    expect(shareOf({ rate: '0.2', mark: '100', realized: '99.99' })).toEqual(unchanged);
  });

  it('rule 28: are not granted for a loss before the first gain', () => {
    const unchanged = { amount: '0', mark: '0', withheld: null };
    expect(shareOf({ realized: '-50' })).toEqual(unchanged);
    expect(shareOf({ realized: '0' })).toEqual(unchanged);
  });

  it('rule 28: are reduced by the losses of open lots', () => {
    expect(shareOf({ realized: '100', openLoss: '30' })).toMatchObject({ amount: '7', mark: '70' });
    expect(shareOf({ realized: '100', openLoss: '100.01' })).toMatchObject({ amount: '0', mark: '0' });
    expect(shareOf({ realized: '100', openLoss: '30', mark: '70' })).toMatchObject({ amount: '0' });
  });

  it('are rounded down, so that they never exceed rate × profit', () => {
    const tiny = '0.000000000000000003';
    expect(shareOf({ rate: '0.5', realized: tiny })).toMatchObject({
      amount: '0.000000000000000001',
      mark: tiny,
    });
    expect(shareOf({ rate: '0.5', realized: '1.9999999999999999999' })).toMatchObject({
      amount: '0.999999999999999999',
      mark: '1.999999999999999999',
    });
  });

  it('are carried into the next period if they are below the smallest unit of the token or there is no conversion rate', () => {
    expect(shareOf({ realized: '0.000000000000000009' })).toBeNull();
    expect(shareOf({ tokensPerQuote: undefined, realized: '1000' })).toBeNull();
    expect(shareOf({ tokensPerQuote: '2', realized: '1100' })).toMatchObject({ amount: '220', mark: '1100' });
  });

  it('are never granted for profit that was made while copying was free, not even at a later rate', () => {
    const free = shareOf({ rate: '0', tokensPerQuote: undefined, realized: '100' });
    expect(free).toEqual({ amount: '0', mark: '100', withheld: 'FREE' });
    expect(shareOf({ rate: '0.5', mark: '100', realized: '110' })).toMatchObject({
      amount: '5',
      mark: '110',
    });
  });

  it.each(['LINKED_USERS', 'NEW_USER', 'NO_BUDGET'] as const)(
    'rule 28: that are withheld because of %s raise the mark, so that they are never granted later',
    (withheld) => {
      expect(shareOf({ realized: '100', withheld })).toEqual({ amount: '0', mark: '100', withheld });
    },
  );
});

const at = (text: string) => new Date(`${text}T00:00:00Z`);

describe('the terms of a settlement', () => {
  const terms = (rate: string, since: string | null = null, period: ProfitSharePeriod = 'WEEK'): Terms => ({
    rate,
    period,
    since: since === null ? null : new Date(since.includes('T') ? since : `${since}T00:00:00Z`),
  });
  const holding = (accepted: readonly Terms[], heldSince = '2026-01-06', copierId = 'a') => ({
    copierId,
    strategyId: 's',
    ownerId: 'o',
    heldSince: at(heldSince),
    terms: accepted,
  });
  const rateOf = (
    copiers: readonly ReturnType<typeof holding>[],
    settledUntil: string | null = null,
    to = '2026-01-12',
    kind: ProfitSharePeriod = 'WEEK',
  ) => settledTermsOf(kind, at(to), settledUntil === null ? null : at(settledUntil), copiers)?.rate;

  it('rule 28: a raise is not in effect before the next period, and a cut applies to the whole open period', () => {
    const raised = holding([terms('0.1'), terms('0.3', '2026-01-12')]);
    expect(rateOf([raised])).toBe('0.1');
    expect(rateOf([raised], '2026-01-12', '2026-01-19')).toBe('0.3');
    const cut = holding([terms('0.3'), terms('0.1', '2026-01-11T23:59:59Z')]);
    expect(rateOf([cut])).toBe('0.1');
    const cutTooLate = holding([terms('0.3'), terms('0.1', '2026-01-12')]);
    expect(rateOf([cutTooLate])).toBe('0.3');
  });

  it('rule 28: a rate that was cut and raised again in a period stays at its lowest', () => {
    const cut = holding([terms('0.3'), terms('0.1', '2026-01-07'), terms('0.3', '2026-01-12')]);
    expect(rateOf([cut])).toBe('0.1');
    expect(rateOf([cut], '2026-01-12', '2026-01-19')).toBe('0.3');
  });

  it('accepted terms that a cut replaced before they took effect never count', () => {
    const replaced = holding([terms('0.1'), terms('0.4', '2026-01-12'), terms('0.2', '2026-01-12')]);
    expect(rateOf([replaced], '2026-01-12', '2026-01-19')).toBe('0.2');
  });

  it('rule 28: of several copiers, the lowest rate counts', () => {
    expect(rateOf([holding([terms('0.3')]), holding([terms('0.2')], '2026-01-06', 'b')])).toBe('0.2');
  });

  it('rule 28: of several periods, the longest is settled', () => {
    const copiers = [holding([terms('0.2')]), holding([terms('0.3', null, 'MONTH')], '2026-01-06', 'b')];
    expect(rateOf(copiers)).toBeUndefined();
    expect(rateOf(copiers, null, '2026-02-01', 'MONTH')).toBe('0.2');
    expect(rateOf([], null)).toBeUndefined();
  });

  it('a period without a settlement keeps its lowest rate until profit is settled', () => {
    const raised = holding([terms('0.1'), terms('0.3', '2026-01-12')]);
    expect(rateOf([raised], null, '2026-01-19')).toBe('0.1');
    expect(rateOf([holding(raised.terms, '2026-01-13')], null, '2026-01-19')).toBe('0.3');
  });

  it('rule 28: equal the lowest rate of all instants of the period, for any sequence of cuts and raises', () => {
    const hours = fc.integer({ min: -200, max: 200 });
    const change = fc.record({ hour: hours, rate: fc.integer({ min: 0, max: 50 }) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 8 }), fc.integer({ min: 0, max: 50 }), (changes, first) => {
        const start = at('2026-01-05').getTime();
        const sorted = changes.toSorted((a, b) => a.hour - b.hour);
        const accepted = [
          terms(String(first / 100)),
          ...sorted.map(({ hour, rate }) => ({
            ...terms(String(rate / 100)),
            since: new Date(start + hour * 3_600_000),
          })),
        ];
        const ratesByHour = Array.from(
          { length: 168 },
          (_, hour) => sorted.findLast((one) => one.hour <= hour)?.rate ?? first,
        );
        expect(Number(rateOf([holding(accepted)]))).toBeCloseTo(Math.min(...ratesByHour) / 100, 10);
      }),
    );
  });
});

describe('the currency of a mark', () => {
  it('is the quote currency with most volume, of equals the first by name', () => {
    const volumes = [
      { quote: 'USDT', volume: '9' },
      { quote: 'EUR', volume: '10' },
      { quote: 'BTC', volume: '10.0' },
    ];
    expect(currencyOfMark(volumes)).toBe('BTC');
    expect(currencyOfMark(volumes.slice(0, 2))).toBe('EUR');
    expect(currencyOfMark([])).toBeUndefined();
  });
});

describe('the month of a grant', () => {
  it.each([
    ['2026-01-12', '2026-01-01'],
    ['2026-02-01', '2026-01-01'],
    ['2026-02-02', '2026-02-01'],
    ['2026-01-01', '2025-12-01'],
  ])('of a period that ends at %s begins at %s', (to, month) => {
    expect(budgetMonthOf(at(to))).toEqual(at(month));
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

  it('are settled in the order of their ends, the shortest first', () => {
    const month = periodsToSettle('MONTH', day('2026-01-01'), day('2026-06-02'));
    const week = periodsToSettle('WEEK', day('2026-05-25'), day('2026-06-02'));
    const ends = inOrderOfEnd([...month, ...week]).map(
      ({ kind, to }) => `${kind} ${to.toISOString().slice(0, 10)}`,
    );
    expect(ends.slice(-2)).toEqual(['WEEK 2026-06-01', 'MONTH 2026-06-01']);
    expect(ends[0]).toBe('MONTH 2026-02-01');
  });

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
