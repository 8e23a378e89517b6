import type { PublicTrade } from '../engine/order.js';
import { aggregateCandles } from './candles.js';
import { MarketHistory, TRADES_KEPT } from './history.js';
import { findInterval, MINUTE } from './intervals.js';

const START = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;

function trade(id: number, at: number, priceTicks = 100, overrides: Partial<PublicTrade> = {}): PublicTrade {
  return {
    id,
    symbol: 'BTCUSDT',
    priceTicks,
    lots: 2,
    quote: 200n,
    isBuyerMaker: false,
    takerOrderId: id,
    at,
    ...overrides,
  };
}

describe('the history of a market', () => {
  it('keeps only the last 1,000 trades and the candles of the last 24 hours', () => {
    const history = new MarketHistory();
    for (let n = 0; n < 3_000; n += 1) history.add([trade(n + 1, START + n * MINUTE_MS)]);
    const now = START + 2_999 * MINUTE_MS;
    expect(history.trades()).toHaveLength(TRADES_KEPT);
    expect(history.trades().at(-1)?.id).toBe(3_000);
    expect(history.aggregateTrades()).toHaveLength(TRADES_KEPT);
    expect(history.candles(MINUTE, now)).toHaveLength(1_440);
    expect(history.dayStats(now)).toMatchObject({ total: { count: 1_440, lastId: 3_000 } });
  });

  it('combines consecutive trades of one taker order at one price into one aggregate', () => {
    const history = new MarketHistory();
    const added = history.add([
      trade(1, START, 100, { takerOrderId: 9 }),
      trade(2, START + 1, 100, { takerOrderId: 9 }),
      trade(3, START + 1, 101, { takerOrderId: 9 }),
      trade(4, START + 1, 101, { takerOrderId: 10 }),
    ]);
    expect(added.map(({ id, lastId, lots }) => [id, lastId, lots])).toEqual([
      [1, 2, 4],
      [3, 3, 2],
      [4, 4, 2],
    ]);
  });

  it('fills gaps with flat candles at the last close, and has one candle after 90 days without trades', () => {
    const history = new MarketHistory();
    history.add([trade(1, START, 100), trade(2, START + 3 * MINUTE_MS, 120)]);
    const now = START + 4 * MINUTE_MS + 1;
    expect(history.candles(MINUTE, now).map((candle) => [candle.open, candle.close, candle.count])).toEqual([
      [100, 100, 1],
      [100, 100, 0],
      [100, 100, 0],
      [120, 120, 1],
      [120, 120, 0],
    ]);
    const muchLater = history.candles(MINUTE, START + 90 * 86_400_000);
    expect(muchLater).toMatchObject([{ open: 120, close: 120, count: 0 }]);
    expect(history.dayStats(START + 90 * 86_400_000)).toMatchObject({ previousClose: 120, total: undefined });
  });

  it.each(['3m', '15m', '1h', '4h', '1d', '3d', '1w', '1M'])(
    'has every trade in one of the consecutive candles of %s',
    (name) => {
      const interval = findInterval(name)!;
      const history = new MarketHistory();
      for (let n = 0; n < 1_000; n += 7) {
        history.add([trade(n + 1, START + n * MINUTE_MS, 100 + (n % 13), { isBuyerMaker: n % 2 === 0 })]);
      }
      const now = START + 1_000 * MINUTE_MS;
      const minutes = history.candles(MINUTE, now);
      const candles = history.candles(interval, now);
      const sum = (rows: typeof minutes, value: (row: (typeof minutes)[number]) => number) =>
        rows.reduce((total, row) => total + value(row), 0);
      for (const value of ['lots', 'count', 'takerBuyLots'] as const) {
        expect(sum(candles, (row) => row[value])).toBe(sum(minutes, (row) => row[value]));
      }
      expect(aggregateCandles(minutes, interval, now)).toEqual(candles);
      for (const [n, candle] of candles.entries()) {
        expect(interval.openOf(candle.openAt)).toBe(candle.openAt);
        expect(candles[n + 1]?.openAt ?? interval.endOf(candle.openAt)).toBe(interval.endOf(candle.openAt));
      }
    },
  );

  it('starts weeks on Mondays and months on their first day', () => {
    const week = findInterval('1w')!;
    const month = findInterval('1M')!;
    const at = Date.UTC(2026, 1, 18, 13);
    expect(new Date(week.openOf(at)).toISOString()).toBe('2026-02-16T00:00:00.000Z');
    expect(new Date(month.openOf(at)).toISOString()).toBe('2026-02-01T00:00:00.000Z');
    expect(new Date(month.endOf(month.openOf(at))).toISOString()).toBe('2026-03-01T00:00:00.000Z');
  });
});
