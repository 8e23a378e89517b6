/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import fc from 'fast-check';
import { BigDecimal } from '../../values/index.js';
import { bookFills, type FillToBook, type StoredLot } from './booking.rules.js';
import { emitSignals, type LeaderTrade } from './lot-signals.rules.js';
import { formatUnits, parseUnits } from './lots.rules.js';
import type { EmittedLotState, NewSignal } from './signals.types.js';
import { type GeneratedFill, generatedFills } from './testing/naive-lot-model.js';

const T0 = Date.UTC(2026, 0, 1);
const fillOf = (overrides: Partial<FillToBook> & Pick<FillToBook, 'id' | 'side'>): FillToBook => ({
  tradeId: `trade of ${overrides.id}`,
  price: '100',
  amount: '1',
  feeAmount: '0',
  feeCurrency: 'USDT',
  executedAt: new Date(T0),
  userId: 'u',
  exchangeAccountId: 'e',
  tradePairId: 'p',
  symbol: 'BTC/USDT',
  tradingType: 'spot',
  copierId: null,
  strategyId: 's',
  copiedStrategyId: null,
  sourceTradeId: null,
  ...overrides,
});

/** A leader's account whose fills are reported one by one. */
class Leader {
  readonly signals: NewSignal[] = [];
  private lots: readonly StoredLot[] = [];
  private readonly trades = new Map<string, LeaderTrade>();
  private readonly emittedLots = new Map<string, EmittedLotState>();

  constructor(private readonly tradingType: 'spot' | 'perpetual' = 'spot') {}

  /** Books the fills, which are reported together, and returns their signals. */
  report(...fills: readonly FillToBook[]): readonly NewSignal[] {
    for (const { tradeId, side, amount } of fills) {
      const filledAmount = new BigDecimal(this.trades.get(tradeId)?.filledAmount ?? 0)
        .plus(amount)
        .toString();
      this.trades.set(tradeId, {
        id: tradeId,
        strategyId: 's',
        side,
        amount: '9',
        filledAmount,
        closedAmount: this.trades.get(tradeId)?.closedAmount ?? '0',
        leaderEquity: null,
      });
    }
    const held = this.lots.filter(({ openAmount }) => openAmount > 0n);
    const booked = bookFills(
      { base: 'BTC', quote: 'USDT', amountStep: '0', tradingType: this.tradingType },
      held,
      fills,
    );
    if (this.tradingType !== 'spot') {
      for (const { tradeId, amount } of booked.closures) {
        const trade = this.trades.get(tradeId)!;
        const closedAmount = formatUnits(parseUnits(trade.closedAmount) + amount);
        this.trades.set(tradeId, { ...trade, closedAmount });
      }
    }
    const changed = new Map([...booked.changed, ...booked.opened].map((lot) => [lot.id, lot]));
    this.lots = [...held.map((lot) => changed.get(lot.id) ?? lot), ...booked.opened];
    const signals = emitSignals({
      bookedFills: booked.bookedFills,
      newFillIds: new Set(fills.map(({ id }) => id)),
      openBefore: held,
      trades: this.trades,
      emittedLots: this.emittedLots,
      openBeforeRewind: null,
    });
    for (const signal of signals) this.record(signal);
    return signals;
  }

  /** The open amounts of the lots, by trade. */
  get open(): ReadonlyMap<string, string> {
    const sums = new Map<string, bigint>();
    for (const { tradeId, openAmount } of this.lots)
      sums.set(tradeId, (sums.get(tradeId) ?? 0n) + openAmount);
    const scale = new BigDecimal(10).pow(18);
    return new Map(
      [...sums].map(([id, units]) => [id, new BigDecimal(units.toString()).div(scale).toString()]),
    );
  }

  /** The open amounts of the lots according to the signals, by trade. */
  get emittedOpen(): ReadonlyMap<string, string> {
    return new Map([...this.emittedLots].map(([id, { openAmount }]) => [id, openAmount]));
  }

  private record(signal: NewSignal): void {
    this.signals.push(signal);
    this.emittedLots.set(signal.lotTradeId, {
      firstSequence: signal.lotFirstSequence ?? this.signals.length,
      openedAt: signal.lotOpenedAt,
      cumulativeAmount: signal.cumulativeAmount,
      openAmount: signal.lotAmountAfter,
    });
  }
}

it('rule 5: a leader that reverses in one fill closes one lot, then opens another on the other side', () => {
  const leader = new Leader('perpetual');
  leader.report(fillOf({ id: '1', side: 'BUY', tradingType: 'perpetual' }));
  const reversal = leader.report(fillOf({ id: '2', side: 'SELL', amount: '3', tradingType: 'perpetual' }));
  expect(reversal).toMatchObject([
    { kind: 'CLOSE', side: 'SELL', lotTradeId: 'trade of 1', exitAmount: '1', sourceFillId: '2' },
    { kind: 'OPEN', side: 'SELL', lotTradeId: 'trade of 2', filledAmount: '2', cumulativeAmount: '2' },
  ]);
  expect(
    leader.report(fillOf({ id: '3', side: 'BUY', amount: '2', tradingType: 'perpetual' })),
  ).toMatchObject([{ kind: 'CLOSE', side: 'BUY', lotTradeId: 'trade of 2', exitAmount: '2' }]);
});

