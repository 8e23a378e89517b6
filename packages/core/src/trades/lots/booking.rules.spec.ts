import { bookFills, type FillToBook, type LotBookPair, type StoredLot } from './booking.rules.js';

const T0 = Date.UTC(2026, 0, 1);
const PAIR: LotBookPair = { base: 'BTC', quote: 'USDT', tradingType: 'spot', amountStep: '0' };
const BASE = 10n ** 18n;
const QUOTE = 10n ** 36n;

const fillOf = (overrides: Partial<FillToBook> = {}): FillToBook => ({
  id: 'f1',
  tradeId: 't1',
  side: 'BUY',
  price: '100',
  amount: '2',
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
  copiedStrategyId: 'copied',
  sourceTradeId: null,
  ...overrides,
});
const LOT: StoredLot = {
  id: 'f1',
  userId: 'u',
  exchangeAccountId: 'e',
  tradePairId: 'p',
  symbol: 'BTC/USDT',
  copierId: null,
  strategyId: 's',
  sourceTradeId: null,
  tradeId: 't1',
  side: 'BUY',
  openedAmount: 2n * BASE,
  openAmount: 2n * BASE,
  openedValue: 200n * QUOTE,
  openValue: 200n * QUOTE,
  pnl: 0n,
  isDetached: false,
  openedAt: new Date(T0),
  closedAt: null,
};
const sale = (overrides: Partial<FillToBook> = {}) =>
  fillOf({
    id: 'f2',
    tradeId: 't2',
    side: 'SELL',
    price: '110',
    amount: '1',
    executedAt: new Date(T0 + 1_000),
    ...overrides,
  });

describe('a fill that opens a lot', () => {
  it('stores the lot with its owner, its cost and the strategy of its trade', () => {
    const { opened, changed, closures, bookedFills } = bookFills(PAIR, [], [fillOf()]);
    expect({ opened, changed, closures }).toEqual({ opened: [LOT], changed: [], closures: [] });
    expect(bookedFills).toEqual([
      {
        fill: fillOf(),
        opened: { lotId: 'f1', amount: 2n * BASE, value: 200n * QUOTE, filled: 2n * BASE },
        lotClosures: [],
      },
    ]);
  });

  it('of a copy stores the copied strategy and the trade of the leader', () => {
    const { opened } = bookFills(PAIR, [], [fillOf({ copierId: 'c', sourceTradeId: 'led' })]);
    expect(opened).toEqual([{ ...LOT, copierId: 'c', strategyId: 'copied', sourceTradeId: 'led' }]);
  });

  it('of a copy without a trade of the leader is a lot of its own', () => {
    const { opened } = bookFills(PAIR, [], [fillOf({ copierId: 'c' })]);
    expect(opened).toMatchObject([{ copierId: 'c', sourceTradeId: 't1' }]);
  });
});

