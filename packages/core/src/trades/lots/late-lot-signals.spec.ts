/** Signals of late fills, and of lots that were opened before the product emitted signals. */
import { bookFills, type FillToBook, type StoredLot } from './booking.rules.js';
import { type EmissionInput, emitSignals, type LeaderTrade } from './lot-signals.rules.js';
import { parseUnits } from './lots.rules.js';
import type { EmittedLotState } from './signals.types.js';

const T0 = Date.UTC(2026, 0, 1);
const at = (second: number) => new Date(T0 + second * 1_000);

/** Builds the fill of trade `tradeId` at a second; its id is the trade's name and the second. */
const fill = (
  tradeId: string,
  side: 'BUY' | 'SELL',
  second: number,
  overrides: Partial<FillToBook> = {},
) => ({
  id: `${tradeId}${second}`,
  tradeId,
  side,
  price: String(100 + second),
  amount: '1',
  feeAmount: '0',
  feeCurrency: 'USDT',
  executedAt: at(second),
  userId: 'u',
  exchangeAccountId: 'e',
  tradePairId: 'p',
  symbol: 'BTC/USDT',
  tradingType: 'spot' as const,
  copierId: null,
  strategyId: 's',
  copiedStrategyId: null,
  sourceTradeId: null,
  ...overrides,
});
const buy = (tradeId: string, second: number, overrides?: Partial<FillToBook>) =>
  fill(tradeId, 'BUY', second, overrides);
const sell = (tradeId: string, second: number, overrides?: Partial<FillToBook>) =>
  fill(tradeId, 'SELL', second, overrides);
const tradeOf = (id: string, overrides: Partial<LeaderTrade> = {}): LeaderTrade => ({
  id,
  strategyId: 's',
  side: 'BUY',
  amount: '9',
  filledAmount: '1',
  closedAmount: '0',
  leaderEquity: '5000',
  ...overrides,
});
const emitted = (openAmount: string, overrides: Partial<EmittedLotState> = {}): EmittedLotState => ({
  firstSequence: 7,
  openedAt: at(-60),
  cumulativeAmount: '1',
  openAmount,
  ...overrides,
});

interface Scenario {
  readonly fills: readonly FillToBook[];
  /** The ids of the new fills. */
  readonly late: readonly string[];
  readonly trades?: readonly LeaderTrade[];
  readonly emittedLots?: Readonly<Record<string, EmittedLotState>>;
  readonly openBefore?: readonly StoredLot[];
  readonly openBeforeRewind?: readonly string[] | null;
  readonly tradingType?: 'spot' | 'perpetual';
}

function signalsOf({ fills, late, trades = [tradeOf('a'), tradeOf('b')], ...rest }: Scenario) {
  const { emittedLots = {}, openBefore = [], openBeforeRewind = [], tradingType = 'spot' } = rest;
  const pair = { base: 'BTC', quote: 'USDT', amountStep: '0', tradingType };
  const input: EmissionInput = {
    bookedFills: bookFills(pair, openBefore, fills).bookedFills,
    newFillIds: new Set(late),
    openBefore,
    trades: new Map(trades.map((trade) => [trade.id, trade])),
    emittedLots: new Map(Object.entries(emittedLots)),
    openBeforeRewind: openBeforeRewind === null ? null : new Set(openBeforeRewind),
  };
  return emitSignals(input);
}

const stored = (tradeId: string, amount: string): StoredLot => {
  const [units, value] = [parseUnits(amount), parseUnits(amount, 36) * 100n];
  const opening = fill(tradeId, 'BUY', -30);
  return {
    ...opening,
    openedAmount: units,
    openAmount: units,
    openedValue: value,
    openValue: value,
    pnl: 0n,
    isDetached: false,
    openedAt: at(-30),
    closedAt: null,
  };
};

