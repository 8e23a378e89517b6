import { TestPaperExchange } from './testing/test-paper-exchange.js';

describe('the public market data, read by an unmodified ccxt client', () => {
  let venue: TestPaperExchange;
  beforeEach(async () => {
    venue = await TestPaperExchange.start();
  });
  afterEach(() => venue.stop());

  /** Buys at 60,000 and 60,100 by one market order, then sells at 59,900. Returns the client of the taker. */
  async function trade(): Promise<Awaited<ReturnType<TestPaperExchange['createTrader']>>> {
    const [maker, taker] = [await venue.createTrader(), await venue.createTrader()];
    await maker.createOrder('BTC/USDT', 'limit', 'sell', 0.1, 60_000);
    await maker.createOrder('BTC/USDT', 'limit', 'sell', 0.1, 60_000);
    await maker.createOrder('BTC/USDT', 'limit', 'sell', 0.5, 60_100);
    await taker.createOrder('BTC/USDT', 'market', 'buy', 0.3);
    await maker.createOrder('BTC/USDT', 'limit', 'buy', 0.2, 59_900);
    await taker.createOrder('BTC/USDT', 'market', 'sell', 0.1);
    return taker;
  }

  it('contain every trade, and the trades of one taker order at one price as one aggregate', async () => {
    const taker = await trade();
    const rows = (trades: Awaited<ReturnType<typeof taker.fetchTrades>>) =>
      trades.map(({ side, price, amount }) => [side, price, amount]);
    expect(rows(await taker.fetchTrades('BTC/USDT'))).toEqual([
      ['buy', 60_000, 0.2],
      ['buy', 60_100, 0.1],
      ['sell', 59_900, 0.1],
    ]);
    const notAggregated = await taker.fetchTrades('BTC/USDT', undefined, undefined, {
      fetchTradesMethod: 'publicGetTrades',
    });
    expect(rows(notAggregated)).toEqual([
      ['buy', 60_000, 0.1],
      ['buy', 60_000, 0.1],
      ['buy', 60_100, 0.1],
      ['sell', 59_900, 0.1],
    ]);
    expect(rows(await taker.fetchTrades('BTC/USDT', undefined, 1))).toEqual([['sell', 59_900, 0.1]]);
    expect(await taker.fetchTrades('BTC/USDT', Date.now() + 60_000)).toEqual([]);
  });

  it('contain candles that are built from the trades', async () => {
    const taker = await trade();
    for (const timeframe of ['1m', '1h', '1d', '1M']) {
      const candles = await taker.fetchOHLCV('BTC/USDT', timeframe);
      expect(candles.at(0)?.[1]).toBe(60_000);
      expect(candles.at(-1)?.[4]).toBe(59_900);
      expect(Math.max(...candles.map((candle) => candle[2] ?? 0))).toBe(60_100);
      expect(candles.reduce((sum, candle) => sum + (candle[5] ?? 0), 0)).toBeCloseTo(0.4, 8);
    }
    await expect(taker.publicGetKlines({ symbol: 'BTCUSDT', interval: '7m' })).rejects.toThrow('-1120');
  });

  it('contain the last, best and daily prices of one, several or all markets', async () => {
    const taker = await trade();
    expect(await taker.fetchTicker('BTC/USDT')).toMatchObject({
      last: 59_900,
      open: 60_000,
      high: 60_100,
      low: 59_900,
      bid: 59_900,
      bidVolume: 0.1,
      ask: 60_100,
      askVolume: 0.4,
      baseVolume: 0.4,
      quoteVolume: 24_000,
      vwap: 60_000,
      change: -100,
      percentage: -0.166,
    });
    expect(Object.keys(await taker.fetchTickers())).toEqual(['BTC/USDT', 'ETH/USDT', 'SOL/USDT']);
    expect(Object.keys(await taker.fetchTickers(['ETH/USDT', 'BTC/USDT'])).sort()).toEqual([
      'BTC/USDT',
      'ETH/USDT',
    ]);
    expect(await taker.fetchLastPrices(['BTC/USDT'])).toMatchObject({ 'BTC/USDT': { price: 59_900 } });
    expect(await taker.fetchBidsAsks(['BTC/USDT'])).toMatchObject({
      'BTC/USDT': { bid: 59_900, ask: 60_100 },
    });
  });

  it('contain windows, averages, older trades and candles of one second', async () => {
    await trade();
    const get = async (path: string, params: Record<string, string>) =>
      (await venue.call(`GET`, `/api/v3/${path}`, params)).body;
    const symbol = 'BTCUSDT';
    expect(await get('ticker', { symbol, windowSize: '1h' })).toMatchObject({
      symbol,
      openPrice: '60000.00000000',
      lastPrice: '59900.00000000',
      volume: '0.40000000',
      weightedAvgPrice: '60000.00000000',
    });
    expect(await get('ticker', { symbol, type: 'MINI' })).not.toHaveProperty('priceChange');
    expect(await get('ticker', { symbol, windowSize: '8d' })).toMatchObject({ code: -1130 });
    expect(await get('ticker', {})).toMatchObject({ code: -1102 });
    expect(await get('ticker/tradingDay', { symbol, timeZone: '+08:00' })).toMatchObject({ code: -1130 });
    expect(await get('avgPrice', { symbol })).toMatchObject({ mins: 5, price: '60000.00000000' });
    const old = (await get('historicalTrades', { symbol, limit: '2' })) as unknown as { id: number }[];
    expect(old).toHaveLength(2);
    expect(await get('historicalTrades', { symbol, limit: '1', fromId: String(old[0]?.id) })).toMatchObject([
      { id: old[0]?.id },
    ]);
    const candles = (await get('uiKlines', { symbol, interval: '1s' })) as unknown as string[][];
    expect(candles.reduce((sum, candle) => sum + Number(candle[5]), 0)).toBeCloseTo(0.4, 8);
    expect(Number(candles[0]?.[6]) - Number(candles[0]?.[0])).toBe(999);
  });

  it('contain prices at once and trades within seconds if the market maker is on', async () => {
    await venue.restart({ MARKET: 'on' });
    const user = await venue.createTrader();
    for (const ticker of Object.values(await user.fetchTickers())) expect(ticker.last).toBeGreaterThan(0);
    let trades = await user.fetchTrades('BTC/USDT');
    while (trades.length === 0) trades = await user.fetchTrades('BTC/USDT');
    const price = trades[0]?.price ?? 0;
    expect(Math.abs(price / 60_000 - 1)).toBeLessThan(0.002);
    expect((await user.fetchOHLCV('BTC/USDT', '1m')).at(-1)?.[5]).toBeGreaterThan(0);
  });

  it('cannot be requested for unknown, repeated or ambiguous symbols; the error codes are those of the venue', async () => {
    const getPrices = async (query: string) => {
      const response = await fetch(`${venue.url}/api/v3/ticker/price?${query}`);
      return [response.status, ((await response.json()) as { code: number }).code];
    };
    const list = (...names: string[]) => `symbols=${encodeURIComponent(JSON.stringify(names))}`;
    expect(await getPrices('symbol=NOUSDT')).toEqual([400, -1121]);
    expect(await getPrices(list('NOUSDT'))).toEqual([400, -1121]);
    expect(await getPrices(list('BTCUSDT', 'BTCUSDT'))).toEqual([400, -1151]);
    expect(await getPrices(`symbol=BTCUSDT&${list('ETHUSDT')}`)).toEqual([400, -1128]);
    expect(await getPrices('symbols=BTCUSDT')).toEqual([400, -1100]);
  });
});
