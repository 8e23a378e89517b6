/**
 * Compares a replay on perpetuals with live copying: each signal is planned by `planBatch`, with holdings and an account that
 * a model computes from the orders alone.
 */
import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { type CopierRow, NOTHING_HELD } from '../copying/copy-inputs.queries.js';
import { exposureKey, type PerpetualExposure } from '../copying/perpetual-accounts.queries.js';
import { bookKey, planBatch } from '../copying/plan-batch.js';
import type { OfferedPair } from '../offered-pairs.queries.js';
import type { CopyPlan, CopyTerms } from '../planning/plan.types.js';
import { plannedSignalOf } from '../planning/planned-signal.js';
import { PAIR, TERMS } from '../planning/testing/plan-inputs.js';
import { Replay } from './replay.js';
import type { ReplaySignal } from './replay.types.js';

/** The product computes with another setting, so that the tests do not share its errors. */
const PreciseDecimal = Decimal.clone({ precision: 120, toExpNeg: -100, toExpPos: 100 });
const precise = (value: string | number) => new PreciseDecimal(value);
const ZERO = precise(0);
const sum = (values: Iterable<Decimal>) => [...values].reduce((total, value) => total.plus(value), ZERO);

const START = Date.parse('2026-03-01T20:00:00.000Z');
const SYMBOLS = ['BTC/USDT:USDT', 'ETH/USDT:USDT'] as const;
const FEE = '0.001';

const decimals = (places: number, max: number) =>
  fc.integer({ min: 1, max }).map((units) => precise(units).div(precise(10).pow(places)).toFixed());
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 2 });

const days = fc.record({
  terms: fc.record({
    sizing: fc.record({
      mode: fc.constantFrom('FIXED_AMOUNT', 'FIXED_QUOTE', 'MULTIPLIER', 'EQUITY_RATIO'),
      value: fc.constantFrom('0.3', '1', '2.5', '60'),
      capital: fc.constant(null),
    }),
    belowMinimum: fc.constantFrom('SKIP', 'ACCUMULATE', 'ROUND_UP'),
    maxTradeQuote: orNull(decimals(0, 500)),
    maxOpenQuote: orNull(decimals(0, 900)),
    maxOpenTrades: orNull(fc.integer({ min: 1, max: 3 })),
    maxLeverage: orNull(decimals(1, 50)),
    minMarginRatio: orNull(decimals(0, 40)),
    allowedSides: fc.constantFrom(null, null, null, ['SELL']),
  }),
  equity: fc.constantFrom('50', '400', '100000'),
  leverage: fc.constantFrom(null, '1', '3', '20'),
  amountStep: fc.constantFrom('0.001', '0.05'),
  fills: fc.array(
    fc.record({
      pair: fc.integer({ min: 0, max: 1 }),
      /** Closes the leader's position if null. */
      amount: orNull(fc.integer({ min: -4_000, max: 4_000 }).filter((thousandths) => thousandths !== 0)),
      price: decimals(2, 20_000),
      /** A rate of funding before the fill. */
      funding: orNull(fc.constantFrom('0.01', '-0.003')),
    }),
    { minLength: 10, maxLength: 30 },
  ),
});
type Day = typeof days extends fc.Arbitrary<infer T> ? T : never;

