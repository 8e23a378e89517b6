import type { FastifyInstance } from 'fastify';
import type { Exchange } from '../engine/exchange.js';
import { lotsText, type MarketSpec, priceText } from '../engine/symbols.js';
import { VENUE_ERRORS } from '../errors.js';
import type { MarketHistories } from '../market-data/history.js';
import { findInterval } from '../market-data/intervals.js';
import {
  aggregateView,
  bookTickerView,
  candleView,
  dayView,
  lastPriceText,
  tradeView,
} from './market-views.js';
import { integerOf, limitOf, pageOf, readParams, required, symbolOf, symbolsOf } from './params.js';

export interface MarketRestOptions {
  readonly exchange: Exchange;
  readonly histories: MarketHistories;
  readonly now: () => number;
}

/** Registers the routes that need no authentication. */
export function registerMarketRest(app: FastifyInstance, options: MarketRestOptions): void {
  const { exchange, histories, now } = options;
  const get = (url: string, handle: (params: URLSearchParams) => unknown): void => {
    app.get(url, async (req) => handle(readParams(req).params));
  };
  const forSymbols = (params: URLSearchParams, view: (spec: MarketSpec) => object): object => {
    const { specs, isOne } = symbolsOf(params);
    const views = specs.map(view);
    return isOne ? (views[0] ?? {}) : views;
  };
  get('/api/v3/depth', (params) => depth(exchange, params));
  get('/api/v3/trades', (params) => {
    const spec = symbolOf(params);
    const trades = histories.of(spec).trades();
    return trades.slice(-limitOf(params, 500)).map((trade) => tradeView(spec, trade));
  });
  get('/api/v3/aggTrades', (params) => aggregates(histories, params));
  get('/api/v3/klines', (params) => klines(histories, params, now()));
  get('/api/v3/ticker/price', (params) =>
    forSymbols(params, (spec) => ({ symbol: spec.id, price: lastPriceText(exchange, spec) })),
  );
  get('/api/v3/ticker/bookTicker', (params) => forSymbols(params, (spec) => bookTickerView(exchange, spec)));
  get('/api/v3/ticker/24hr', (params) => {
    const type = params.get('type') ?? 'FULL';
    if (type !== 'FULL' && type !== 'MINI') throw VENUE_ERRORS.malformed('type');
    return forSymbols(params, (spec) => {
      const day = dayView(exchange, spec, histories.of(spec), now());
      return type === 'FULL' ? day : miniOf(day);
    });
  });
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
  const limit = limitOf(params, 100);
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