describe('a late sale', () => {
  const fills = [buy('a', 0), sell('x', 1), buy('b', 2), sell('y', 3)];

  it('emits an exit of the lot that a later sale then closed', () => {
    const signals = signalsOf({
      fills,
      late: ['x1'],
      emittedLots: { a: emitted('0'), b: emitted('1') },
      openBeforeRewind: ['b'],
    });
    expect(signals).toEqual([
      {
        strategyId: 's',
        kind: 'CLOSE',
        side: 'SELL',
        exchangeAccountId: 'e',
        tradePairId: 'p',
        symbol: 'BTC/USDT',
        tradingType: 'spot',
        lotTradeId: 'b',
        lotFirstSequence: 7,
        lotOpenedAt: at(-60),
        lotOrderAmount: '9',
        sourceTradeId: 'x',
        sourceFillId: 'x1',
        filledAmount: '1',
        cumulativeAmount: '1',
        lotAmountBefore: '1',
        lotAmountAfter: '0',
        exitAmount: '1',
        referencePrice: '101',
        leaderEquity: '5000',
        signalAt: at(1),
      },
    ]);
  });

  it('emits an exit of a part if a part stays open', () => {
    const signals = signalsOf({
      fills: [buy('a', 0), sell('x', 1), buy('b', 2, { amount: '3' }), sell('y', 3)],
      late: ['x1'],
      emittedLots: { a: emitted('0'), b: emitted('3', { cumulativeAmount: '3' }) },
      openBeforeRewind: ['b'],
    });
    expect(signals).toMatchObject([
      { kind: 'REDUCE', lotTradeId: 'b', exitAmount: '1', lotAmountBefore: '3', lotAmountAfter: '2' },
    ]);
  });

  it('of a copy emits nothing', () => {
    const copied = { copierId: 'c', sourceTradeId: 'led' };
    expect(
      signalsOf({
        fills: [buy('a', 0), sell('x', 1, copied), buy('b', 2)],
        late: ['x1'],
        emittedLots: { a: emitted('2') },
      }),
    ).toEqual([]);
  });

  it('names the last late fill of the other side as the source of an exit', () => {
    const signals = signalsOf({
      fills: [buy('a', 0), sell('x', 1), buy('b', 2), sell('y', 3), sell('z', 4), buy('d', 5), buy('e', 6)],
      late: ['x1', 'd5'],
      trades: [tradeOf('a'), tradeOf('b'), tradeOf('d')],
      emittedLots: { a: emitted('0'), b: emitted('1') },
      openBeforeRewind: ['b'],
    });
    expect(signals).toMatchObject([
      { kind: 'CLOSE', lotTradeId: 'b', sourceFillId: 'x1' },
      { kind: 'OPEN', lotTradeId: 'd', sourceFillId: 'd5' },
    ]);
  });
});

