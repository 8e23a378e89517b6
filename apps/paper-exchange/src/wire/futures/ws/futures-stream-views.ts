import type { Level } from '../../../engine/book.js';
import { type ContractSpec, contractOf, markText } from '../../../engine/futures/contracts.js';
import type { FuturesOrder } from '../../../engine/futures/futures-order.js';
import type { PublicTrade } from '../../../engine/order.js';
import type { AggregateTrade } from '../../../market-data/history.js';
import { aggregateView, bestOf } from '../../market-views.js';
import type { DepthDiff } from '../../ws/depth-diff.js';
import { type FuturesContext, indexMarkOf } from '../futures-context.js';
import { dayOf } from '../futures-market-operations.js';
import { averageText, lotsText, priceText, rateText } from '../futures-text.js';

/** The events of a contract that describe its current state. */
export interface ContractEvents {
  /** The time of sending. */
  readonly now: () => number;
  readonly bookTicker: (spec: ContractSpec) => object;
  readonly markPrice: (spec: ContractSpec) => object;
  readonly ticker: (spec: ContractSpec) => object;
  readonly miniTicker: (spec: ContractSpec) => object;
}

export function contractEvents(context: FuturesContext): ContractEvents {
  const { now } = context;
  return {
    now,
    bookTicker: (spec) => bookTickerEvent(context, spec, now()),
    markPrice: (spec) => markPriceEvent(context, spec, now()),
    ticker: (spec) => contractTickerEvent(dayOf(context, spec), now()),
    miniTicker: (spec) => contractMiniTickerEvent(dayOf(context, spec), now()),
  };
}

/** Returns a depth event. In every function of this file, `at` is the time of sending in Unix milliseconds. */
export function depthUpdate(spec: ContractSpec, diff: DepthDiff, at: number): object {
  const rows = (levels: readonly Level[]) =>
    levels.map(([ticks, lots]) => [priceText(spec, ticks), lotsText(spec, lots)]);
  return {
    e: 'depthUpdate',
    E: at,
    T: at,
    s: spec.id,
    U: diff.firstVersion,
    u: diff.lastVersion,
    pu: diff.firstVersion - 1,
    b: rows(diff.bids),
    a: rows(diff.asks),
  };
}

export function contractTradeEvent(spec: ContractSpec, trade: PublicTrade, at: number): object {
  return {
    e: 'trade',
    E: at,
    T: trade.at,
    s: spec.id,
    t: trade.id,
    p: priceText(spec, trade.priceTicks),
    q: lotsText(spec, trade.lots),
    X: 'MARKET',
    m: trade.isBuyerMaker,
  };
}

export function contractAggregateEvent(spec: ContractSpec, aggregate: AggregateTrade, at: number): object {
  const { M: _, ...view } = aggregateView(spec, aggregate);
  return { e: 'aggTrade', E: at, s: spec.id, ...view };
}

function contractTickerEvent(day: ReturnType<typeof dayOf>, at: number): object {
  return {
    e: '24hrTicker',
    E: at,
    s: day.symbol,
    p: day.priceChange,
    P: day.priceChangePercent,
    w: day.weightedAvgPrice,
    c: day.lastPrice,
    Q: day.lastQty,
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

function contractMiniTickerEvent(day: ReturnType<typeof dayOf>, at: number): object {
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

function bookTickerEvent({ futures }: FuturesContext, spec: ContractSpec, at: number): object {
  const { bid, ask } = bestOf(futures, spec);
  return {
    e: 'bookTicker',
    u: futures.depthVersion(spec),
    E: at,
    T: at,
    s: spec.id,
    b: bid[0],
    B: bid[1],
    a: ask[0],
    A: ask[1],
  };
}

function markPriceEvent(context: FuturesContext, spec: ContractSpec, at: number): object {
  const { mark, fundingRate, nextFundingAt } = context.futures.state.contracts.of(spec.id);
  const index = markText(spec, indexMarkOf(context, spec));
  return {
    e: 'markPriceUpdate',
    E: at,
    s: spec.id,
    p: markText(spec, mark),
    i: index,
    P: index,
    r: rateText(fundingRate),
    T: nextFundingAt,
  };
}

/** Returns the public event of a liquidation, which does not name its account. */
export function forceOrderEvent(order: FuturesOrder, at: number): object {
  const spec = contractOf(order.symbol);
  return {
    e: 'forceOrder',
    E: at,
    o: {
      s: order.symbol,
      S: order.side,
      o: order.type,
      f: order.timeInForce,
      q: lotsText(spec, order.lots),
      p: priceText(spec, order.priceTicks),
      ap: averageText(spec, order.executedQuote, order.executedLots),
      X: order.status,
      l: lotsText(spec, order.executedLots),
      z: lotsText(spec, order.executedLots),
      T: order.updatedAt,
    },
  };
}