describe('a fill that closes a stored lot', () => {
  const closure = {
    lotId: 'f1',
    amount: BASE,
    entryValue: 100n * QUOTE,
    pnl: 10n * QUOTE,
    detaches: false,
    fillId: 'f2',
    exchangeAccountId: 'e',
    tradePairId: 'p',
    tradeId: 't2',
    closedAt: new Date(T0 + 1_000),
  };
  const reduced = { ...LOT, openAmount: BASE, openValue: 100n * QUOTE, pnl: 10n * QUOTE };

  it('reduces its amount and value, adds its profit, and stores the closure with the closing trade', () => {
    const { opened, changed, closures, bookedFills } = bookFills(PAIR, [LOT], [sale()]);
    expect({ opened, changed, closures }).toEqual({ opened: [], changed: [reduced], closures: [closure] });
    expect(bookedFills).toMatchObject([{ opened: null, lotClosures: [{ lotId: 'f1', tradeId: 't1' }] }]);
  });

  it('closes it at the time of the fill if nothing is left, and adds up the profits', () => {
    const last = sale({ id: 'f3', price: '90', executedAt: new Date(T0 + 2_000) });
    const { changed } = bookFills(PAIR, [LOT], [sale(), last]);
    expect(changed).toEqual([
      { ...LOT, openAmount: 0n, openValue: 0n, pnl: 0n, closedAt: new Date(T0 + 2_000) },
    ]);
    const { changed: again } = bookFills(PAIR, [{ ...reduced, pnl: 7n * QUOTE }], [sale()]);
    expect(again).toMatchObject([{ pnl: 17n * QUOTE, openAmount: 0n }]);
  });

  it('leaves the lots that it does not close out of the result', () => {
    const other = { ...LOT, id: 'f0', tradeId: 't0' };
    expect(bookFills(PAIR, [LOT, other], [sale()]).changed).toEqual([reduced]);
  });

  it('detaches a lot of a copy for good, unless the sale belongs to its copier', () => {
    const copied = { ...LOT, copierId: 'c', sourceTradeId: 'led' };
    const detachedBy = (lot: StoredLot, ...fills: FillToBook[]) =>
      bookFills(PAIR, [lot], fills).changed.map(({ isDetached }) => isDetached);
    const own = sale({ copierId: 'c', sourceTradeId: 'led', amount: '0.5' });
    expect(detachedBy(copied, own)).toEqual([false]);
    expect(detachedBy(copied, sale())).toEqual([true]);
    expect(detachedBy({ ...copied, isDetached: true }, own)).toEqual([true]);
    expect(detachedBy(copied, sale({ copierId: 'c', sourceTradeId: 'other' }))).toEqual([false]);
    expect(detachedBy({ ...copied, sourceTradeId: null }, { ...own, sourceTradeId: 't1' })).toEqual([false]);
  });
});

it('a fill that opens and another that closes the same lot leave one opened lot in its last state', () => {
  const { opened, changed, closures } = bookFills(PAIR, [], [fillOf(), sale({ amount: '2' })]);
  expect(opened).toEqual([
    { ...LOT, openAmount: 0n, openValue: 0n, pnl: 20n * QUOTE, closedAt: new Date(T0 + 1_000) },
  ]);
  expect(changed).toEqual([]);
  expect(closures).toMatchObject([{ lotId: 'f1', fillId: 'f2', amount: 2n * BASE }]);
});

describe('a sale without a lot', () => {
  it('opens nothing on spot', () => {
    expect(bookFills(PAIR, [], [sale()])).toMatchObject({ opened: [], changed: [], closures: [] });
  });

  it('opens a short lot of a perpetual', () => {
    const { opened } = bookFills({ ...PAIR, tradingType: 'perpetual' }, [], [sale()]);
    expect(opened).toMatchObject([
      { id: 'f2', side: 'SELL', openAmount: BASE, openValue: 110n * QUOTE, openedAt: new Date(T0 + 1_000) },
    ]);
  });
});

it('the excess of an exit of a copy is stored without a lot of the leader; an entry is stored with it', () => {
  const perpetual = { ...PAIR, tradingType: 'perpetual' } as const;
  const copy = {
    copierId: 'c',
    sourceTradeId: 'led',
    copiedStrategyId: 's',
    tradingType: 'perpetual',
  } as const;
  const excess = bookFills(perpetual, [], [sale(copy)]).opened;
  expect(excess).toMatchObject([{ copierId: 'c', strategyId: 's', sourceTradeId: null, side: 'SELL' }]);
  const entry = bookFills(perpetual, [], [sale({ ...copy, opensOnly: true })]).opened;
  expect(entry).toMatchObject([{ sourceTradeId: 'led' }]);
});

it('dust below the amount step of the pair is closed with the sale that leaves it', () => {
  const { changed } = bookFills({ ...PAIR, amountStep: '0.1' }, [LOT], [sale({ amount: '1.95' })]);
  expect(changed).toMatchObject([{ openAmount: 0n, openValue: 0n }]);
});

it('fees in the base currency of the pair reduce a bought lot', () => {
  const { opened } = bookFills(PAIR, [], [fillOf({ feeAmount: '0.5', feeCurrency: 'BTC' })]);
  expect(opened).toMatchObject([{ openAmount: (3n * BASE) / 2n, openValue: 200n * QUOTE }]);
});