describe('a late purchase', () => {
  it('of a new lot emits its entry with the amount that later sales left', () => {
    const scenario = {
      fills: [buy('a', 0, { amount: '2' }), sell('x', 1)],
      late: ['a0'],
      trades: [tradeOf('a', { filledAmount: '2' })],
    };
    const entry = {
      kind: 'OPEN',
      side: 'BUY',
      lotTradeId: 'a',
      lotFirstSequence: null,
      lotOpenedAt: at(0),
      sourceFillId: 'a0',
      filledAmount: '2',
      cumulativeAmount: '2',
      lotAmountBefore: '0',
      lotAmountAfter: '1',
      exitAmount: '0',
    };
    expect(signalsOf(scenario)).toMatchObject([entry]);
    expect(signalsOf({ ...scenario, openBeforeRewind: null })).toMatchObject([entry]);
  });

  it('that a later sale closed at once emits nothing', () => {
    expect(signalsOf({ fills: [buy('a', 0), sell('x', 1)], late: ['a0'] })).toEqual([]);
  });

  it('that reopens a part of an emitted lot emits nothing for that part', () => {
    expect(
      signalsOf({
        fills: [buy('b', 0), buy('a', 1), sell('x', 2)],
        late: ['b0'],
        emittedLots: { a: emitted('0') },
      }),
    ).toEqual([]);
  });

  it('emits the entry of a lot that was closed when its opening fill was booked, and is open now', () => {
    const scenario = {
      fills: [buy('b', 0), buy('a', 1), sell('x', 2)],
      late: ['b0'],
    };
    expect(signalsOf(scenario)).toMatchObject([
      {
        kind: 'OPEN',
        lotTradeId: 'a',
        sourceFillId: 'a1',
        filledAmount: '1',
        cumulativeAmount: '1',
        lotAmountAfter: '1',
      },
    ]);
    expect(signalsOf({ ...scenario, openBeforeRewind: null })).toEqual([]);
    expect(signalsOf({ ...scenario, openBeforeRewind: ['a'] })).toEqual([]);
  });

  it('of an emitted lot emits an increase', () => {
    const signals = signalsOf({
      fills: [buy('a', 0, { amount: '2' }), buy('a', 1), sell('x', 2, { amount: '0.5' })],
      late: ['a0'],
      trades: [tradeOf('a', { filledAmount: '3' })],
      emittedLots: { a: emitted('0.5') },
      openBeforeRewind: ['a'],
    });
    expect(signals).toMatchObject([
      {
        kind: 'INCREASE',
        lotFirstSequence: 7,
        filledAmount: '2',
        cumulativeAmount: '3',
        lotAmountBefore: '0.5',
        lotAmountAfter: '2.5',
      },
    ]);
  });

  it('of a new lot counts the fills of its trade that closed a short lot before as filled earlier', () => {
    const perpetual = { tradingType: 'perpetual' as const };
    const signals = signalsOf({
      fills: [
        sell('x', 0, perpetual),
        buy('a', 1, perpetual),
        buy('a', 2, perpetual),
        sell('y', 3, perpetual),
      ],
      late: ['a2'],
      trades: [tradeOf('a', { filledAmount: '5' })],
      ...perpetual,
    });
    expect(signals).toEqual([]);
    const left = signalsOf({
      fills: [
        sell('x', 0, perpetual),
        buy('a', 1, perpetual),
        buy('a', 2, { ...perpetual, amount: '3' }),
        sell('y', 3, perpetual),
      ],
      late: ['a2'],
      trades: [tradeOf('a', { filledAmount: '5' })],
      ...perpetual,
    });
    expect(left).toMatchObject([
      { kind: 'OPEN', filledAmount: '3', cumulativeAmount: '5', lotAmountBefore: '0', lotAmountAfter: '2' },
    ]);
  });
});

describe('a lot that was opened before the product emitted signals', () => {
  const openBefore = [stored('a', '3')];
  const trades = [tradeOf('a', { filledAmount: '3' })];

  it('has the sequence 0, and its amount counts as emitted', () => {
    const signals = signalsOf({ fills: [sell('x', 1)], late: ['x1'], openBefore, trades });
    expect(signals).toMatchObject([
      {
        kind: 'REDUCE',
        lotFirstSequence: 0,
        lotOpenedAt: at(-30),
        cumulativeAmount: '3',
        lotAmountBefore: '3',
        lotAmountAfter: '2',
      },
    ]);
  });

  it('is increased, not opened, by the next fill of its trade', () => {
    const signals = signalsOf({
      fills: [buy('a', 1)],
      late: ['a1'],
      openBefore,
      trades: [tradeOf('a', { filledAmount: '4' })],
    });
    expect(signals).toMatchObject([
      {
        kind: 'INCREASE',
        lotFirstSequence: 0,
        cumulativeAmount: '4',
        lotAmountBefore: '3',
        lotAmountAfter: '4',
      },
    ]);
  });

  it('is increased even if all of it was sold meanwhile', () => {
    const signals = signalsOf({
      fills: [buy('a', 1)],
      late: ['a1'],
      trades: [tradeOf('a', { filledAmount: '4' })],
    });
    expect(signals).toMatchObject([
      {
        kind: 'INCREASE',
        lotFirstSequence: 0,
        cumulativeAmount: '4',
        lotAmountBefore: '0',
        lotAmountAfter: '1',
      },
    ]);
  });

  it('counts all but the new fills of its own trade as filled before', () => {
    const signals = signalsOf({
      fills: [buy('a', 1), buy('b', 2, { amount: '5' })],
      late: ['a1', 'b2'],
      openBefore,
      trades: [tradeOf('a', { filledAmount: '4' }), tradeOf('b', { filledAmount: '5' })],
    });
    expect(signals).toMatchObject([
      { kind: 'INCREASE', lotTradeId: 'a', lotFirstSequence: 0, cumulativeAmount: '4' },
      { kind: 'OPEN', lotTradeId: 'b', lotFirstSequence: null, cumulativeAmount: '5' },
    ]);
  });

  it('counts of a new fill only what did not close another lot', () => {
    const perpetual = { tradingType: 'perpetual' as const };
    const copied = { copierId: 'c', sourceTradeId: 'led', ...perpetual };
    const signals = signalsOf({
      fills: [sell('y', 1, copied), buy('a', 2, { ...perpetual, amount: '3' })],
      late: ['a2'],
      openBefore,
      trades: [tradeOf('a', { filledAmount: '6', closedAmount: '1' })],
      ...perpetual,
    });
    expect(signals).toMatchObject([
      { kind: 'INCREASE', filledAmount: '2', cumulativeAmount: '5', lotAmountAfter: '5' },
    ]);
  });
});

