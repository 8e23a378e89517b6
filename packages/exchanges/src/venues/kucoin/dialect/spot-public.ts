/** KuCoin's public spot API: https://www.kucoin.com/docs-new/rest/spot-trading/market-data/introduction */
import { z } from 'zod';
import { candlesOf } from '../../../../conformance/scripted/candles.js';
import type { Route, Source } from '../../../../conformance/scripted/dialect.js';
import { exact, type ScriptedMarket } from '../../../../conformance/scripted/model.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';
import { call, docs, integer, marketOf } from './params.js';
import { idOf } from './spot-views.js';

const recorded = (name: string): Source => ({
  recordings: [name],
  page: docs('spot-trading/market-data/introduction'),
});

const publicCall = <P extends z.ZodType>(
  path: string,
  capability: Route['capability'],
  source: Source,
  declared: Parameters<typeof call<P>>[1],
): Route =>
  call(
    { method: 'GET', path, capability, tradingTypes: ['spot', 'margin'], isSigned: false, source },
    declared,
  );

const pairView = (market: ScriptedMarket) => ({
  symbol: idOf(market),
  name: idOf(market),
  baseCurrency: market.base,
  quoteCurrency: market.quote,
  feeCurrency: market.quote,
  market: 'USDS',
  baseMinSize: market.minAmount,
  quoteMinSize: '0.01',
  baseMaxSize: market.maxAmount,
  quoteMaxSize: '99999999',
  baseIncrement: market.step,
  quoteIncrement: '0.000001',
  priceIncrement: market.tick,
  priceLimitRate: '0.1',
  minFunds: market.minNotional,
  isMarginEnabled: true,
  enableTrading: true,
});

/** Prices that do not exist are null. */
function statistics(exchange: ScriptedExchange, market: ScriptedMarket) {
  const book = exchange.bookOf(market);
  const prices = book.trades.map(({ price }) => price);
  const volume = book.trades.reduce((sum, { amount }) => sum.plus(amount), exact(0));
  const turnover = book.trades.reduce((sum, { amount, price }) => sum.plus(amount.times(price)), exact(0));
  const numbers = prices.map((price) => price.toNumber());
  const last = book.lastPrice;
  return {
    symbol: idOf(market),
    buy: book.levelsOf('BUY')[0]?.[0].toString() ?? null,
    sell: book.levelsOf('SELL')[0]?.[0].toString() ?? null,
    changeRate: '0',
    changePrice: last === undefined ? null : last.minus(prices[0] ?? last).toString(),
    high: numbers.length === 0 ? null : String(Math.max(...numbers)),
    low: numbers.length === 0 ? null : String(Math.min(...numbers)),
    vol: volume.toString(),
    volValue: turnover.toString(),
    last: last?.toString() ?? null,
    averagePrice: last?.toString() ?? null,
    takerFeeRate: market.takerFee,
    makerFeeRate: market.makerFee,
    takerCoefficient: '1',
    makerCoefficient: '1',
  };
}

const INTERVALS: Readonly<Record<string, number>> = {
  '1min': 60_000,
  '5min': 300_000,
  '15min': 900_000,
  '1hour': 3_600_000,
  '4hour': 14_400_000,
  '1day': 86_400_000,
};

/** A call of the best levels; the whole book needs credentials. */
const bookCall = (depth: number): Route =>
  publicCall(
    `v1/market/orderbook/level2_${depth}`,
    'order book',
    recorded('Spot/ExchangeData/GetAggregatedPartialOrderBook'),
    {
      params: z.strictObject({ symbol: z.string() }),
      answer: ({ exchange, params }) => {
        const book = exchange.bookOf(marketOf(exchange, idOf, params.symbol));
        const levels = (side: 'BUY' | 'SELL') =>
          book
            .levelsOf(side)
            .slice(0, depth)
            .map((level) => level.map(String));
        const sequence = String(book.sequence);
        return { sequence, time: exchange.now(), bids: levels('BUY'), asks: levels('SELL') };
      },
    },
  );

export const clockRoute: Route = call(
  {
    method: 'GET',
    path: 'v1/timestamp',
    capability: 'clock',
    tradingTypes: ['spot', 'margin', 'perpetual'],
    isSigned: false,
    source: { page: docs('spot-trading/market-data/get-server-time') },
  },
  { params: z.strictObject({}), answer: ({ exchange }) => exchange.now() },
);

export const publicSpotRoutes: readonly Route[] = [
  publicCall('v2/symbols', 'markets', recorded('Spot/ExchangeData/GetSymbols'), {
    params: z.strictObject({}),
    answer: ({ exchange }) => exchange.markets.map(pairView),
  }),
  publicCall('v1/market/allTickers', 'prices', recorded('Spot/ExchangeData/GetTickers'), {
    params: z.strictObject({}),
    answer: ({ exchange }) => ({
      time: exchange.now(),
      ticker: exchange.markets.map((market) => {
        const sizes = { symbolName: idOf(market), bestBidSize: '0', bestAskSize: '0' };
        return { ...statistics(exchange, market), ...sizes };
      }),
    }),
  }),
  publicCall('v1/market/stats', 'prices', recorded('Spot/ExchangeData/Get24HourStats'), {
    params: z.strictObject({ symbol: z.string() }),
    answer: ({ exchange, params }) => {
      const market = marketOf(exchange, idOf, params.symbol);
      return { time: exchange.now(), ...statistics(exchange, market) };
    },
  }),
  publicCall('v1/market/candles', 'candles', recorded('Spot/ExchangeData/GetKlines'), {
    params: z.strictObject({ symbol: z.string(), type: z.string(), startAt: integer, endAt: integer }),
    answer: ({ exchange, params }) => {
      const { trades } = exchange.bookOf(marketOf(exchange, idOf, params.symbol));
      const ms = INTERVALS[params.type] ?? 0;
      const start = Math.floor((params.startAt * 1_000) / ms) * ms;
      const candles = candlesOf(trades, ms, { start, end: params.endAt * 1_000 - 1 });
      return candles
        .map(({ openedAt, open, high, low, close, volume, turnover }) =>
          [openedAt / 1_000, open, close, high, low, volume, turnover].map(String),
        )
        .reverse();
    },
  }),
  bookCall(20),
  bookCall(100),
];
