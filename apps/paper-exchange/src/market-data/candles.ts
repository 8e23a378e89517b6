import type { PublicTrade } from '../engine/order.js';
import type { Interval } from './intervals.js';

/**
 * The trades of an interval that starts at `openAt`, summarized. Prices are in ticks, base amounts in lots, quote
 * amounts in units of 10^-8. `firstId` and `lastId` are 0 if there are no trades.
 */
export interface Candle {
  readonly openAt: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly lots: number;
  readonly quote: bigint;
  readonly count: number;
  readonly takerBuyLots: number;
  readonly takerBuyQuote: bigint;
  readonly firstId: number;
  readonly lastId: number;
}

/** Creates a candle without trades. All its prices are the close of the candle before it. */
export function flatCandle(openAt: number, previousClose: number): Candle {
  return {
    openAt,
    open: previousClose,
    high: previousClose,
    low: previousClose,
    close: previousClose,
    lots: 0,
    quote: 0n,
    count: 0,
    takerBuyLots: 0,
    takerBuyQuote: 0n,
    firstId: 0,
    lastId: 0,
  };
}

export function candleOf(openAt: number, trade: PublicTrade): Candle {
  return {
    ...flatCandle(openAt, trade.priceTicks),
    lots: trade.lots,
    quote: trade.quote,
    count: 1,
    takerBuyLots: trade.isBuyerMaker ? 0 : trade.lots,
    takerBuyQuote: trade.isBuyerMaker ? 0n : trade.quote,
    firstId: trade.id,
    lastId: trade.id,
  };
}

/** Merges two consecutive candles. A candle without trades does not change the prices. */
export function mergeCandles(earlier: Candle, later: Candle): Candle {
  if (later.count === 0) return earlier;
  if (earlier.count === 0) return { ...later, openAt: earlier.openAt };
  return {
    openAt: earlier.openAt,
    open: earlier.open,
    high: Math.max(earlier.high, later.high),
    low: Math.min(earlier.low, later.low),
    close: later.close,
    lots: earlier.lots + later.lots,
    quote: earlier.quote + later.quote,
    count: earlier.count + later.count,
    takerBuyLots: earlier.takerBuyLots + later.takerBuyLots,
    takerBuyQuote: earlier.takerBuyQuote + later.takerBuyQuote,
    firstId: earlier.firstId,
    lastId: later.lastId,
  };
}

/** Aggregates one-minute candles (oldest first) to candles of `interval` up to `now`. Fills gaps with flat candles. */
export function aggregateCandles(minutes: readonly Candle[], interval: Interval, now: number): Candle[] {
  const candles: Candle[] = [];
  const fillTo = (openAt: number): void => {
    for (let last = candles.at(-1); last !== undefined; last = candles.at(-1)) {
      const next = interval.endOf(last.openAt);
      if (next >= openAt) return;
      candles.push(flatCandle(next, last.close));
    }
  };
  for (const minute of minutes) {
    const openAt = interval.openOf(minute.openAt);
    const last = candles.at(-1);
    if (last?.openAt === openAt) candles[candles.length - 1] = mergeCandles(last, minute);
    else {
      fillTo(openAt);
      candles.push({ ...minute, openAt });
    }
  }
  fillTo(interval.endOf(interval.openOf(now)));
  return candles;
}