/** Signals of the leader's netted position: a fill closes the oldest lots, and opens one with the rest. */
function signalsOf(day: Day): ReplaySignal[] {
  const lots = new Map(
    SYMBOLS.map((symbol) => [symbol, [] as { id: string; first: number; left: Decimal }[]]),
  );
  const signals: ReplaySignal[] = [];
  for (const [index, { pair, amount, price }] of day.fills.entries()) {
    const symbol = SYMBOLS[pair]!;
    const open = lots.get(symbol)!;
    let rest = amount === null ? sum(open.map(({ left }) => left)).negated() : precise(amount).div(1_000);
    const side = rest.gt(0) ? 'BUY' : 'SELL';
    const at = new Date(START + index * 60_000);
    const emit = (
      more: Pick<ReplaySignal, 'kind' | 'lotTradeId' | 'lotFirstSequence'>,
      size: Decimal,
      before = ZERO,
    ) => {
      const isEntry = before.isZero();
      const filled = size.abs().toFixed();
      signals.push({
        ...more,
        id: `signal ${signals.length + 1}`,
        sequence: signals.length + 1,
        side,
        symbol,
        lotOpenedAt: at,
        lotOrderAmount: isEntry ? filled : '5',
        filledAmount: filled,
        cumulativeAmount: filled,
        lotAmountBefore: before.abs().toFixed(),
        exitAmount: isEntry ? '0' : filled,
        referencePrice: price,
        leaderEquity: '1000',
        signalAt: at,
        emittedAt: at,
        sourceTradeId: `trade ${index}`,
        sourceFillId: `fill ${index}`,
      });
    };
    while (!rest.isZero() && open[0] !== undefined && open[0].left.s !== rest.s) {
      const lot = open[0];
      const closed = rest.abs().gte(lot.left.abs()) ? lot.left : rest.negated();
      const kind = closed.eq(lot.left) ? 'CLOSE' : 'REDUCE';
      emit({ kind, lotTradeId: lot.id, lotFirstSequence: lot.first }, closed, lot.left);
      lot.left = lot.left.minus(closed);
      rest = rest.plus(closed);
      if (lot.left.isZero()) open.shift();
    }
    if (rest.isZero()) continue;
    const lot = { id: `lot ${index}`, first: signals.length + 1, left: rest };
    emit({ kind: 'OPEN', lotTradeId: lot.id, lotFirstSequence: lot.first }, rest);
    open.push(lot);
  }
  return signals;
}

const pairOf = ({ amountStep }: Day, symbol: string) => ({
  ...PAIR,
  symbol,
  amountStep,
  takerFee: FEE,
  tradingType: 'perpetual' as const,
  lastPrice: null,
});

const termsOf = ({ terms }: Day): CopyTerms => ({ ...TERMS, ...terms }) as CopyTerms;

function replayOf(day: Day): Replay {
  const perpetual = { leverage: day.leverage, maintenanceRate: '0.05', isMaintenanceAssumed: false };
  return new Replay({
    copierId: 'copier',
    terms: termsOf(day),
    onBreach: 'CLOSE_ONLY',
    startingEquity: new Map([['USDT', day.equity]]),
    pairs: new Map(
      SYMBOLS.map((symbol) => [symbol, { rules: pairOf(day, symbol), feeRate: FEE, mark: null, perpetual }]),
    ),
    funding: new Map(
      SYMBOLS.map((symbol, pair) => [
        symbol,
        day.fills.flatMap((fill, index) =>
          fill.funding === null || fill.pair !== pair
            ? []
            : [{ at: new Date(START + index * 60_000 - 1), rate: fill.funding, markPrice: null }],
        ),
      ]),
    ),
  });
}

interface ModelLot {
  readonly symbol: string;
  /** Below 0 if short. */
  held: Decimal;
  cost: Decimal;
}

/** A copier on an account of its own, and its orders of one fill that are still open. */
class Live {
  private readonly lots = new Map<string, ModelLot>();
  private readonly states = new Map<string, NonNullable<CopyPlan['lot']>>();
  private readonly prices = new Map<string, Decimal>();
  private cash = ZERO;
  private fundedCount = 0;
  private open: { readonly signal: ReplaySignal; readonly plan: CopyPlan }[] = [];

  constructor(private readonly day: Day) {}

  get result(): Decimal {
    return this.cash.plus(sum([...this.prices].map(([symbol, price]) => this.netOf(symbol).times(price))));
  }