describe('no signals', () => {
  it('are emitted without a trade of a strategy', () => {
    expect(signalsOf({ fills: [buy('a', 0)], late: ['a0'], trades: [] })).toEqual([]);
  });

  it('are emitted without a new fill', () => {
    expect(signalsOf({ fills: [buy('a', 0)], late: [] })).toEqual([]);
  });

  it('are emitted for fills of copies, or for lots of other trades', () => {
    expect(signalsOf({ fills: [buy('a', 0, { copierId: 'c' })], late: ['a0'] })).toEqual([]);
    expect(
      signalsOf({ fills: [buy('q', 0), sell('x', 1)], late: ['q0', 'x1'], trades: [tradeOf('a')] }),
    ).toEqual([]);
  });
});

it('a sale of several lots emits one exit for each, with the sum of the fills of its trade', () => {
  const signals = signalsOf({
    fills: [buy('a', 0), buy('a', 1), buy('b', 2), sell('x', 3, { amount: '2.5' })],
    late: ['a0', 'a1', 'b2', 'x3'],
    trades: [tradeOf('a', { filledAmount: '2' }), tradeOf('b')],
  });
  expect(signals.map(({ kind, lotTradeId, exitAmount }) => [kind, lotTradeId, exitAmount])).toEqual([
    ['OPEN', 'a', '0'],
    ['INCREASE', 'a', '0'],
    ['OPEN', 'b', '0'],
    ['CLOSE', 'a', '2'],
    ['REDUCE', 'b', '0.5'],
  ]);
});

describe('a late fill', () => {
  const perpetual = { tradingType: 'perpetual' as const };

  it('that leaves the open amount of a lot as it was emits nothing', () => {
    const signals = signalsOf({
      fills: [buy('a', 0), buy('a', 1), sell('x', 2), buy('b', 3)],
      late: ['a0', 'x2'],
      trades: [tradeOf('a', { filledAmount: '2' })],
      emittedLots: { a: emitted('1') },
      openBeforeRewind: ['a', 'b'],
    });
    expect(signals).toEqual([]);
  });

  it('of a lot with several entries opens it at the first, and the last is its source', () => {
    const signals = signalsOf({
      fills: [buy('a', 0), buy('a', 1), buy('b', 2)],
      late: ['a0', 'a1'],
      trades: [tradeOf('a', { filledAmount: '2' })],
      openBeforeRewind: ['b'],
    });
    expect(signals).toMatchObject([
      { kind: 'OPEN', sourceFillId: 'a1', lotOpenedAt: at(0), filledAmount: '2', cumulativeAmount: '2' },
    ]);
  });

  it('that only closed a lot is not the source of an entry of its trade, but was filled before it', () => {
    const copied = { copierId: 'c', sourceTradeId: 'led', ...perpetual };
    const signals = signalsOf({
      fills: [buy('a', 0, perpetual), sell('y', 1, copied), buy('a', 2, perpetual), buy('b', 3, perpetual)],
      late: ['a0', 'a2'],
      trades: [tradeOf('a', { filledAmount: '2', closedAmount: '1' })],
      openBeforeRewind: ['b'],
      ...perpetual,
    });
    expect(signals).toMatchObject([
      { kind: 'OPEN', sourceFillId: 'a0', filledAmount: '1', cumulativeAmount: '1', lotAmountAfter: '1' },
    ]);
  });
});

