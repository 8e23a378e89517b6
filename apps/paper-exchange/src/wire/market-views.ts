import { formatUnits, UNIT_DECIMALS } from '../engine/decimal.js';
import type { Exchange } from '../engine/exchange.js';
import type { PublicTrade } from '../engine/order.js';
import { baseUnits, lotsText, type MarketSpec, priceText } from '../engine/symbols.js';
import type { Candle } from '../market-data/candles.js';
import type { AggregateTrade, MarketHistory } from '../market-data/history.js';
import type { Interval } from '../market-data/intervals.js';

/** The prices of an exchange that the views read. */
export type PriceSource = Pick<Exchange, 'book'> & {
  readonly state: { readonly lastTicks: ReadonlyMap<string, number> };
};

const ZERO = formatUnits(0n);
const AVERAGE_MINUTES = 5;

export function tradeView(spec: MarketSpec, trade: PublicTrade) {
  return {
    id: trade.id,
    price: priceText(spec, trade.priceTicks),
    qty: lotsText(spec, trade.lots),
    quoteQty: formatUnits(trade.quote),
    time: trade.at,
    isBuyerMaker: trade.isBuyerMaker,
    isBestMatch: true,
  };
}

export function aggregateView(spec: MarketSpec, { id, first, lastId, lots }: AggregateTrade) {
  return {
    a: id,
    p: priceText(spec, first.priceTicks),
    q: lotsText(spec, lots),
    f: first.id,
    l: lastId,
    T: first.at,
    m: first.isBuyerMaker,
    M: true,
  };
}

export function candleView(spec: MarketSpec, interval: Interval, candle: Candle): unknown[] {
  return [
    candle.openAt,
    priceText(spec, candle.open),
    priceText(spec, candle.high),
    priceText(spec, candle.low),
    priceText(spec, candle.close),
    lotsText(spec, candle.lots),
    interval.endOf(candle.openAt) - 1,
    formatUnits(candle.quote),
    candle.count,
    lotsText(spec, candle.takerBuyLots),
    formatUnits(candle.takerBuyQuote),
    '0',
  ];
}

/** Returns the best price and its amount on each side as wire strings; zeros for an empty side. */
export function bestOf(exchange: PriceSource, spec: MarketSpec): Record<'bid' | 'ask', [string, string]> {
  const { bids, asks } = exchange.book(spec).levels();
  const text = (level: (typeof bids)[number] | undefined): [string, string] =>
    level === undefined ? [ZERO, ZERO] : [priceText(spec, level[0]), lotsText(spec, level[1])];
  return { bid: text(bids[0]), ask: text(asks[0]) };
}

export function bookTickerView(exchange: PriceSource, spec: MarketSpec): object {
  const { bid, ask } = bestOf(exchange, spec);
  return { symbol: spec.id, bidPrice: bid[0], bidQty: bid[1], askPrice: ask[0], askQty: ask[1] };
}

/** Returns the average price of the last five minutes; the last price if nothing was traded. */
export function averageView(
  exchange: PriceSource,
  spec: MarketSpec,
  history: MarketHistory,
  now: number,
): { mins: number; price: string; closeTime: number } {
  const total = history.total(now - AVERAGE_MINUTES * 60_000);
  return {
    mins: AVERAGE_MINUTES,
    price: total === undefined ? lastPriceText(exchange, spec) : averageText(spec, total),
    closeTime: history.trades().at(-1)?.at ?? now,
  };
}

function averageText(spec: MarketSpec, { lots, quote }: Candle): string {
  return formatUnits((quote * 10n ** BigInt(UNIT_DECIMALS)) / baseUnits(spec, lots));
}

/** Returns the statistics since `startAt`, or since the oldest stored trade after it. */
export function windowView(
  exchange: PriceSource,
  spec: MarketSpec,
  history: MarketHistory,
  { startAt, now, isMini }: { readonly startAt: number; readonly now: number; readonly isMini: boolean },
): object {
  const total = history.total(startAt);
  const last = exchange.state.lastTicks.get(spec.id) ?? 0;
  const open = total?.open ?? last;
  const change = BigInt(last - open);
  return {
    symbol: spec.id,
    ...(isMini
      ? {}
      : {
          priceChange: formatUnits(change * 10n ** BigInt(UNIT_DECIMALS - spec.tickDecimals)),
          priceChangePercent: open === 0 ? '0.000' : formatUnits((change * 100_000n) / BigInt(open), 3),
          weightedAvgPrice: total === undefined ? ZERO : averageText(spec, total),
        }),
    openPrice: priceText(spec, open),
    highPrice: priceText(spec, Math.max(total?.high ?? last, last)),
    lowPrice: priceText(spec, Math.min(total?.low ?? last, last)),
    lastPrice: priceText(spec, last),
    volume: lotsText(spec, total?.lots ?? 0),
    quoteVolume: formatUnits(total?.quote ?? 0n),
    openTime: startAt,
    closeTime: now,
    firstId: total?.firstId ?? -1,
    lastId: total?.lastId ?? -1,
    count: total?.count ?? 0,
  };
}

export function lastPriceText(exchange: PriceSource, spec: MarketSpec): string {
  return priceText(spec, exchange.state.lastTicks.get(spec.id) ?? 0);
}

/**
 * Returns the statistics of the last 24 hours with the field names of the REST ticker. The ticker stream abbreviates
 * these names.
 */
export function dayView(exchange: PriceSource, spec: MarketSpec, history: MarketHistory, now: number) {
  const day = history.dayStats(now);
  const { total } = day;
  const last = exchange.state.lastTicks.get(spec.id) ?? 0;
  const open = total?.open ?? last;
  const change = BigInt(last - open);
  const base = total === undefined ? 0n : baseUnits(spec, total.lots);
  const quote = total?.quote ?? 0n;
  const { bid, ask } = bestOf(exchange, spec);
  return {
    symbol: spec.id,
    priceChange: formatUnits(change * 10n ** BigInt(UNIT_DECIMALS - spec.tickDecimals)),
    priceChangePercent: open === 0 ? '0.000' : formatUnits((change * 100_000n) / BigInt(open), 3),
    weightedAvgPrice: base === 0n ? ZERO : formatUnits((quote * 10n ** BigInt(UNIT_DECIMALS)) / base),
    prevClosePrice: priceText(spec, day.previousClose),
    lastPrice: priceText(spec, last),
    lastQty: lotsText(spec, day.lastLots),
    bidPrice: bid[0],
    bidQty: bid[1],
    askPrice: ask[0],
    askQty: ask[1],
    openPrice: priceText(spec, open),
    highPrice: priceText(spec, Math.max(total?.high ?? last, last)),
    lowPrice: priceText(spec, Math.min(total?.low ?? last, last)),
    volume: formatUnits(base),
    quoteVolume: formatUnits(quote),
    openTime: day.openAt,
    closeTime: now,
    firstId: total?.firstId ?? -1,
    lastId: total?.lastId ?? -1,
    count: total?.count ?? 0,
  };
}
