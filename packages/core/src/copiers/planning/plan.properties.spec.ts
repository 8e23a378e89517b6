import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { planCopy } from './plan.rules.js';
import type { CopiedLotState, CopyInput, CopyPlan } from './plan.types.js';
import { entryInput, exitInput, TERMS } from './testing/plan-inputs.js';

/** The product computes with fractions; the tests compute with decimal.js, so that they do not share its errors. */
const PreciseDecimal = Decimal.clone({ precision: 200 });
const precise = (text: string) => new PreciseDecimal(text);

/** Decimals with `places` decimal places, from the smallest positive one to `max` times it. */
const decimals = (places: number, max: number) =>
  fc.integer({ min: 1, max }).map((units) => precise(String(units)).div(precise('10').pow(places)).toFixed());
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const step = fc.constantFrom('1', '0.1', '0.05', '0.001', '0.00000001');

const pair = fc.record({
  priceTick: fc.constantFrom('0.01', '0.5', '0.0001'),
  amountStep: step,
  marketAmountStep: orNull(step),
  minAmount: fc.oneof(fc.constant('0'), decimals(3, 500)),
  maxAmount: orNull(decimals(1, 300)),
  minNotional: fc.oneof(fc.constant('0'), decimals(2, 3_000)),
  maxNotional: orNull(decimals(0, 5_000)),
  lastPrice: orNull(decimals(2, 100_000)),
});

const terms = fc.record({
  sizing: fc.record({
    mode: fc.constantFrom('FIXED_AMOUNT', 'FIXED_QUOTE', 'MULTIPLIER', 'EQUITY_RATIO'),
    value: decimals(4, 1_000_000),
    capital: orNull(decimals(2, 1_000_000)),
  }),
  belowMinimum: fc.constantFrom('SKIP', 'ACCUMULATE', 'ROUND_UP'),
  maxTradeQuote: orNull(decimals(1, 20_000)),
  maxOpenQuote: orNull(decimals(1, 20_000)),
  maxSlippageBps: orNull(fc.integer({ min: 0, max: 2_000 })),
});

const scenarios = fc.record({
  pair,
  terms,
  fills: fc.array(decimals(6, 20_000_000), { minLength: 1, maxLength: 6 }),
  price: decimals(2, 100_000),
  leaderEquity: decimals(2, 1_000_000),
  account: fc.record({
    freeQuote: decimals(2, 10_000_000),
    freeBase: decimals(6, 50_000_000),
    equity: orNull(decimals(2, 1_000_000)),
  }),
  openQuote: decimals(2, 100_000),
});
type Scenario = typeof scenarios extends fc.Arbitrary<infer T> ? T : never;

interface PlannedEntry {
  readonly input: CopyInput;
  readonly plan: CopyPlan;
}

/** Plans the entries of one lot of the leader, in order. All sent orders are filled in full. */
function entriesOf(scenario: Scenario): PlannedEntry[] {
  const total = scenario.fills.reduce((sum, fill) => sum.plus(fill), precise('0'));
  let cumulative = precise('0');
  let lot: CopiedLotState | null = null;
  return scenario.fills.map((filledAmount) => {
    cumulative = cumulative.plus(filledAmount);
    const input: CopyInput = entryInput({
      pair: scenario.pair,
      terms: { ...TERMS, ...scenario.terms },
      lot,
      account: scenario.account,
      copier: { openQuote: scenario.openQuote },
      signal: {
        cumulativeAmount: cumulative.toFixed(),
        filledAmount,
        leaderOrderAmount: total.toFixed(),
        referencePrice: scenario.price,
        leaderEquity: scenario.leaderEquity,
      },
    });
    const plan = planCopy(input);
    const held = precise(lot?.heldAmount ?? '0').plus(plan.order?.amount ?? 0);
    lot = plan.lot === null ? null : { ...plan.lot, heldAmount: held.toFixed() };
    return { input, plan };
  });
}

const isMultiple = (value: string, size: string) => precise(value).mod(size).isZero();

