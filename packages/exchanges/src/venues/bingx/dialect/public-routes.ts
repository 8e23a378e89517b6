/** BingX's public calls: https://bingx-api.github.io/docs-v3/#/en/Spot/Market%20Data */
import { z } from 'zod';
import { candlesOf } from '../../../../conformance/scripted/candles.js';
import { type Route, route } from '../../../../conformance/scripted/dialect.js';
import { exact, Refusal, type ScriptedMarket, type Side } from '../../../../conformance/scripted/model.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';
import { docs, idOf, levels } from './views.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const INTERVALS: Readonly<Record<string, number>> = {
  '1m': MINUTE_MS,
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '1h': HOUR_MS,
  '4h': 4 * HOUR_MS,
  '1d': 24 * HOUR_MS,
};
const integer = z.coerce.number().int();

export function marketOf(exchange: ScriptedExchange, name: string): ScriptedMarket {
  const market = exchange.markets.find((each) => idOf(each) === name);
  if (market === undefined) throw new Refusal('UNKNOWN_SYMBOL');
  return market;
}

const publicCall = <P extends z.ZodType>(
  call: Pick<Route, 'path' | 'capability' | 'source'> & {
    readonly params: P;
    answer: Parameters<typeof route<P>>[0]['answer'];
  },
): Route => route({ method: 'GET', tradingTypes: ['spot'], isSigned: false, ...call });

const symbolView = (market: ScriptedMarket) => ({
  symbol: idOf(market),
  minQty: Number(market.minAmount),
  maxQty: Number(market.maxAmount),
  minNotional: Number(market.minNotional),
  maxNotional: 500_000_000,
  status: 1,
  tickSize: Number(market.tick),
  stepSize: Number(market.step),
});

function tickerOf(exchange: ScriptedExchange, market: ScriptedMarket) {
  const { trades, ...book } = bookOf(exchange, market);
  const prices = trades.map(({ price }) => price.toNumber());
  const [open = 0] = prices;
  const last = prices.at(-1) ?? 0;
  const sum = (values: readonly { toNumber(): number }[]) =>
    values.reduce<number>((total, value) => total + value.toNumber(), 0);
  const [bidPrice = 0, bidQty = 0] = book.bids[0]?.map(Number) ?? [];
  const [askPrice = 0, askQty = 0] = book.asks[0]?.map(Number) ?? [];
  return {
    symbol: idOf(market),
    openPrice: open,
    highPrice: Math.max(0, ...prices),
    lowPrice: prices.length === 0 ? 0 : Math.min(...prices),
    lastPrice: last,
    priceChange: last - open,
    priceChangePercent: '0.00%',
    volume: sum(trades.map(({ amount }) => amount)),
    quoteVolume: sum(trades.map(({ amount, price }) => amount.times(price))),
    openTime: exchange.now() - 24 * HOUR_MS,
    closeTime: exchange.now(),
    bidPrice,
    bidQty,
    askPrice,
    askQty,
  };
}

function bookOf(exchange: ScriptedExchange, market: ScriptedMarket) {
  const book = exchange.bookOf(market);
  const side = (name: Side) => levels(book.levelsOf(name));
  return { trades: book.trades, bids: side('BUY'), asks: side('SELL') };
}

const dated = (exchange: ScriptedExchange, data: unknown) => ({
  code: 0,
  timestamp: exchange.now(),
  data,
});

export const publicRoutes: readonly Route[] = [
  publicCall({
    path: '/openApi/swap/v2/server/time',
    capability: 'clock',
    source: { page: docs('Quick%20Start/Basic%20Information') },
    params: z.strictObject({}),
    answer: ({ exchange }) => ({ code: 0, msg: '', data: { serverTime: exchange.now() } }),
  }),
  publicCall({
    path: '/openApi/spot/v1/common/symbols',
    capability: 'markets',
    source: {
      recordings: ['Spot/ExchangeData/GetSymbols'],
      page: docs('Spot/Market%20Data/Spot%20trading%20symbols'),
    },
    params: z.strictObject({}),
    answer: ({ exchange }) => ({
      code: 0,
      msg: '',
      debugMsg: '',
      data: { symbols: exchange.markets.map(symbolView) },
    }),
  }),
  publicCall({
    path: '/openApi/spot/v1/ticker/24hr',
    capability: 'prices',
    source: { page: docs('Spot/Market%20Data/24hr%20Ticker%20Price%20Change%20Statistics') },
    params: z.strictObject({ symbol: z.string().optional() }),
    answer: ({ exchange, params: { symbol } }) => {
      const asked = symbol === undefined ? exchange.markets : [marketOf(exchange, symbol)];
      return dated(
        exchange,
        asked.map((market) => tickerOf(exchange, market)),
      );
    },
  }),
  publicCall({
    path: '/openApi/spot/v1/market/depth',
    capability: 'order book',
    source: {
      recordings: ['Spot/ExchangeData/GetOrderBook'],
      page: docs('Spot/Market%20Data/Order%20Book'),
    },
    params: z.strictObject({ symbol: z.string(), limit: integer.min(1).max(1_000) }),
    answer: ({ exchange, params: { symbol, limit } }) => {
      const { bids, asks } = bookOf(exchange, marketOf(exchange, symbol));
      // Recorded offers begin with the highest price.
      const sides = { bids: bids.slice(0, limit), asks: asks.slice(0, limit).reverse() };
      return dated(exchange, { ...sides, ts: exchange.now() });
    },
  }),
  publicCall({
    path: '/openApi/spot/v2/market/kline',
    capability: 'candles',
    source: { page: docs('Spot/Market%20Data/Kline%2FCandlestick%20Data') },
    params: z.strictObject({
      symbol: z.string(),
      interval: z.string(),
      startTime: integer,
      endTime: integer.optional(),
      limit: integer.min(1).max(1_440),
      // The page lacks it. ccxt sends it, so that days begin at midnight UTC.
      timeZone: z.literal('0'),
    }),
    answer: ({ exchange, params }) => {
      const ms = INTERVALS[params.interval];
      if (ms === undefined) throw new Refusal('BAD_PARAMETER');
      const { trades } = exchange.bookOf(marketOf(exchange, params.symbol));
      const range = { start: params.startTime, end: params.endTime };
      const newestFirst = candlesOf(trades, ms, range).toReversed().slice(0, params.limit);
      return dated(
        exchange,
        newestFirst.map((candle) => [
          candle.openedAt,
          ...[candle.open, candle.high, candle.low, candle.close, candle.volume].map(Number),
          candle.openedAt + ms - 1,
          exact(candle.turnover).toNumber(),
        ]),
      );
    },
  }),
];
