import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { PAIR, TERMS } from '../planning/testing/plan-inputs.js';
import { Replay } from './replay.js';
import type { ReplayedDecision, ReplayOptions, ReplaySignal } from './replay.types.js';

/** The product computes with another library, so that the tests do not share its errors. */
const PreciseDecimal = Decimal.clone({ precision: 120 });
const precise = (text: string) => new PreciseDecimal(text);

const START = Date.parse('2026-03-01T20:00:00.000Z');
const STEP_MS = 30 * 60_000;
const QUOTES = ['USDT', 'EUR'] as const;

/** Decimals with `places` decimal places, from the smallest positive one to `max` times it. */
const decimals = (places: number, max: number) =>
  fc.integer({ min: 1, max }).map((units) => precise(String(units)).div(precise('10').pow(places)).toFixed());
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 2 });

const pairs = fc.record({
  rules: fc.record({
    amountStep: fc.constantFrom('1', '0.1', '0.05', '0.001', '0.00000001'),
    marketAmountStep: orNull(fc.constantFrom('1', '0.1', '0.05', '0.001')),
    marketMaxAmount: orNull(decimals(1, 300)),
    minAmount: fc.oneof(fc.constant('0'), decimals(3, 500)),
    minNotional: fc.oneof(fc.constant('0'), decimals(2, 3_000)),
  }),
  feeRate: fc.constantFrom('0', '0.001', '0.0175'),
  mark: orNull(decimals(2, 30_000)),
});

const terms = fc.record({
  sizing: fc.record({
    mode: fc.constantFrom('FIXED_AMOUNT', 'FIXED_QUOTE', 'MULTIPLIER', 'EQUITY_RATIO'),
    value: decimals(4, 100_000),
    capital: orNull(decimals(2, 1_000_000)),
  }),
  belowMinimum: fc.constantFrom('SKIP', 'ACCUMULATE', 'ROUND_UP'),
  maxTradeQuote: orNull(decimals(1, 20_000)),
  maxOpenQuote: orNull(decimals(1, 20_000)),
  maxOpenTrades: orNull(fc.integer({ min: 1, max: 3 })),
  maxDailyLossQuote: orNull(decimals(1, 20_000)),
  maxDrawdownPercent: orNull(decimals(1, 900)),
});

/** One fill of the leader: it buys into one of four lots, or sells a share of one. */
const fills = fc.record({
  lot: fc.integer({ min: 0, max: 3 }),
  isBuy: fc.boolean(),
  amount: decimals(6, 20_000_000),
  /** In eighths; 8 closes the lot. */
  soldShare: fc.constantFrom(1, 3, 4, 8, 8),
  price: decimals(2, 30_000),
});

const days = fc.record({
  pairs: fc.tuple(pairs, pairs),
  terms,
  onBreach: fc.constantFrom('CLOSE_ONLY', 'PAUSE'),
  equity: fc.constantFrom('500', '10000', '1000000'),
  fills: fc.array(fills, { minLength: 10, maxLength: 40 }),
});
type Day = typeof days extends fc.Arbitrary<infer T> ? T : never;

const symbolOf = (lot: number) => `BTC/${QUOTES[lot % 2]}`;

/** Turns the fills into the signals that the leader's lots emit. A lot that was closed is followed by a new one. */
function signalsOf(day: Day): ReplaySignal[] {
  const lots = new Map<
    number,
    { id: string; first: number; openedAt: Date; held: Decimal; bought: Decimal }
  >();
  return day.fills.flatMap((fill, index): ReplaySignal[] => {
    const at = new Date(START + index * STEP_MS);
    const sequence = index + 1;
    const known = lots.get(fill.lot);
    if (known === undefined && !fill.isBuy) return [];
    const lot = known ?? {
      id: `lot ${index}`,
      first: sequence,
      openedAt: at,
      held: precise('0'),
      bought: precise('0'),
    };
    const before = lot.held;
    const sold = before.times(fill.soldShare).div(8).toDecimalPlaces(18, PreciseDecimal.ROUND_DOWN);
    const isClosed = !fill.isBuy && (fill.soldShare === 8 || sold.isZero());
    const exitAmount = fill.isBuy ? precise('0') : isClosed ? before : sold;
    lot.held = fill.isBuy ? before.plus(fill.amount) : before.minus(exitAmount);
    lot.bought = fill.isBuy ? lot.bought.plus(fill.amount) : lot.bought;
    if (isClosed) lots.delete(fill.lot);
    else lots.set(fill.lot, lot);
    return [
      {
        id: `signal ${index}`,
        sequence,
        kind: fill.isBuy ? (known === undefined ? 'OPEN' : 'INCREASE') : isClosed ? 'CLOSE' : 'REDUCE',
        side: fill.isBuy ? 'BUY' : 'SELL',
        symbol: symbolOf(fill.lot),
        lotTradeId: lot.id,
        lotFirstSequence: lot.first,
        lotOpenedAt: lot.openedAt,
        lotOrderAmount: '20',
        filledAmount: fill.isBuy ? fill.amount : exitAmount.toFixed(),
        cumulativeAmount: lot.bought.toFixed(),
        lotAmountBefore: before.toFixed(),
        exitAmount: exitAmount.toFixed(),
        referencePrice: fill.price,
        leaderEquity: '10000',
        signalAt: at,
        emittedAt: at,
        sourceTradeId: lot.id,
        sourceFillId: `fill ${index}`,
      },
    ];
  });
}

