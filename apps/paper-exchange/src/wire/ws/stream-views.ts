import type { Level } from '../../engine/book.js';
import { formatUnits } from '../../engine/decimal.js';
import type { PublicTrade } from '../../engine/order.js';
import { lotsText, type MarketSpec, priceText } from '../../engine/symbols.js';
import type { Candle } from '../../market-data/candles.js';
import type { AggregateTrade } from '../../market-data/history.js';
import type { Interval } from '../../market-data/intervals.js';
import { aggregateView, type averageView, type dayView } from '../market-views.js';
import type { DepthDiff } from './depth-diff.js';

/** Returns a depth event. In every function of this file, `at` is the time of sending in Unix milliseconds. */
export function depthEvent(spec: MarketSpec, diff: DepthDiff, at: number): object {
  const rows = (levels: DepthDiff['bids']) =>
    levels.map(([ticks, lots]) => [priceText(spec, ticks), lotsText(spec, lots)]);
  return {
    e: 'depthUpdate',
    E: at,
    s: spec.id,
    U: diff.firstVersion,
    u: diff.lastVersion,
    b: rows(diff.bids),
    a: rows(diff.asks),
  };
}

/** Returns the best `count` levels of each side of a book. */
export function partialDepthEvent(
  spec: MarketSpec,
  { bids, asks }: { readonly bids: readonly Level[]; readonly asks: readonly Level[] },
  count: number,
  version: number,
): object {
  const rows = (levels: readonly Level[]) =>
    levels.slice(0, count).map(([ticks, lots]) => [priceText(spec, ticks), lotsText(spec, lots)]);
  return { lastUpdateId: version, bids: rows(bids), asks: rows(asks) };
}

export function averageEvent(spec: MarketSpec, average: ReturnType<typeof averageView>, at: number): object {
  return {
    e: 'avgPrice',
    E: at,
    s: spec.id,
    i: `${average.mins}m`,
    w: average.price,
    T: average.closeTime,
  };
}

export function tradeEvent(spec: MarketSpec, trade: PublicTrade, at: number): object {
  return {
    e: 'trade',
    E: at,
    s: spec.id,
    t: trade.id,
    p: priceText(spec, trade.priceTicks),
    q: lotsText(spec, trade.lots),
    T: trade.at,
    m: trade.isBuyerMaker,
    M: true,
  };
}

export function aggregateEvent(spec: MarketSpec, aggregate: AggregateTrade, at: number): object {
  return { e: 'aggTrade', E: at, s: spec.id, ...aggregateView(spec, aggregate) };
}

export function tickerEvent(day: ReturnType<typeof dayView>, at: number): object {
  return {
    e: '24hrTicker',
    E: at,
    s: day.symbol,
    p: day.priceChange,
    P: day.priceChangePercent,
    w: day.weightedAvgPrice,
    x: day.prevClosePrice,
    c: day.lastPrice,
    Q: day.lastQty,
    b: day.bidPrice,
    B: day.bidQty,
    a: day.askPrice,
    A: day.askQty,
    o: day.openPrice,
    h: day.highPrice,
    l: day.lowPrice,
    v: day.volume,
    q: day.quoteVolume,
    O: day.openTime,
    C: day.closeTime,
    F: day.firstId,
    L: day.lastId,
    n: day.count,
  };
}

export function miniTickerEvent(day: ReturnType<typeof dayView>, at: number): object {
  return {
    e: '24hrMiniTicker',
    E: at,
    s: day.symbol,
    c: day.lastPrice,
    o: day.openPrice,
    h: day.highPrice,
    l: day.lowPrice,
    v: day.volume,
    q: day.quoteVolume,
  };
}

export function klineEvent(spec: MarketSpec, interval: Interval, candle: Candle, at: number): object {
  const endAt = interval.endOf(candle.openAt);
  return {
    e: 'kline',
    E: at,
    s: spec.id,
    k: {
      t: candle.openAt,
      T: endAt - 1,
      s: spec.id,
      i: interval.name,
      f: candle.firstId,
      L: candle.lastId,
      o: priceText(spec, candle.open),
      c: priceText(spec, candle.close),
      h: priceText(spec, candle.high),
      l: priceText(spec, candle.low),
      v: lotsText(spec, candle.lots),
      n: candle.count,
      x: at >= endAt,
      q: formatUnits(candle.quote),
      V: lotsText(spec, candle.takerBuyLots),
      Q: formatUnits(candle.takerBuyQuote),
      B: '0',
    },
  };
}
