import type { Exchange } from '../engine/exchange.js';
import { lotsText, type MarketSpec, priceText } from '../engine/symbols.js';
import { VENUE_ERRORS } from '../errors.js';
import type { MarketHistories } from '../market-data/history.js';
import { findInterval } from '../market-data/intervals.js';
import {
  aggregateView,
  averageView,
  bookTickerView,
  candleView,
  dayView,
  lastPriceText,
  tradeView,
} from './market-views.js';
import { type Operation, publicOperation, type VenueContext } from './operation.js';
import { integerOf, isMiniTicker, limitOf, pageOf, required, symbolOf, symbolsOf } from './params.js';
import { windowOperations } from './window-operations.js';

const CANDLE_PARAMS = ['symbol', 'interval', 'startTime', 'endTime', 'limit'];
const MAX_DEPTH = 5_000;

/** Declares the operations on public market data, which need no authentication. */
export function marketOperations(context: VenueContext): Operation[] {
  const { exchange, histories, now } = context;
  const forSymbols = (params: URLSearchParams, view: (spec: MarketSpec) => object): object => {
    const { specs, isOne } = symbolsOf(params);
    const views = specs.map(view);
    return isOne ? (views[0] ?? {}) : views;
  };
  return [
    publicOperation('GET /api/v3/depth', { params: ['symbol', 'limit'], socketMethod: 'depth' }, (params) =>
      depth(exchange, params),
    ),
    publicOperation(
      'GET /api/v3/trades',
      { params: ['symbol', 'limit'], socketMethod: 'trades.recent' },
      (params) => {
        const spec = symbolOf(params);
        const trades = histories.of(spec).trades();
        return trades.slice(-limitOf(params, 500)).map((trade) => tradeView(spec, trade));
      },
    ),
    publicOperation(
      'GET /api/v3/historicalTrades',
      { params: ['symbol', 'limit', 'fromId'], socketMethod: 'trades.historical' },
      (params) => {
        const spec = symbolOf(params);
        const page = pageOf(params, 'fromId');
        return page(histories.of(spec).trades(), ({ at }) => at).map((trade) => tradeView(spec, trade));
      },
    ),
    publicOperation(
      'GET /api/v3/aggTrades',
      { params: ['symbol', 'fromId', 'startTime', 'endTime', 'limit'], socketMethod: 'trades.aggregate' },
      (params) => aggregates(histories, params),
    ),
    publicOperation('GET /api/v3/klines', { params: CANDLE_PARAMS, socketMethod: 'klines' }, (params) =>
      klines(histories, params, now()),
    ),
    publicOperation('GET /api/v3/uiKlines', { params: CANDLE_PARAMS, socketMethod: 'uiKlines' }, (params) =>
      klines(histories, params, now()),
    ),
    publicOperation('GET /api/v3/avgPrice', { params: ['symbol'], socketMethod: 'avgPrice' }, (params) => {
      const spec = symbolOf(params);
      return averageView(exchange, spec, histories.of(spec), now());
    }),
    publicOperation(
      'GET /api/v3/ticker/price',
      { params: ['symbol', 'symbols'], socketMethod: 'ticker.price' },
      (params) => forSymbols(params, (spec) => ({ symbol: spec.id, price: lastPriceText(exchange, spec) })),
    ),
    publicOperation(
      'GET /api/v3/ticker/bookTicker',
      { params: ['symbol', 'symbols'], socketMethod: 'ticker.book' },
      (params) => forSymbols(params, (spec) => bookTickerView(exchange, spec)),
    ),
    publicOperation(
      'GET /api/v3/ticker/24hr',
      { params: ['symbol', 'symbols', 'type'], socketMethod: 'ticker.24hr' },
      (params) => {
        const isMini = isMiniTicker(params);
        return forSymbols(params, (spec) => {
          const day = dayView(exchange, spec, histories.of(spec), now());
          return isMini ? miniOf(day) : day;
        });
      },
    ),
    ...windowOperations(context),
  ];
}

function miniOf(day: ReturnType<typeof dayView>): object {
  const { symbol, openPrice, highPrice, lowPrice, lastPrice, volume, quoteVolume } = day;
  const { openTime, closeTime, firstId, lastId, count } = day;
  return {
    symbol,
    openPrice,
    highPrice,
    lowPrice,
    lastPrice,
    volume,
    quoteVolume,
    openTime,
    closeTime,
    firstId,
    lastId,
    count,
  };
}

function depth(exchange: Exchange, params: URLSearchParams): object {
  const spec = symbolOf(params);
  const limit = limitOf(params, 100, MAX_DEPTH);
  const { bids, asks } = exchange.book(spec).levels();
  const rows = (levels: typeof bids) =>
    levels.slice(0, limit).map(([ticks, lots]) => [priceText(spec, ticks), lotsText(spec, lots)]);
  return { lastUpdateId: exchange.depthVersion(spec), bids: rows(bids), asks: rows(asks) };
}

function aggregates(histories: MarketHistories, params: URLSearchParams): object[] {
  const spec = symbolOf(params);
  if (params.has('fromId') && (params.has('startTime') || params.has('endTime')))
    throw VENUE_ERRORS.invalidCombination();
  const page = pageOf(params, 'fromId');
  return page(histories.of(spec).aggregateTrades(), ({ first }) => first.at).map((aggregate) =>
    aggregateView(spec, aggregate),
  );
}

function klines(histories: MarketHistories, params: URLSearchParams, now: number): unknown[] {
  const spec = symbolOf(params);
  const interval = findInterval(required(params, 'interval'));
  if (interval === undefined) throw VENUE_ERRORS.invalidInterval();
  const limit = limitOf(params, 500);
  const from = integerOf(params, 'startTime');
  const to = integerOf(params, 'endTime') ?? now;
  const candles = histories
    .of(spec)
    .candles(interval, now)
    .filter(({ openAt }) => openAt >= (from ?? 0) && openAt <= to);
  return (from === undefined ? candles.slice(-limit) : candles.slice(0, limit)).map((candle) =>
    candleView(spec, interval, candle),
  );
}
