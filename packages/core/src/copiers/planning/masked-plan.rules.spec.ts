import fc from 'fast-check';
import { maskInputs, maskTarget, ownInputs } from '../../strategies/index.js';
import { coarse } from '../../values/index.js';
import { decisionInputs } from '../copying/decision-inputs.js';
import { perfectAmountOf } from './perfect-copy.rules.js';
import { planCopy } from './plan.rules.js';
import type { CopyInput } from './plan.types.js';
import { entryInput, exitInput, type PlanOverrides, TERMS } from './testing/plan-inputs.js';

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

/** What two leaders own and trade that agree in two digits. */
const ONE = {
  leaderEquity: '89868.43',
  leaderOrderAmount: '4.0413',
  cumulativeAmount: '2.0413',
  filledAmount: '2.0413',
};
const OTHER = {
  leaderEquity: '90321.77',
  leaderOrderAmount: '3.9588',
  cumulativeAmount: '2.0488',
  filledAmount: '2.0488',
};

interface Seen {
  readonly terms?: Partial<typeof TERMS>;
  readonly signal?: Partial<CopyInput['signal']>;
  readonly freeQuote?: string;
  readonly lot?: PlanOverrides['lot'];
}

const planOf = ({ terms, signal, freeQuote = '0', lot }: Seen) =>
  planCopy(
    entryInput({
      terms: { ...TERMS, ...terms },
      signal: { referencePrice: '100', ...signal },
      account: { freeQuote },
      pair: { minAmount: '0.01', minNotional: '5', amountStep: '0.0001' },
      copier: { masksAmounts: true },
      lot,
    }),
  );

/** What a user other than the strategy's owner sees of an entry. */
function seenOf(seen: Seen) {
  const plan = planOf(seen);
  const inputs = decisionInputs(plan, '0');
  return { target: maskTarget(plan.targetAmount, inputs), code: plan.code, ...maskInputs(inputs) };
}

const EQUITY_OF = (capital: string) => ({ sizing: { mode: 'EQUITY_RATIO', value: '1', capital } }) as const;