  plan(signal: ReplaySignal): CopyPlan {
    if (this.open[0]?.signal.sourceFillId !== signal.sourceFillId) this.beginFill(signal);
    this.prices.set(signal.symbol, precise(signal.referencePrice));
    const copier = this.copierOf(signal);
    const equity = this.result.plus(this.day.equity);
    const { leverage } = this.day;
    const margin = leverage === null ? 0 : this.notional.div(leverage).toDecimalPlaces(18, Decimal.ROUND_UP);
    const free = equity.minus(margin).toFixed();
    const isOpening = signal.kind === 'OPEN' || signal.kind === 'INCREASE';
    const kept = [...this.lots].filter(([id]) => !isOpening || !this.isClosing(id));
    const others = kept.filter(([id, { held }]) => id !== signal.lotTradeId && !held.isZero());
    const [planned] = planBatch(
      [
        {
          copier,
          equity: equity.toFixed(),
          holdings: {
            ...NOTHING_HELD,
            heldAmount: (this.lots.get(signal.lotTradeId)?.held ?? ZERO).abs().toFixed(),
            openLotCount: others.length,
            openQuote: sum(kept.map(([, { cost }]) => cost)).toFixed(),
          },
        },
      ],
      {
        signal: plannedSignalOf(signal),
        now: signal.emittedAt,
        free: new Map([['account', new Map([['USDT', free]])]]),
        exposures: new Map([
          [
            exposureKey({ accountId: 'account', pairId: signal.symbol }),
            this.exposureOf(signal.symbol, equity, isOpening),
          ],
        ]),
        understated: new Set(),
        bookMids: new Map([[bookKey(copier.pair!), signal.referencePrice]]),
        ignoresPause: false,
      },
    );
    const plan = planned!.plan!;
    if (plan.lot !== null) this.states.set(signal.lotTradeId, plan.lot);
    if (plan.order !== null) this.open.push({ signal, plan });
    return plan;
  }

  /** Fills the open orders. */
  fill(): void {
    for (const { signal, plan } of this.open) {
      const amount = precise(plan.order!.amount);
      const isBuy = plan.order!.side === 'BUY';
      const value = amount.times(signal.referencePrice);
      const fee = value.times(FEE);
      const paid = isBuy ? value.plus(fee) : value.minus(fee);
      this.cash = isBuy ? this.cash.minus(paid) : this.cash.plus(paid);
      const lot = this.lots.get(signal.lotTradeId) ?? { symbol: signal.symbol, held: ZERO, cost: ZERO };
      // Each lot has one entry, because each signal of this test opens a lot or closes a part of one.
      const closed = signal.kind === 'OPEN' ? ZERO : lot.cost.times(amount).div(lot.held.abs());
      lot.cost =
        signal.kind === 'OPEN' ? paid : lot.cost.minus(closed.toDecimalPlaces(36, Decimal.ROUND_DOWN));
      lot.held = isBuy ? lot.held.plus(amount) : lot.held.minus(amount);
      this.lots.set(signal.lotTradeId, lot);
    }
    this.open = [];
  }

  /** Fills the orders of the fill before, and pays the funding since then. */
  private beginFill({ sourceFillId }: ReplaySignal): void {
    this.fill();
    const next = Number(sourceFillId.slice('fill '.length)) + 1;
    for (const { pair, funding } of this.day.fills.slice(this.fundedCount, next)) {
      const symbol = SYMBOLS[pair]!;
      const price = this.prices.get(symbol);
      if (funding !== null && price !== undefined)
        this.cash = this.cash.minus(this.netOf(symbol).times(price).times(funding));
    }
    this.fundedCount = next;
  }

  private netOf(symbol: string): Decimal {
    return sum([...this.lots.values()].filter((lot) => lot.symbol === symbol).map(({ held }) => held));
  }

  /** The notional without the lots that orders of the fill close. */
  private get keptNotional(): Decimal {
    const netOf = (symbol: string) =>
      sum(
        [...this.lots]
          .filter(([id, lot]) => lot.symbol === symbol && !this.isClosing(id))
          .map(([, { held }]) => held),
      );
    return sum([...this.prices].map(([symbol, price]) => netOf(symbol).times(price).abs()));
  }

  /** The margin of what orders of the fill close of the pair. */
  private releasedOf(symbol: string): Decimal {
    const { leverage } = this.day;
    if (leverage === null) return ZERO;
    const kept = sum(
      [...this.lots]
        .filter(([id, lot]) => lot.symbol === symbol && !this.isClosing(id))
        .map(([, { held }]) => held),
    );
    const closed = PreciseDecimal.max(0, this.netOf(symbol).abs().minus(kept.abs()));
    return closed
      .times(this.prices.get(symbol) ?? ZERO)
      .div(leverage)
      .toDecimalPlaces(18, Decimal.ROUND_DOWN);
  }

  private get notional(): Decimal {
    return sum([...this.prices].map(([symbol, price]) => this.netOf(symbol).times(price).abs()));
  }

  /** Whether an order of the fill closes the lot. */
  private isClosing(lotTradeId: string): boolean {
    return this.open.some(({ signal }) => signal.kind === 'CLOSE' && signal.lotTradeId === lotTradeId);
  }