it('rule 5: a leader that reverses in parts closes one lot, then opens another with the rest of its order', () => {
  const leader = new Leader('perpetual');
  const sell = { side: 'SELL', tradingType: 'perpetual', tradeId: 'reversal' } as const;
  leader.report(fillOf({ id: '1', side: 'BUY', amount: '2', tradingType: 'perpetual' }));
  expect(leader.report(fillOf({ id: '2', ...sell, amount: '1.5' }))).toMatchObject([
    { kind: 'REDUCE', lotTradeId: 'trade of 1', exitAmount: '1.5' },
  ]);
  // The order is of 9, of which 2 close the lot.
  expect(leader.report(fillOf({ id: '3', ...sell, amount: '2' }))).toMatchObject([
    { kind: 'CLOSE', lotTradeId: 'trade of 1', exitAmount: '0.5' },
    {
      kind: 'OPEN',
      lotTradeId: 'reversal',
      lotFirstSequence: null,
      filledAmount: '1.5',
      cumulativeAmount: '1.5',
      lotOrderAmount: '7',
    },
  ]);
  expect(leader.report(fillOf({ id: '4', ...sell, amount: '1' }))).toMatchObject([
    {
      kind: 'INCREASE',
      lotTradeId: 'reversal',
      filledAmount: '1',
      cumulativeAmount: '2.5',
      lotOrderAmount: '7',
    },
  ]);
});

it('an order that continues to fill after its whole lot was sold enters the lot again, with its total filled amount', () => {
  const leader = new Leader();
  leader.report(fillOf({ id: '1', tradeId: 'a', side: 'BUY' }));
  leader.report(fillOf({ id: '2', side: 'SELL' }));
  leader.report(fillOf({ id: '3', tradeId: 'a', side: 'BUY', amount: '2' }));
  expect(leader.signals).toMatchObject([
    { kind: 'OPEN', lotFirstSequence: null },
    { kind: 'CLOSE', lotFirstSequence: 1 },
    { kind: 'INCREASE', lotFirstSequence: 1, filledAmount: '2', cumulativeAmount: '3', lotAmountAfter: '2' },
  ]);
});

it('row 15: a lot with dust is closed to the last unit by several exits', () => {
  const leader = new Leader();
  const dust = '0.000000000000000001';
  leader.report(fillOf({ id: '1', side: 'BUY', amount: '1', feeAmount: dust, feeCurrency: 'BTC' }));
  leader.report(fillOf({ id: '2', side: 'SELL', amount: '0.333333333333333333' }));
  leader.report(fillOf({ id: '3', side: 'SELL', amount: '0.666666666666666665' }));
  expect(leader.signals.at(-1)).toMatchObject({ kind: 'REDUCE', lotAmountAfter: dust });
  leader.report(fillOf({ id: '4', side: 'SELL', amount: '5' }));
  expect(leader.signals.at(-1)).toMatchObject({ kind: 'CLOSE', exitAmount: dust, lotAmountBefore: dust });
  expect(leader.open.get('trade of 1')).toBe('0');
});

const leaderFill = (
  { side, amount, price, baseFee, source, second }: GeneratedFill,
  index: number,
): FillToBook =>
  fillOf({
    id: String(index),
    // Some trades have several fills.
    tradeId: side === 'BUY' && source === 0 ? `t${Math.floor(index / 5)}` : `t-${index}`,
    side,
    amount: String(amount),
    price: String(price),
    feeAmount: String(side === 'BUY' ? baseFee : 0),
    feeCurrency: 'BTC',
    executedAt: new Date(T0 + second * 1_000),
  });

it('signals of fills that are reported in order add up to the open amount of each lot, never bring it below zero, and are at most one per fill and lot', () => {
  fc.assert(
    fc.property(
      generatedFills(50),
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 50 }),
      (drawn, sizes) => {
        const fills = drawn.map(leaderFill);
        const leader = new Leader();
        for (let at = 0, report = 0; at < fills.length; report++) {
          leader.report(...fills.slice(at, at + sizes[report]!));
          at += sizes[report]!;
        }
        for (const [id, open] of leader.open) expect(leader.emittedOpen.get(id) ?? '0').toBe(open);
        const keys = leader.signals.map(({ sourceFillId, lotTradeId }) => `${sourceFillId} ${lotTradeId}`);
        expect(new Set(keys).size).toBe(keys.length);
        const openOf = new Map<string, BigDecimal>();
        for (const signal of leader.signals) {
          const before = openOf.get(signal.lotTradeId) ?? new BigDecimal(0);
          expect(before.eq(signal.lotAmountBefore)).toBe(true);
          const after = new BigDecimal(signal.lotAmountAfter);
          expect(after.gte(0)).toBe(true);
          if (signal.exitAmount !== '0') expect(before.minus(signal.exitAmount).eq(after)).toBe(true);
          expect(signal.kind === 'CLOSE').toBe(signal.exitAmount !== '0' && after.isZero());
          openOf.set(signal.lotTradeId, after);
        }
      },
    ),
  );
});