describe('an entry with any input', () => {
  const check = (property: (entry: PlannedEntry) => void) =>
    fc.assert(
      fc.property(scenarios, (scenario) => entriesOf(scenario).forEach(property)),
      { numRuns: 400 },
    );

  it('is never above its caps or the free balance', () => {
    check(({ input, plan }) => {
      if (plan.order === null) return;
      const { terms: bounds } = plan.lot!;
      const cost = precise(plan.order.amount).times(plan.order.price!);
      expect(precise(plan.order.reserved).gte(cost)).toBe(true);
      expect(precise(plan.order.reserved).lte(input.account.freeQuote)).toBe(true);
      if (bounds.maxTradeQuote !== null)
        expect(precise(plan.lot!.sentQuote).lte(bounds.maxTradeQuote)).toBe(true);
      if (bounds.maxOpenQuote !== null) {
        expect(cost.plus(input.copier.openQuote).lte(bounds.maxOpenQuote)).toBe(true);
      }
    });
  });

  it('is never above its target, unless it is rounded up; then it is at most twice the target', () => {
    check(({ input, plan }) => {
      if (plan.order === null) return;
      const lot = plan.lot!;
      const unsent = precise(input.signal.cumulativeAmount)
        .times(lot.ratio!.numerator)
        .minus(precise(lot.forgoneAmount).plus(lot.sentAmount).times(lot.ratio!.denominator));
      if (lot.terms.belowMinimum !== 'ROUND_UP') expect(unsent.gte(0)).toBe(true);
      const due = precise(plan.targetAmount).plus('1e-18');
      expect(precise(plan.order.amount).lte(due.times(lot.terms.belowMinimum === 'ROUND_UP' ? 2 : 1))).toBe(
        true,
      );
    });
  });

  it('satisfies the rules of the exchange, and is within the slippage bound', () => {
    check(({ input, plan }) => {
      if (plan.order === null) return;
      const { amount, price } = plan.order;
      const rules = input.account.pair!;
      const notional = precise(amount).times(price!);
      expect(isMultiple(amount, rules.amountStep) && isMultiple(price!, rules.priceTick)).toBe(true);
      expect(
        precise(amount).gt(0) && precise(amount).gte(rules.minAmount) && notional.gte(rules.minNotional),
      ).toBe(true);
      if (rules.maxAmount !== null) expect(precise(amount).lte(rules.maxAmount)).toBe(true);
      if (rules.maxNotional !== null) expect(notional.lte(rules.maxNotional)).toBe(true);
      const bps = plan.lot!.terms.maxSlippageBps ?? 50;
      expect(
        precise(price!).lte(
          precise(input.signal.referencePrice)
            .times(10_000 + bps)
            .div(10_000),
        ),
      ).toBe(true);
    });
  });

  it('has a code unless its outcome is COPIED, and an order unless it is SKIPPED', () => {
    check(({ plan }) => {
      expect(plan.outcome === 'COPIED').toBe(plan.code === null);
      expect(plan.outcome === 'SKIPPED').toBe(plan.order === null);
      for (const amount of [plan.lot?.forgoneAmount, plan.lot?.sentAmount, plan.targetAmount]) {
        if (amount !== undefined) expect(precise(amount).gte(0)).toBe(true);
      }
    });
  });
});