function optionsOf({ pairs: traded, terms: chosen, onBreach, equity }: Day): ReplayOptions {
  return {
    copierId: 'copier',
    terms: { ...TERMS, ...chosen },
    onBreach,
    startingEquity: new Map(QUOTES.map((quote) => [quote, equity])),
    pairs: new Map(
      traded.map(({ rules, ...pair }, index) => [
        symbolOf(index),
        { ...pair, rules: { ...PAIR, ...rules, lastPrice: null } },
      ]),
    ),
  };
}

function replayed(day: Day) {
  const replay = new Replay(optionsOf(day));
  const decisions = signalsOf(day).map((signal) => replay.apply(signal));
  return { decisions, counts: replay.counts, results: QUOTES.map((quote) => replay.resultIn(quote)) };
}

/** The copies of a day, computed from the orders of its decisions alone. */
class Copies {
  readonly held = new Map<string, Decimal>();
  readonly sold: { readonly amount: Decimal; readonly heldBefore: Decimal }[] = [];
  private readonly flow = new Map<string, Decimal>();

  constructor(private readonly options: ReplayOptions) {}

  apply({ signal, plan }: ReplayedDecision): void {
    if (plan.order === null) return;
    const { rules, feeRate } = this.options.pairs.get(signal.symbol)!;
    const amount = precise(plan.order.amount);
    const value = amount.times(signal.referencePrice);
    const before = this.held.get(signal.lotTradeId) ?? precise('0');
    const kept = precise('1').minus(feeRate);
    if (plan.order.side === 'BUY') {
      this.held.set(signal.lotTradeId, before.plus(amount.times(kept)));
      this.add(signal.symbol, value.neg());
      return;
    }
    this.sold.push({ amount, heldBefore: before });
    const left = before.minus(amount);
    this.held.set(signal.lotTradeId, left.lt(rules.amountStep) && left.gte(0) ? precise('0') : left);
    this.add(signal.symbol, value.times(kept));
  }

  /** The net result of a pair, with what is still held at the given price. */
  resultOf(symbol: string, lotIds: ReadonlySet<string>, price: string): Decimal {
    const held = [...this.held].reduce(
      (sum, [lot, amount]) => (lotIds.has(lot) ? sum.plus(amount) : sum),
      precise('0'),
    );
    return (this.flow.get(symbol) ?? precise('0')).plus(held.times(price));
  }

  private add(symbol: string, change: Decimal): void {
    this.flow.set(symbol, (this.flow.get(symbol) ?? precise('0')).plus(change));
  }
}

const check = (property: (day: Day) => void) => fc.assert(fc.property(days, property), { numRuns: 100 });

describe('a replay of any day', () => {
  it('never sells more than its lot holds, and holds no negative lot', () => {
    check((day) => {
      const copies = new Copies(optionsOf(day));
      for (const decision of replayed(day).decisions) {
        copies.apply(decision);
        for (const amount of copies.held.values()) expect(amount.gte(0)).toBe(true);
      }
      for (const { amount, heldBefore } of copies.sold) expect(amount.lte(heldBefore)).toBe(true);
    });
  });

  it('reports the result that its orders give', () => {
    check((day) => {
      const options = optionsOf(day);
      const copies = new Copies(options);
      const { decisions, results } = replayed(day);
      for (const decision of decisions) copies.apply(decision);
      for (const [index, quote] of QUOTES.entries()) {
        const symbol = `BTC/${quote}`;
        const own = decisions.filter(({ signal }) => signal.symbol === symbol);
        const lots = new Set(own.map(({ signal }) => signal.lotTradeId));
        const price = options.pairs.get(symbol)!.mark ?? own.at(-1)?.signal.referencePrice ?? '0';
        const difference = copies.resultOf(symbol, lots, price).minus(results[index]!.netPnl).abs();
        expect(difference.lte('1e-15')).toBe(true);
      }
    });
  });

  it('gives the same decisions and figures each time', () => {
    check((day) => expect(replayed(day)).toEqual(replayed(day)));
  });

  it('includes days on which lots are reduced and closed', () => {
    const seen = { sales: 0, closed: 0 };
    for (const day of fc.sample(days, { numRuns: 100, seed: 7 })) {
      const { decisions } = replayed(day);
      const sales = decisions.filter(({ plan }) => plan.order?.side === 'SELL');
      seen.sales += sales.length;
      seen.closed += sales.filter(({ signal }) => signal.kind === 'CLOSE').length;
    }
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(10);
  });
});
