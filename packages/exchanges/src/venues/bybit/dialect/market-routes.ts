/** Bybit's public API: https://bybit-exchange.github.io/docs/v5/market/time */
import { z } from 'zod';
import { candlesOf } from '../../../../conformance/scripted/candles.js';
import { type Capability, type Route, route } from '../../../../conformance/scripted/dialect.js';
import { ALL, category, type Declared, docs, integer, isWithin, marketOf, range, symbol } from './calls.js';
import { instrument, ticker } from './market-views.js';
import { idOf } from './views.js';

const INTERVALS: Readonly<Record<string, number>> = {
  '1': 60_000,
  '5': 300_000,
  '15': 900_000,
  '60': 3_600_000,
  '240': 14_400_000,
  D: 86_400_000,
};

/** A public call whose answer was recorded. */
const publicCall = <P extends z.ZodType>(
  path: string,
  capability: Capability,
  recordings: readonly string[],
  documented: readonly string[],
  declared: Declared<P>,
): Route =>
  route({
    method: 'GET',
    path: `/v5/market/${path}`,
    capability,
    tradingTypes: ALL,
    isSigned: false,
    source: { recordings, documented, page: docs(`market/${path}`) },
    ...declared,
  });

const data = 'V5Api/ExchangeData';

export const publicRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v5/market/time',
    capability: 'clock',
    tradingTypes: ALL,
    isSigned: false,
    source: { page: docs('market/time') },
    params: z.strictObject({}),
    answer: ({ exchange }) => ({
      timeSecond: String(Math.floor(exchange.now() / 1_000)),
      timeNano: `${exchange.now()}000000`,
    }),
  }),
  publicCall(
    'instruments-info',
    'markets',
    [`${data}/GetSpotSymbols`, `${data}/GetLinearInverseSymbols`],
    [],
    {
      params: z.strictObject({
        category,
        limit: integer.max(1_000).optional(),
        cursor: z.string().optional(),
        status: z.enum(['Trading', 'PreLaunch']).optional(),
      }),
      answer: ({ exchange, params }) => ({
        category: params.category,
        list: params.status === 'PreLaunch' ? [] : exchange.markets.map(instrument),
        ...(params.category === 'linear' ? { nextPageCursor: '' } : {}),
      }),
    },
  ),
  publicCall('tickers', 'prices', [`${data}/GetSpotTickers`, `${data}/GetLinearInverseTickers`], [], {
    params: z.strictObject({ category, symbol: symbol.optional() }),
    answer: ({ exchange, params }) => {
      const markets = params.symbol === undefined ? exchange.markets : [marketOf(exchange, params.symbol)];
      return { category: params.category, list: markets.map((market) => ticker(exchange, market)) };
    },
  }),
  publicCall('kline', 'candles', [`${data}/GetKlines`], [], {
    params: z.strictObject({
      category,
      symbol,
      interval: z.string(),
      start: integer.optional(),
      end: integer.optional(),
      limit: integer.max(1_000).optional(),
    }),
    answer: ({ exchange, params }) => {
      const market = marketOf(exchange, params.symbol);
      const candles = candlesOf(exchange.bookOf(market).trades, INTERVALS[params.interval] ?? 0, params);
      const list = candles
        .map(({ openedAt, open, high, low, close, volume, turnover }) =>
          [openedAt, open, high, low, close, volume, turnover].map(String),
        )
        .reverse();
      return { symbol: params.symbol, category: params.category, list };
    },
  }),
  publicCall('mark-price-kline', 'funding', [`${data}/GetMarkPriceKlines`], [], {
    params: z.strictObject({
      category,
      symbol,
      interval: z.string(),
      start: integer,
      end: integer,
      limit: integer.max(1_000),
    }),
    answer: ({ exchange, params }) => {
      const ms = INTERVALS[params.interval] ?? 0;
      const list = exchange.fundingRates
        .filter(({ at }) => at >= params.start && at <= params.end && at % ms === 0)
        .map(({ at, markPrice }) => [at, markPrice, markPrice, markPrice, markPrice].map(String));
      return { symbol: params.symbol, category: params.category, list: list.reverse() };
    },
  }),
  publicCall('funding/history', 'funding', [`${data}/GetFundingRateHistory`], ['result.nextPageCursor'], {
    params: z.strictObject({ category, symbol, ...range, limit: integer.max(200) }),
    answer: ({ exchange, params }) => ({
      category: 'linear',
      list: exchange.fundingRates
        .filter(({ market, at }) => idOf(market) === params.symbol && isWithin(at, params))
        .map(({ market, rate, at }) => ({
          symbol: idOf(market),
          fundingRate: rate.toString(),
          fundingRateTimestamp: String(at),
        }))
        .reverse(),
    }),
  }),
  publicCall('orderbook', 'order book', [`${data}/GetOrderbook`], [], {
    params: z.strictObject({ category, symbol, limit: integer.min(1).max(200).optional() }),
    answer: ({ exchange, params }) => {
      const book = exchange.bookOf(marketOf(exchange, params.symbol));
      const levels = (side: 'BUY' | 'SELL') =>
        book
          .levelsOf(side)
          .slice(0, params.limit)
          .map((level) => level.map(String));
      const sequence = { u: book.sequence + 1, seq: book.sequence + 1 };
      return { s: params.symbol, b: levels('BUY'), a: levels('SELL'), ts: exchange.now(), ...sequence };
    },
  }),
];