describe('the fills of one order of the leader', () => {
  const looseRules = {
    amountStep: '0.001' as const,
    minAmount: '0',
    minNotional: '0',
    maxAmount: null,
    maxNotional: null,
  };
  const unlimited: fc.Arbitrary<Scenario> = scenarios.map((scenario) => ({
    ...scenario,
    pair: { ...scenario.pair, ...looseRules, priceTick: '0.01' as const },
    terms: {
      ...scenario.terms,
      belowMinimum: 'ACCUMULATE' as const,
      maxTradeQuote: null,
      maxOpenQuote: null,
    },
    account: { ...scenario.account, freeQuote: `1${'0'.repeat(30)}`, equity: '777.77' },
  }));
  const sentBy = (scenario: Scenario) => entriesOf(scenario).at(-1)?.plan.lot?.sentAmount ?? '0';

  it('add up to the same copy in any order, and if one fill replaces them all', () => {
    fc.assert(
      fc.property(unlimited, (scenario) => {
        const whole = scenario.fills.reduce((sum, fill) => sum.plus(fill), precise('0')).toFixed();
        expect(sentBy({ ...scenario, fills: scenario.fills.toReversed() })).toBe(sentBy(scenario));
        expect(sentBy({ ...scenario, fills: [whole] })).toBe(sentBy(scenario));
      }),
      { numRuns: 300 },
    );
  });

  it('add up to the same copy even if their signals are repeated', () => {
    fc.assert(
      fc.property(unlimited, fc.array(fc.nat(5), { maxLength: 8 }), (scenario, repeats) => {
        const entries = entriesOf(scenario);
        const { input, plan } = entries.at(-1)!;
        let lot = plan.lot === null ? null : { ...plan.lot, heldAmount: plan.lot.sentAmount };
        for (const index of repeats) {
          const { signal } = entries[index % entries.length]!.input;
          const again = planCopy({ ...input, signal, copier: { ...input.copier, lot } });
          expect(again.order).toBeNull();
          lot = again.lot === null ? null : { ...again.lot, heldAmount: again.lot.sentAmount };
        }
        expect(lot?.sentAmount).toBe(plan.lot?.sentAmount);
      }),
      { numRuns: 200 },
    );
  });
});

describe('an exit with any input', () => {
  const exit = fc.record({
    pair,
    held: decimals(6, 50_000_000),
    owed: orNull(decimals(6, 60_000_000)),
    before: decimals(6, 9_000_000),
    share: fc.integer({ min: 0, max: 100 }),
    free: decimals(6, 50_000_000),
    kind: fc.constantFrom('REDUCE', 'CLOSE'),
    price: decimals(2, 100_000),
  });

  it('never sells more than is held or free, and only a tradable amount', () => {
    fc.assert(
      fc.property(exit, ({ pair: rules, held, owed, before, share, free, kind, price }) => {
        const { order, targetAmount, lot } = planCopy(
          exitInput({
            pair: rules,
            lot: { heldAmount: held, owedAmount: owed ?? '0' },
            account: { freeBase: free },
            signal: {
              kind,
              lotAmountBefore: before,
              exitAmount: precise(before).times(share).div(100).toFixed(),
              referencePrice: price,
            },
          }),
        );
        expect(precise(targetAmount).lte(held)).toBe(true);
        expect(precise(lot!.owedAmount).lte(held)).toBe(true);
        if (order === null) return;
        expect(precise(order.amount).lte(held) && precise(order.amount).lte(free)).toBe(true);
        const worth = precise(order.amount).times(rules.lastPrice ?? price);
        expect(precise(order.amount).gte(rules.minAmount) && worth.gte(rules.minNotional)).toBe(true);
        if (rules.maxAmount !== null) expect(precise(order.amount).lte(rules.maxAmount)).toBe(true);
        expect(isMultiple(order.amount, rules.marketAmountStep ?? rules.amountStep)).toBe(true);
      }),
      { numRuns: 600 },
    );
  });

  it('leaves no tradable amount after a CLOSE', () => {
    fc.assert(
      fc.property(exit, ({ pair: rules, held, price }) => {
        const unbounded = { ...rules, maxAmount: null, maxNotional: null };
        const plan = planCopy(
          exitInput({
            pair: unbounded,
            lot: { heldAmount: held },
            account: { freeBase: held },
            signal: { kind: 'CLOSE', referencePrice: price },
          }),
        );
        const size = precise(rules.marketAmountStep ?? rules.amountStep);
        const left = precise(held).minus(plan.order?.amount ?? 0);
        const tradable = left.div(size).floor().times(size);
        const worth = tradable.times(rules.lastPrice ?? price);
        expect(tradable.lte(0) || tradable.lt(rules.minAmount) || worth.lt(rules.minNotional)).toBe(true);
        if (plan.order !== null) expect(left.lt(size)).toBe(true);
      }),
      { numRuns: 400 },
    );
  });
});
