/** Public market data, which spot and futures render alike. */
import { candlesOf } from '../../../../conformance/scripted/candles.js';
import { type Exact, exact, type ScriptedMarket } from '../../../../conformance/scripted/model.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';
import { idOf } from './common.js';

const INTERVALS: Readonly<Record<string, number>> = {
  '1m': 60_000,
  '5m': 300_000,
  '15m': 900_000,
  '1h': 3_600_000,
  '4h': 14_400_000,
  '1d': 86_400_000,
};

type Level = readonly [price: Exact, amount: Exact];
export const textsOf = (levels: readonly Level[]): readonly (readonly string[])[] =>
  levels.map((level) => level.map(String));

/** The sides of an order book and its sequence number. */
export function bookView(exchange: ScriptedExchange, market: ScriptedMarket, limit: number) {
  const book = exchange.bookOf(market);
  return {
    lastUpdateId: book.sequence + 1,
    bids: textsOf(book.levelsOf('BUY').slice(0, limit)),
    asks: textsOf(book.levelsOf('SELL').slice(0, limit)),
  };
}

/** The best prices of a market; zero for a side without orders. */
export function bestView(exchange: ScriptedExchange, market: ScriptedMarket) {
  const book = exchange.bookOf(market);
  const [[bid, bidAmount] = []] = [book.levelsOf('BUY')[0]];
  const [[ask, askAmount] = []] = [book.levelsOf('SELL')[0]];
  const text = (value: Exact | undefined) => value?.toString() ?? '0';
  return {
    symbol: idOf(market),
    bidPrice: text(bid),
    bidQty: text(bidAmount),
    askPrice: text(ask),
    askQty: text(askAmount),
  };
}

/** The statistics of the last 24 hours. */
export function statisticsOf(exchange: ScriptedExchange, market: ScriptedMarket) {
  const { trades, lastPrice } = exchange.bookOf(market);
  const prices = trades.map(({ price }) => price);
  const best = (sign: number) =>
    prices
      .reduce((found, price) => (price.cmp(found) === sign ? price : found), prices[0] ?? exact(0))
      .toString();
  const sum = (values: readonly Exact[]) =>
    values.reduce((total, value) => total.plus(value), exact(0)).toString();
  return {
    symbol: idOf(market),
    priceChange: '0',
    priceChangePercent: '0',
    weightedAvgPrice: '0',
    lastPrice: lastPrice?.toString() ?? '0',
    lastQty: trades.at(-1)?.amount.toString() ?? '0',
    openPrice: prices[0]?.toString() ?? '0',
    highPrice: best(1),
    lowPrice: best(-1),
    volume: sum(trades.map(({ amount }) => amount)),
    quoteVolume: sum(trades.map(({ amount, price }) => amount.times(price))),
    openTime: exchange.now() - 86_400_000,
    closeTime: exchange.now(),
    firstId: trades.length === 0 ? -1 : 1,
    lastId: trades.length === 0 ? -1 : trades.length,
    count: trades.length,
  };
}

interface CandleParams {
  readonly interval: string;
  readonly startTime?: number | undefined;
  readonly endTime?: number | undefined;
}

export function candleRows(
  exchange: ScriptedExchange,
  market: ScriptedMarket,
  { interval, startTime, endTime }: CandleParams,
) {
  const ms = INTERVALS[interval] ?? 0;
  const candles = candlesOf(exchange.bookOf(market).trades, ms, { start: startTime, end: endTime });
  return candles.map(({ openedAt, open, high, low, close, volume, turnover }) => [
    openedAt,
    ...[open, high, low, close, volume].map(String),
    openedAt + ms - 1,
    String(turnover),
    1,
    '0',
    '0',
    '0',
  ]);
}

/** The message of a price stream about the last price. */
export function miniTicker(exchange: ScriptedExchange, market: ScriptedMarket) {
  const { lastPrice, openPrice, highPrice, lowPrice, volume, quoteVolume } = statisticsOf(exchange, market);
  return {
    e: '24hrMiniTicker',
    E: exchange.now(),
    s: idOf(market),
    c: lastPrice,
    o: openPrice,
    h: highPrice,
    l: lowPrice,
    v: volume,
    q: quoteVolume,
  };
}
