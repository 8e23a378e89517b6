import fc from 'fast-check';
import { maskAmount, maskInputs, ownInputs } from '../../strategies/index.js';
import { coarse } from '../../values/index.js';
import { planCopy } from './plan.rules.js';
import { entryInput, TERMS } from './testing/plan-inputs.js';

const sizing = fc.record({
  mode: fc.constantFrom('FIXED_AMOUNT' as const, 'FIXED_QUOTE' as const, 'EQUITY_RATIO' as const),
  value: fc.integer({ min: 1, max: 10_000_000 }).map((units) => String(units / 1_000)),
  capital: fc.option(fc.integer({ min: 1, max: 10_000_000 }).map(String), { nil: null }),
});

/** The inputs that a user other than the strategy's owner sees of an entry of a leader with this equity and amount. */
function seenInputs(terms: typeof TERMS, leaderEquity: string, amount: string) {
  const signal = { leaderEquity, leaderOrderAmount: amount, cumulativeAmount: amount, filledAmount: amount };
  return maskInputs(planCopy(entryInput({ terms, signal })).inputs);
}

describe('the amounts that other users see of an entry', () => {
  const seenOf = (terms: Partial<typeof TERMS>, leaderEquity: string, amount: string, freeQuote = '0') => {
    const filled = { cumulativeAmount: amount, filledAmount: amount };
    const signal = { leaderEquity, leaderOrderAmount: '4', referencePrice: '100', ...filled };
    const plan = planCopy(
      entryInput({
        terms: { ...TERMS, ...terms },
        signal,
        account: { freeQuote },
        pair: { minAmount: '0.01', minNotional: '5' },
        copier: { isOwnStrategy: false },
      }),
    );
    const { value, rule } = maskInputs(plan.inputs);
    return { target: maskAmount(plan.targetAmount, plan.inputs), value, rule, code: plan.code };
  };

  const withoutOrder = fc.record({
    sizing: fc.record({
      mode: fc.constantFrom('FIXED_AMOUNT' as const, 'FIXED_QUOTE' as const, 'EQUITY_RATIO' as const),
      value: fc.integer({ min: 1_000, max: 2_000_000 }).map((units) => String(units / 100_000)),
      capital: fc.integer({ min: 2_000_000, max: 2_600_000 }).map((units) => String(units / 1_000)),
    }),
    belowMinimum: fc.constantFrom('SKIP' as const, 'ACCUMULATE' as const, 'ROUND_UP' as const),
    maxTradeQuote: fc.constantFrom(null, '4'),
  });

  it('are the same for leaders whose fractions agree to two digits, whatever the settings, if no order is sent', () => {
    const codes = new Set<string | null>();
    fc.assert(
      fc.property(withoutOrder, (terms) => {
        // 204.13 ÷ 89868.43 = 0.0022714, and 2.0413 ÷ 4 = 0.510; 204.5 ÷ 90321.77 = 0.0022641 and 0.511.
        const [one, other] = [seenOf(terms, '89868.43', '2.0413'), seenOf(terms, '90321.77', '2.045')];
        expect(other).toEqual(one);
        codes.add(one.code);
      }),
      { numRuns: 1_000 },
    );
    expect(codes).toEqual(new Set(['BELOW_MINIMUM', 'MAX_TRADE', 'INSUFFICIENT_BALANCE']));
  });

  it('give the reason of an entry that sends no order, unless they would send one', () => {
    // The copy is to buy 0.0534 at 100, which is too little to be sold again. With 0.0023 instead of 0.0022714, it is 0.0540.
    const terms = { sizing: { mode: 'EQUITY_RATIO', value: '1', capital: '2350' } } as const;
    expect(seenOf(terms, '89868.43', '2.0413', '0').code).toBe('INSUFFICIENT_BALANCE');
    expect(seenOf(terms, '89868.43', '2.0413', '100').code).toBe('BELOW_MINIMUM');
  });

  it('give no reason of an entry that sends an order', () => {
    // 0.0544 at 100 can be sold again. With 0.0023 instead of 0.0023333, it would be 0.0536, which cannot.
    const terms = { sizing: { mode: 'EQUITY_RATIO', value: '1', capital: '2330' } } as const;
    expect(seenOf(terms, '90000', '2.1', '0').code).toBe('BELOW_MINIMUM');
    expect(seenOf(terms, '90000', '2.1', '100')).toMatchObject({ code: null, target: '0.054' });
  });

  it('are rounded if the equity of a later fill is unknown', () => {
    const signal = { leaderEquity: null, cumulativeAmount: '2.0413', filledAmount: '2.0413' };
    const terms = { sizing: { mode: 'EQUITY_RATIO', value: '1', capital: '500' } } as const;
    const lot = { sentAmount: '0', sentQuote: '0', forgoneAmount: '0', seenAmount: '0', heldAmount: '0' };
    const plan = planCopy(
      entryInput({
        terms,
        signal,
        account: { freeQuote: '0' },
        copier: { isOwnStrategy: false },
        lot: { ...lot, ratio: { numerator: '1', denominator: '1' } },
      }),
    );
    expect(maskInputs(plan.inputs)).toMatchObject({ rule: 'free_quote', value: '200' });
  });

  it('are multiples of the leader’s amount, rounded to two digits, with MULTIPLIER', () => {
    const terms = { sizing: { mode: 'MULTIPLIER', value: '2.6', capital: null } } as const;
    // 2.6 × 4, instead of 2.6 × 4.0413 = 10.51.
    expect(seenOf(terms, '90000', '4.0413')).toMatchObject({ target: '10', code: 'INSUFFICIENT_BALANCE' });
  });

  it('do not change what the lot forgoes', () => {
    const signal = { leaderEquity: '89868.43', cumulativeAmount: '2.0413', filledAmount: '2.0413' };
    const terms = { sizing: { mode: 'EQUITY_RATIO', value: '1', capital: '89868.43' } } as const;
    const lot = { sentAmount: '0', sentQuote: '0', forgoneAmount: '0', seenAmount: '0', heldAmount: '0' };
    const input = entryInput({
      terms,
      signal,
      account: { freeQuote: '0' },
      copier: { isOwnStrategy: false },
      lot: { ...lot, ratio: { numerator: '1', denominator: '1' } },
    });
    expect(planCopy(input).lot?.forgoneAmount).toBe('2.0413');
  });

  it('are not shown to the strategy’s owner', () => {
    const terms = { ...TERMS, sizing: { mode: 'EQUITY_RATIO', value: '1', capital: '2350' } } as const;
    const signal = { leaderEquity: '89868.43', cumulativeAmount: '2.0413', filledAmount: '2.0413' };
    const plan = planCopy(
      entryInput({ terms, signal, account: { freeQuote: '0' }, pair: { minNotional: '5' } }),
    );
    expect(plan).toMatchObject({ code: 'BELOW_MINIMUM', inputs: { rule: 'sellable_notional' } });
    expect(ownInputs(plan.inputs)).not.toHaveProperty('masked_value');
  });

  it.each([
    ['sellable_notional', '10.4321', '10'],
    ['sellable_amount', '0.098765', '0.099'],
    ['a_new_rule', '0.098765', '0.099'],
    ['max_daily_loss_quote', '12.3456', '12.3456'],
  ])('include the value of the rule %s', (rule, value, seen) => {
    expect(maskInputs({ rule, value })).toEqual({ rule, value: seen });
  });

  it('do not include what was given up of earlier entries', () => {
    expect(maskInputs({ held: '1.2345', forgone_before: '0.12345' })).toEqual({ held: '1.2345' });
  });

  it('are near the exact ones', () => {
    const terms = { sizing: { mode: 'EQUITY_RATIO', value: '1', capital: '89868.43' } } as const;
    // 0.0023 of 89,868.43 instead of 0.0022714.
    expect(seenOf(terms, '89868.43', '2.0413')).toEqual({
      target: '2.1',
      value: '210',
      rule: 'free_quote',
      code: 'INSUFFICIENT_BALANCE',
    });
  });
});