describe('the amounts that other users see of an entry', () => {
  const settings = fc.record({
    sizing: fc.oneof(
      // Most of these sizes are near the minimum.
      fc.record({
        mode: fc.constantFrom('FIXED_AMOUNT' as const, 'FIXED_QUOTE' as const),
        value: fc.integer({ min: 1_000, max: 2_000_000 }).map((units) => String(units / 100_000)),
        capital: fc.constant(null),
      }),
      fc.record({
        mode: fc.constant('EQUITY_RATIO' as const),
        value: fc.constantFrom('1', '0.000000000000000001'),
        capital: fc.oneof(
          fc.integer({ min: 2_000_000, max: 2_600_000 }).map((units) => String(units / 1_000)),
          fc.bigInt({ min: 1n, max: 10n ** 20n }).map(String),
        ),
      }),
    ),
    belowMinimum: fc.constantFrom('SKIP' as const, 'ACCUMULATE' as const, 'ROUND_UP' as const),
    maxTradeQuote: fc.constantFrom(null, '4'),
  });
  const lots = fc.constantFrom(undefined, {
    ratio: { numerator: '1', denominator: '38' },
    maskedRatio: '0.026',
    sentAmount: '0.0382',
    maskedForgone: '0.0004',
    forgoneAmount: '0.0011',
    seenAmount: '1.5001',
  });

  it('are the same for leaders that agree in two digits, whatever the settings, if no order is sent', () => {
    const codes = new Set<string | null>();
    fc.assert(
      fc.property(settings, lots, (terms, lot) => {
        const [one, other] = [
          seenOf({ terms, lot, signal: ONE }),
          seenOf({
            terms,
            lot: lot && { ...lot, forgoneAmount: '0.0007', seenAmount: '1.4988' },
            signal: OTHER,
          }),
        ];
        expect(other).toEqual(one);
        codes.add(one.code);
      }),
      { numRuns: 2_000 },
    );
    expect(codes).toEqual(new Set(['BELOW_MINIMUM', 'MAX_TRADE', 'INSUFFICIENT_BALANCE']));
  });

  it('include no number of a reason that only the exact amounts give', () => {
    // The copy is to buy 0.0525 at 100, which is too little to be sold again. Rounded amounts give 0.0535.
    const signal = { ...ONE, cumulativeAmount: '1.96', filledAmount: '1.96' };
    const entry = { terms: EQUITY_OF('2410'), signal };
    expect(seenOf({ ...entry, freeQuote: '0' })).toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
      value: '5.4',
    });
    expect(seenOf({ ...entry, freeQuote: '100' })).toMatchObject({ code: 'BELOW_MINIMUM', value: null });
    // 0.0267 could be raised to the minimum, but 0.0262 is less than a half of it.
    const raised = { signal, terms: { ...EQUITY_OF('1205'), belowMinimum: 'ROUND_UP' as const } };
    expect(seenOf({ ...raised, freeQuote: '100' })).toMatchObject({ code: 'BELOW_MINIMUM', value: null });
    expect(seenOf({ ...raised, freeQuote: '100' })).not.toHaveProperty('rounded_up');
  });

  it('are those of the order if no limit reduces it', () => {
    const plan = planOf({ terms: EQUITY_OF('90000'), signal: ONE, freeQuote: '1000000' });
    expect(plan).toMatchObject({
      order: { amount: '2.0442' },
      targetAmount: '2.044288522676984565',
      maskedTarget: '2.0442',
    });
  });

  it('follow from rounded amounts if a limit reduces the order', () => {
    const plan = planOf({
      terms: { ...EQUITY_OF('90000'), maxTradeQuote: '13' },
      signal: ONE,
      freeQuote: '1000',
    });
    expect(plan).toMatchObject({ outcome: 'CLAMPED', order: { amount: '0.1293' }, maskedTarget: '2' });
    expect(maskInputs(plan.inputs)).toMatchObject({ rule: 'max_trade_quote', value: '200', limit: '13' });
  });

  it('follow from rounded amounts if the order was raised to the minimum', () => {
    const signal = { ...ONE, cumulativeAmount: '1.96', filledAmount: '1.96' };
    const plan = planOf({
      terms: { ...EQUITY_OF('1300'), belowMinimum: 'ROUND_UP' },
      signal,
      freeQuote: '100',
    });
    // 0.0283 is raised. Of the rounded amounts, it is 0.0288.
    expect(plan).toMatchObject({ order: { amount: '0.0526' }, maskedTarget: '0.028888888888888888' });
    expect(plan.inputs).toMatchObject({ rounded_up: true, rule: 'min_notional', value: '2.8944' });
  });

  it('are multiples of the leader’s rounded amount with MULTIPLIER', () => {
    const terms = { sizing: { mode: 'MULTIPLIER', value: '2.6', capital: null } } as const;
    // 2.6 × 2, instead of 2.6 × 2.0413 = 5.307.
    expect(seenOf({ terms, signal: ONE })).toMatchObject({ target: '5.2', code: 'INSUFFICIENT_BALANCE' });
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
    expect(maskInputs({ held: '1.2345', forgone_before: '0.12345', mask: '1.01' })).toEqual({
      held: '1.2345',
    });
  });

  it('are not shown to the strategy’s owner', () => {
    const plan = planCopy(entryInput({ terms: EQUITY_OF('2350'), signal: ONE }));
    expect(plan.maskedTarget).toBeNull();
    expect(decisionInputs(plan, '0')).not.toHaveProperty('masked_target');
    expect(ownInputs({ masked_target: '1', rule: 'held' })).toEqual({ rule: 'held' });
  });
});