describe('new fills after booked ones', () => {
  it('emit one signal each', () => {
    const signals = signalsOf({
      fills: [buy('a', 0), sell('x', 1, { amount: '0.25' }), sell('x', 2, { amount: '0.25' })],
      late: ['x1', 'x2'],
      emittedLots: { a: emitted('1') },
    });
    expect(signals).toMatchObject([
      { kind: 'REDUCE', sourceFillId: 'x1', lotAmountBefore: '1', lotAmountAfter: '0.75' },
      { kind: 'REDUCE', sourceFillId: 'x2', lotAmountBefore: '0.75', lotAmountAfter: '0.5' },
    ]);
  });

  it('read the state of a lot without signals after the booked fills', () => {
    const signals = signalsOf({ fills: [buy('a', 0), sell('x', 1)], late: ['x1'] });
    expect(signals).toMatchObject([
      { kind: 'CLOSE', lotFirstSequence: 0, lotAmountBefore: '1', lotAmountAfter: '0' },
    ]);
  });

  it('open a lot at the fill that opens it, not at an earlier fill of its trade that closes another', () => {
    const perpetual = { tradingType: 'perpetual' as const };
    const signals = signalsOf({
      fills: [buy('a', 0, perpetual), sell('x', 1, perpetual), sell('x', 2, perpetual)],
      late: ['a0', 'x1', 'x2'],
      trades: [tradeOf('a'), tradeOf('x', { side: 'SELL', filledAmount: '2', closedAmount: '1' })],
      ...perpetual,
    });
    expect(signals).toMatchObject([
      { kind: 'OPEN', lotTradeId: 'a' },
      { kind: 'CLOSE', lotTradeId: 'a' },
      { kind: 'OPEN', lotTradeId: 'x', side: 'SELL', lotOpenedAt: at(2) },
    ]);
  });

  it('count as filled even if the trade was read before it contained them', () => {
    const signals = signalsOf({
      fills: [buy('a', 0)],
      late: ['a0'],
      trades: [tradeOf('a', { filledAmount: '0.5' })],
    });
    expect(signals).toMatchObject([{ kind: 'OPEN', cumulativeAmount: '1' }]);
  });
});

describe('an exit of a lot whose emitted amount differs from its open amount', () => {
  const exitsOf = (open: string, emittedAmount: string, ...amounts: string[]) =>
    signalsOf({
      fills: amounts.map((amount, index) => sell('x', index + 1, { amount })),
      late: amounts.map((_, index) => `x${index + 1}`),
      trades: [tradeOf('a', { filledAmount: open })],
      openBefore: [stored('a', open)],
      emittedLots: { a: emitted(emittedAmount) },
    }).map(({ kind, exitAmount, lotAmountAfter }) => [kind, exitAmount, lotAmountAfter]);

  it('closes it with the emitted amount, and emits nothing afterwards', () => {
    expect(exitsOf('3', '1', '2', '1')).toEqual([['CLOSE', '1', '0']]);
    expect(exitsOf('3', '1', '1')).toEqual([['CLOSE', '1', '0']]);
  });

  it('closes it if nothing is open any more', () => {
    expect(exitsOf('1', '2', '1')).toEqual([['CLOSE', '2', '0']]);
  });
});