  private exposureOf(symbol: string, equity: Decimal, isOpening: boolean): PerpetualExposure {
    const exiting = (side: string) =>
      sum(
        this.open
          .filter(({ signal, plan }) => signal.symbol === symbol && plan.order!.side === side)
          .map(({ plan }) => precise(plan.order!.amount)),
      ).toFixed();
    const { notional } = this;
    return {
      net: this.netOf(symbol).toFixed(),
      buying: exiting('BUY'),
      selling: exiting('SELL'),
      leverage: this.day.leverage,
      markPrice: null,
      notional: isOpening ? this.keptNotional.toFixed() : notional.toFixed(),
      marginRatio: notional.isZero()
        ? null
        : equity.div(notional.times('0.05')).toDecimalPlaces(18, Decimal.ROUND_DOWN).toFixed(),
      released: isOpening ? this.releasedOf(symbol).toFixed() : '0',
    };
  }

  private copierOf({ symbol, lotTradeId, lotOpenedAt }: ReplaySignal): CopierRow {
    const { sizing, ...limits } = termsOf(this.day);
    const lot = this.states.get(lotTradeId);
    const pair: OfferedPair = {
      ...pairOf(this.day, symbol),
      id: symbol,
      exchange: 'paper',
      base: symbol.slice(0, 3),
      quote: 'USDT',
    };
    return {
      ...limits,
      sizingMode: sizing.mode,
      sizingValue: sizing.value,
      sizingCapital: sizing.capital,
      id: 'copier',
      userId: 'user',
      accountId: 'account',
      walletId: 'account',
      isOwnStrategy: true,
      status: 'ACTIVE',
      startedAt: lotOpenedAt,
      startedSequence: 0,
      resumedSequence: 0,
      isAccountActive: true,
      exchange: 'paper',
      pair,
      lotTerms: lot?.terms ?? null,
      ratioNumerator: lot?.ratio?.numerator ?? null,
      ratioDenominator: lot?.ratio?.denominator ?? null,
      maskedRatio: lot?.maskedRatio ?? null,
      sentAmount: lot?.sentAmount ?? '0',
      sentQuote: lot?.sentQuote ?? '0',
      forgoneAmount: lot?.forgoneAmount ?? '0',
      maskedForgone: lot?.maskedForgone ?? null,
      seenAmount: lot?.seenAmount ?? '0',
      owedAmount: lot?.owedAmount ?? '0',
    };
  }
}

const shownOf = ({ outcome, code, targetAmount, order }: CopyPlan) => [
  outcome,
  code,
  targetAmount,
  order?.side,
  order?.amount,
  order?.price,
  order?.reduceOnly,
];

function compare(day: Day): CopyPlan[] {
  const replay = replayOf(day);
  const live = new Live(day);
  const plans = signalsOf(day).map((signal) => {
    const { plan } = replay.apply(signal);
    expect(shownOf(plan)).toEqual(shownOf(live.plan(signal)));
    return plan;
  });
  live.fill();
  expect(live.result.minus(replay.resultIn('USDT').netPnl).abs().lte('1e-17')).toBe(true);
  return plans;
}

describe('a replay of any day on perpetuals', () => {
  it('has the decisions and the result of live copying', () => {
    fc.assert(
      fc.property(days, (day) => {
        compare(day);
      }),
      { numRuns: 100 },
    );
  });

  it('includes shorts, flips and each limit', () => {
    const plans = fc.sample(days, { numRuns: 100, seed: 7 }).flatMap(compare);
    const codes = new Map<string, number>();
    for (const { code, order } of plans) {
      const key = `${code} ${order === null ? 'none' : order.side}`;
      codes.set(key, (codes.get(key) ?? 0) + 1);
    }
    for (const key of [
      'null SELL',
      'null BUY',
      'MAX_LEVERAGE SELL',
      'MAX_LEVERAGE none',
      'MAX_OPEN BUY',
      'MAX_TRADES none',
      'MARGIN_RATIO none',
      'INSUFFICIENT_BALANCE none',
      'SIDE_BLOCKED none',
    ])
      expect([key, (codes.get(key) ?? 0) > 5]).toEqual([key, true]);
  });
});