describe('a lot as other users may know it', () => {
  const LOT = {
    ratio: { numerator: '1', denominator: '2' },
    maskedRatio: '0.5',
    sentAmount: '0.4',
    sentQuote: '40',
    seenAmount: '1.04',
    forgoneAmount: '0.12',
    maskedForgone: '0.1',
    heldAmount: '0.4',
  };
  const next = { cumulativeAmount: '1.26', filledAmount: '0.22', leaderOrderAmount: '4' };
  const forgoneOf = (seen: Seen) =>
    planOf({ ...seen, signal: { ...next, ...seen.signal } }).lot?.maskedForgone;

  it('forgoes what an entry does not buy', () => {
    // Half of 1.3, less 0.4.
    expect(forgoneOf({ lot: LOT })).toBe('0.25');
  });

  it('forgoes less than nothing after an order that is larger than the rounded amounts', () => {
    expect(
      forgoneOf({
        lot: { ...LOT, maskedRatio: '0.4', sentAmount: '0.5', forgoneAmount: '0' },
        freeQuote: '1000',
      }),
    ).toBe('-0.11');
  });

  it('keeps what it forgoes while an amount below the minimum is carried', () => {
    const lot = { ...LOT, forgoneAmount: '0.22' };
    expect(forgoneOf({ lot, terms: { belowMinimum: 'ACCUMULATE' } })).toBe('0.1');
    expect(forgoneOf({ lot, terms: { belowMinimum: 'SKIP' } })).toBe('0.25');
  });

  it('forgoes what a rejected entry adds', () => {
    // Half of 1.3 - 1.
    expect(forgoneOf({ lot: LOT, terms: { blockedPairs: ['BTC/USDT'] } })).toBe('0.25');
    expect(forgoneOf({ lot: { ...LOT, maskedForgone: '0.05' }, terms: { blockedPairs: ['BTC/USDT'] } })).toBe(
      '0.2',
    );
  });

  it('begins with what the leader bought before, and carries amounts below the minimum', () => {
    const signal = { leaderEquity: '90000' };
    const terms = { ...EQUITY_OF('9000'), belowMinimum: 'ACCUMULATE' as const };
    // A tenth of 1.0, the leader's fills before, of 1.04.
    expect(forgoneOf({ signal, terms })).toBe('0.1');
  });

  it('begins anew if a start began it without an entry', () => {
    const lot = { ...LOT, ratio: null, maskedRatio: null, sentAmount: '0', heldAmount: '0' };
    const terms = { ...EQUITY_OF('9000'), belowMinimum: 'ACCUMULATE' as const };
    const seen = { lot: { ...lot, terms: { ...TERMS, ...terms } }, signal: { leaderEquity: '90000' } };
    expect(forgoneOf({ ...seen, terms })).toBe('0.1');
    expect(forgoneOf({ ...seen, terms, freeQuote: '0' })).toBe('0.1');
    const rejected = forgoneOf({ ...seen, terms: { ...terms, blockedPairs: ['BTC/USDT'] } });
    expect(rejected).toBe('0.1');
  });

  it('of the previous release has nothing left to buy', () => {
    const lot = { ...LOT, maskedForgone: null };
    const seen = { lot, signal: next };
    // Half of 1.3 - 1.
    expect(planOf(seen).maskedTarget).toBe('0.15');
  });
});

