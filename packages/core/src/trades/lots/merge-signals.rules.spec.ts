/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import { mergeSignals } from './merge-signals.rules.js';
import type { NewSignal } from './signals.types.js';

const signal = (overrides: Partial<NewSignal>): NewSignal => ({
  strategyId: 's',
  kind: 'OPEN',
  side: 'BUY',
  exchangeAccountId: 'e',
  tradePairId: 'p',
  symbol: 'BTC/USDT',
  tradingType: 'spot',
  lotTradeId: 'a',
  lotFirstSequence: null,
  lotOpenedAt: new Date(0),
  lotOrderAmount: '9',
  sourceTradeId: 'a',
  sourceFillId: '1',
  filledAmount: '1',
  cumulativeAmount: '1',
  lotAmountBefore: '0',
  lotAmountAfter: '1',
  exitAmount: '0',
  referencePrice: '100',
  leaderEquity: null,
  signalAt: new Date(1),
  ...overrides,
});

it('row 16: an order with three fills that are reported together is one entry at their average price', () => {
  const signals = [
    signal({}),
    signal({
      kind: 'INCREASE',
      sourceFillId: '2',
      filledAmount: '2',
      cumulativeAmount: '3',
      lotAmountBefore: '1',
      lotAmountAfter: '3',
      referencePrice: '103',
      signalAt: new Date(2),
    }),
    signal({
      kind: 'INCREASE',
      sourceFillId: '3',
      cumulativeAmount: '4',
      lotAmountBefore: '3',
      lotAmountAfter: '4',
      referencePrice: '94',
      signalAt: new Date(3),
    }),
  ];
  expect(mergeSignals(signals, '0.01')).toEqual([
    signal({
      sourceFillId: '3',
      filledAmount: '4',
      cumulativeAmount: '4',
      lotAmountAfter: '4',
      referencePrice: '100',
      signalAt: new Date(3),
    }),
  ]);
});

const exit = (lotTradeId: string, sourceFillId: string, before: string, amount: string, after: string) =>
  signal({
    kind: after === '0' ? 'CLOSE' : 'REDUCE',
    side: 'SELL',
    lotTradeId,
    sourceTradeId: 'sale',
    sourceFillId,
    filledAmount: amount,
    exitAmount: amount,
    lotAmountBefore: before,
    lotAmountAfter: after,
  });

it('a sale with several fills over two lots is one exit for each lot', () => {
  const merged = mergeSignals(
    [
      exit('a', '1', '3', '2', '1'),
      exit('a', '2', '1', '1', '0'),
      exit('b', '2', '5', '1', '4'),
      exit('b', '3', '4', '1', '3'),
    ],
    '0.01',
  );
  expect(merged).toEqual([exit('a', '2', '3', '3', '0'), exit('b', '3', '5', '2', '3')]);
});

it('an entry, an exit and an entry of one lot are not merged', () => {
  const signals = [
    signal({}),
    exit('a', '2', '1', '1', '0'),
    signal({ kind: 'INCREASE', sourceFillId: '3' }),
  ];
  expect(mergeSignals(signals, '0.01')).toEqual(signals);
});

it('the average price is rounded to the price tick, once, so that it does not reveal the amounts', () => {
  const part = (filledAmount: string, referencePrice: string) => signal({ filledAmount, referencePrice });
  const priceOf = (tick: string, ...parts: readonly NewSignal[]) =>
    mergeSignals(parts, tick)[0]?.referencePrice;
  const [low, high] = [part('0.61147', '60012.3'), part('0.39', '60025.2')];
  expect(priceOf('0.01', low, high)).toBe('60017.32');
  expect(priceOf('0.1', low, high)).toBe('60017.3');
  expect(priceOf('0.5', low, high)).toBe('60017.5');
  // If each merge were rounded, this would be 2.
  const smallest = '0.000000000000000001';
  expect(priceOf('1', part(smallest, '1'), part(smallest, '2'), part(smallest, '1'))).toBe('1');
  // The price of a single fill is the exchange's own.
  expect(priceOf('5', part('1', '7.3'))).toBe('7.3');
});

it('exits of one lot by two sales are not merged, and neither are two sides of one trade', () => {
  const [first, second] = [exit('a', '1', '3', '1', '2'), exit('a', '2', '2', '1', '1')];
  const sales = [first, { ...second, sourceTradeId: 'another sale' }];
  expect(mergeSignals(sales, '0.01')).toEqual(sales);
  const sides = [first, { ...second, side: 'BUY' as const }];
  expect(mergeSignals(sides, '0.01')).toEqual(sides);
});

it('exits of three lots by one sale stay three exits', () => {
  const exits = [exit('a', '1', '1', '1', '0'), exit('b', '1', '1', '1', '0'), exit('c', '1', '2', '1', '1')];
  expect(mergeSignals(exits, '0.01')).toEqual(exits);
});