describe('the ratio that other users see', () => {
  it('is the same for leaders whose equity and amount agree to two digits, whatever the sizing', () => {
    let seenRatios = 0;
    fc.assert(
      fc.property(sizing, (drawn) => {
        const terms = { ...TERMS, sizing: drawn };
        const { ratio } = seenInputs(terms, '89868.43', '2.0413');
        if (typeof ratio === 'string') seenRatios++;
        expect(seenInputs(terms, '90321.77', '1.9588').ratio).toEqual(ratio);
      }),
      { numRuns: 300 },
    );
    expect(seenRatios).toBeGreaterThan(200);
  });

  it.each([
    [
      'EQUITY_RATIO',
      { mode: 'EQUITY_RATIO', value: '1', capital: '45400' } as const,
      coarse(String(45_400 / 90_000)),
    ],
    [
      'FIXED_AMOUNT',
      { mode: 'FIXED_AMOUNT', value: '1.511', capital: null } as const,
      coarse(String(1.511 / 2)),
    ],
    [
      'FIXED_QUOTE',
      { mode: 'FIXED_QUOTE', value: '151.1', capital: null } as const,
      coarse(String(1.511 / 2)),
    ],
  ])(
    'of a copy with the sizing %s has two digits, and is computed from rounded values',
    (_, drawn, ratio) => {
      expect(seenInputs({ ...TERMS, sizing: drawn }, '89868.43', '2.0413').ratio).toBe(ratio);
    },
  );

  it('rounds the larger of the ordered and the filled amount of the leader', () => {
    const signal = { leaderOrderAmount: '2.0413', cumulativeAmount: '4.0413', filledAmount: '2' };
    const terms = { ...TERMS, sizing: { mode: 'FIXED_AMOUNT', value: '1', capital: null } as const };
    expect(maskInputs(planCopy(entryInput({ terms, signal })).inputs).ratio).toBe('0.25');
  });

  it('does not need the leader’s equity for a fixed size', () => {
    const terms = { ...TERMS, sizing: { mode: 'FIXED_AMOUNT', value: '1', capital: null } as const };
    const signal = { leaderEquity: null, leaderOrderAmount: '2.0413', cumulativeAmount: '2.0413' };
    expect(maskInputs(planCopy(entryInput({ terms, signal })).inputs).ratio).toBe('0.5');
  });

  it('stays the same for the lot, and is not shown beside the exact ratio', () => {
    const plan = planCopy(
      entryInput({ lot: { maskedRatio: '0.47' }, signal: { cumulativeAmount: '3', filledAmount: '1' } }),
    );
    expect(plan.lot?.maskedRatio).toBe('0.47');
    expect(maskInputs(plan.inputs)).toMatchObject({ ratio: '0.47' });
    expect(maskInputs(plan.inputs)).not.toHaveProperty('masked_ratio');
    expect(ownInputs(plan.inputs)).toMatchObject({ ratio: '0.5' });
    expect(ownInputs(plan.inputs)).not.toHaveProperty('masked_ratio');
  });

  it('of a lot of the previous release is the exact one, rounded', () => {
    const plan = planCopy(
      entryInput({
        lot: { ratio: { numerator: '1', denominator: '3' }, maskedRatio: null },
        signal: { cumulativeAmount: '4', filledAmount: '2' },
      }),
    );
    expect(maskInputs(plan.inputs)).toMatchObject({ ratio: '0.33' });
  });
});