describe('what other users see of an exit', () => {
  const exitOf = (
    signal: Partial<CopyInput['signal']>,
    more: Partial<CopyInput['copier']> = {},
    { freeBase = '1000', minAmount = '0.2' } = {},
    lot: PlanOverrides['lot'] | null = {},
  ) =>
    planCopy(
      exitInput({
        signal: { kind: 'REDUCE', ...signal },
        copier: { masksAmounts: true, ...more, ...(lot === null ? { lot } : {}) },
        lot: { heldAmount: '0.5', maskedForgone: '0', ...lot },
        pair: { minAmount, minNotional: '5', amountStep: '0.0001' },
        account: { freeBase },
      }),
    );

  it('follows from the fraction that the signal shows', () => {
    // 0.1234 is shown as 0.12.
    const plan = exitOf({ lotAmountBefore: '10', exitAmount: '1.2345' });
    expect(plan).toMatchObject({ code: 'BELOW_MINIMUM', targetAmount: '0.061725', maskedTarget: '0.06' });
    expect(maskInputs(plan.inputs)).toMatchObject({
      rule: 'min_amount',
      value: '0.06',
      limit: '0.2',
      missing_amount: '0.14',
    });
  });

  it('includes no number of a reason that only the exact fraction gives', () => {
    // 0.409 of 0.5 is above the minimum of 0.202, and 0.4 of 0.5 is below it.
    const plan = exitOf(
      { lotAmountBefore: '10', exitAmount: '4.09' },
      {},
      { freeBase: '0.1', minAmount: '0.202' },
    );
    expect(plan).toMatchObject({ code: 'INSUFFICIENT_BALANCE', inputs: { rule: 'free_base', value: null } });
    expect(plan.inputs).not.toHaveProperty('missing_amount');
  });

  it('includes what the balance lacks of the rounded amount', () => {
    const plan = exitOf({ lotAmountBefore: '10', exitAmount: '4.09' }, {}, { freeBase: '0.1' });
    expect(plan).toMatchObject({ code: 'INSUFFICIENT_BALANCE', inputs: { rule: 'free_base', value: '0.2' } });
    expect(plan.inputs).not.toHaveProperty('missing_amount');
  });

  it('includes no reason if everything is sold', () => {
    const plan = exitOf({ lotAmountBefore: '10', exitAmount: '4.09' });
    expect(plan).toMatchObject({ code: null, order: { amount: '0.2045' }, maskedTarget: '0.2' });
    expect(Object.keys(plan.inputs)).not.toContain('value');
  });

  it('reduces what the lot carries by the fraction', () => {
    // 0.5 × 2 - 0.4 is carried, of which 0.12 is forgone.
    const lot = {
      sentAmount: '0.4',
      seenAmount: '2.04',
      maskedForgone: '0.1',
      ratio: { numerator: '1', denominator: '2' },
    };
    const input = { lotAmountBefore: '10', exitAmount: '1.2345' };
    expect(exitOf(input, {}, {}, lot).lot?.maskedForgone).toBe('0.16');
    expect(exitOf(input, {}, {}, { ...lot, ratio: null }).lot?.maskedForgone).toBe('0.1');
    expect(exitOf(input, {}, {}, null).lot).toBeNull();
  });

  it('includes what earlier exits could not sell, as far as the user knows it', () => {
    const plan = exitOf({ lotAmountBefore: '10', exitAmount: '1.2345' }, { maskedPendingAmount: '0.1' });
    // 0.1 and 0.12 of the other 0.4.
    expect(plan.maskedTarget).toBe('0.148');
  });
});

describe('a perfect copy as other users may know it', () => {
  const perfectOf = (seen: Seen, carried?: PlanOverrides['lot']) => {
    const input = entryInput({
      terms: { ...TERMS, ...seen.terms },
      signal: { ...ONE, ...seen.signal },
      account: { freeQuote: seen.freeQuote ?? '1000000' },
      pair: { minAmount: '0.01', minNotional: '5', amountStep: '0.0001' },
      copier: { masksAmounts: true },
      lot: carried,
    });
    return perfectAmountOf(input, planCopy(input));
  };

  it('buys what an order buys that no limit reduces', () => {
    expect(perfectOf({ terms: EQUITY_OF('90000') })).toBe('2.0442');
  });

  it('buys what the rounded amounts request, if there is no order', () => {
    expect(perfectOf({ terms: EQUITY_OF('90000'), freeQuote: '0' })).toBe('2');
  });

  it('buys at least what an order buys that a limit reduces', () => {
    const signal = { cumulativeAmount: '2.0413', filledAmount: '0.0001' };
    const lot = {
      ratio: { numerator: '1', denominator: '1' },
      maskedRatio: '1',
      sentAmount: '1',
      seenAmount: '2.0412',
      maskedForgone: '0',
      forgoneAmount: '0',
    };
    expect(perfectOf({ terms: { maxTradeQuote: '113' }, signal }, lot)).toBe('0.1243');
  });

  it('is unknown if the ratio is', () => {
    expect(perfectOf({ terms: EQUITY_OF('90000'), signal: { leaderEquity: null } })).toBeNull();
  });

  it('buys what an order was to buy before it was raised to the minimum', () => {
    const terms = { ...EQUITY_OF('1300'), belowMinimum: 'ROUND_UP' as const };
    expect(perfectOf({ terms })).toBe('0.028888888888888888');
  });

  it('does not buy again what the lot carried', () => {
    const signal = { cumulativeAmount: '2', filledAmount: '1' };
    const lot = {
      ratio: { numerator: '1', denominator: '1' },
      maskedRatio: '1',
      sentAmount: '0',
      sentQuote: '0',
      seenAmount: '1',
      maskedForgone: '0',
      forgoneAmount: '0',
    };
    expect(perfectOf({ signal }, lot)).toBe('1');
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
