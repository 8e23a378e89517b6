/** HTX's public calls: https://huobiapi.github.io/docs/spot/v1/en/#market-data */
import { z } from 'zod';
import { candlesOf } from '../../../../conformance/scripted/candles.js';
import { type Route, route } from '../../../../conformance/scripted/dialect.js';
import { exact, Refusal, type ScriptedMarket, type Side } from '../../../../conformance/scripted/model.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';
import { docs, idOf } from './views.js';

const SPOT = ['spot'] as const;
const data = 'Spot/ExchangeData';
const DAY_MS = 86_400_000;
/** Candles of days begin at midnight of Singapore. */
const SINGAPORE_MS = 8 * 3_600_000;
const PERIODS: Readonly<Record<string, number>> = {
  '1min': 60_000,
  '5min': 300_000,
  '15min': 900_000,
  '60min': 3_600_000,
  '4hour': 14_400_000,
  '1day': DAY_MS,
};

export function marketOf(exchange: ScriptedExchange, name: string): ScriptedMarket {
  const market = exchange.markets.find((each) => idOf(each) === name);
  if (market === undefined) throw new Refusal('UNKNOWN_SYMBOL');
  return market;
}

/** A page of another kind has no recordings. */
const publicCall = <P extends z.ZodType>(
  call: Pick<Route, 'path' | 'capability' | 'source'> & {
    readonly params: P;
    answer: Parameters<typeof route<P>>[0]['answer'];
  },
): Route => route({ method: 'GET', tradingTypes: SPOT, isSigned: false, ...call });

const symbolView = (market: ScriptedMarket) => ({
  'base-currency': market.base.toLowerCase(),
  'quote-currency': market.quote.toLowerCase(),
  'price-precision': exact(market.tick).decimalPlaces(),
  'amount-precision': exact(market.step).decimalPlaces(),
  'symbol-partition': 'main',
  symbol: idOf(market),
  state: 'online',
  'value-precision': 8,
  'min-order-amt': Number(market.minAmount),
  'max-order-amt': Number(market.maxAmount),
  'min-order-value': Number(market.minNotional),
  'limit-order-min-order-amt': Number(market.minAmount),
  'limit-order-max-order-amt': Number(market.maxAmount),
  'sell-market-min-order-amt': Number(market.minAmount),
  'sell-market-max-order-amt': Number(market.marketMaxAmount),
  'buy-market-max-order-value': 1_000_000,
  'leverage-ratio': 5,
  'super-margin-leverage-ratio': 3,
  'funding-leverage-ratio': 3,
  'api-trading': 'enabled',
});

/** The statistics of a market, as calls and streams have them. */
export function statisticsOf(exchange: ScriptedExchange, market: ScriptedMarket) {
  const { trades } = exchange.bookOf(market);
  const prices = trades.map(({ price }) => price.toNumber());
  const sum = (values: readonly { toNumber(): number }[]) =>
    values.reduce<number>((total, value) => total + value.toNumber(), 0);
  return {
    open: prices[0] ?? 0,
    high: prices.length === 0 ? 0 : Math.max(...prices),
    low: prices.length === 0 ? 0 : Math.min(...prices),
    close: prices.at(-1) ?? 0,
    amount: sum(trades.map(({ amount }) => amount)),
    vol: sum(trades.map(({ amount, price }) => amount.times(price))),
    count: trades.length,
  };
}

const levelsOf = (exchange: ScriptedExchange, market: ScriptedMarket, side: Side) =>
  exchange
    .bookOf(market)
    .levelsOf(side)
    .map(([price, amount]) => [price.toNumber(), amount.toNumber()] as const);

function tickerOf(exchange: ScriptedExchange, market: ScriptedMarket) {
  const [bid = 0, bidSize = 0] = levelsOf(exchange, market, 'BUY')[0] ?? [];
  const [ask = 0, askSize = 0] = levelsOf(exchange, market, 'SELL')[0] ?? [];
  return { symbol: idOf(market), ...statisticsOf(exchange, market), bid, bidSize, ask, askSize };
}

function klinesOf(exchange: ScriptedExchange, market: ScriptedMarket, period: string) {
  const ms = PERIODS[period];
  if (ms === undefined) throw new Refusal('BAD_PARAMETER');
  const shiftMs = ms === DAY_MS ? SINGAPORE_MS : 0;
  const trades = exchange.bookOf(market).trades.map((trade) => ({ ...trade, at: trade.at + shiftMs }));
  return candlesOf(trades, ms, {})
    .map((candle) => ({
      id: (candle.openedAt - shiftMs) / 1_000,
      open: candle.open.toNumber(),
      close: candle.close.toNumber(),
      low: candle.low.toNumber(),
      high: candle.high.toNumber(),
      amount: candle.volume.toNumber(),
      vol: candle.turnover.toNumber(),
      count: 1,
    }))
    .reverse();
}

export const publicRoutes: readonly Route[] = [
  publicCall({
    path: '/v1/common/timestamp',
    capability: 'clock',
    source: { page: docs('get-current-timestamp') },
    params: z.strictObject({}),
    answer: ({ exchange }) => ({ status: 'ok', data: exchange.now() }),
  }),
  publicCall({
    path: '/v1/common/symbols',
    capability: 'markets',
    source: { page: docs('get-all-supported-trading-symbol') },
    params: z.strictObject({}),
    answer: ({ exchange }) => ({ status: 'ok', data: exchange.markets.map(symbolView) }),
  }),
  publicCall({
    path: '/market/tickers',
    capability: 'prices',
    source: { recordings: [`${data}/GetTickers`], page: docs('get-latest-tickers-for-all-pairs') },
    params: z.strictObject({}),
    answer: ({ exchange }) => ({
      status: 'ok',
      ts: exchange.now(),
      data: exchange.markets.map((market) => tickerOf(exchange, market)),
    }),
  }),
  publicCall({
    path: '/market/detail/merged',
    capability: 'prices',
    source: { recordings: [`${data}/GetTicker`], page: docs('get-latest-aggregated-ticker') },
    params: z.strictObject({ symbol: z.string() }),
    answer: ({ exchange, params: { symbol } }) => {
      const market = marketOf(exchange, symbol);
      const [bid = []] = levelsOf(exchange, market, 'BUY');
      const [ask = []] = levelsOf(exchange, market, 'SELL');
      const id = exchange.bookOf(market).trades.length;
      const tick = { id, version: id, ...statisticsOf(exchange, market), bid, ask };
      return { ch: `market.${symbol}.detail.merged`, status: 'ok', ts: exchange.now(), tick };
    },
  }),
  publicCall({
    path: '/market/depth',
    capability: 'order book',
    source: { recordings: [`${data}/GetOrderBook`], page: docs('get-market-depth') },
    params: z.strictObject({
      symbol: z.string(),
      type: z.literal('step0'),
      depth: z.enum(['5', '10', '20']).optional(),
    }),
    answer: ({ exchange, params: { symbol, depth = '150' } }) => {
      const market = marketOf(exchange, symbol);
      const levels = (side: Side) => levelsOf(exchange, market, side).slice(0, Number(depth));
      const ts = exchange.now();
      const version = exchange.bookOf(market).sequence;
      const tick = { ts, version, bids: levels('BUY'), asks: levels('SELL') };
      return { ch: `market.${symbol}.depth.step0`, status: 'ok', ts, tick };
    },
  }),
  publicCall({
    path: '/market/history/kline',
    capability: 'candles',
    source: { recordings: [`${data}/GetKlines`], page: docs('get-klines-candles') },
    params: z.strictObject({
      symbol: z.string(),
      period: z.string(),
      size: z.coerce.number().int().min(1).max(2_000),
    }),
    answer: ({ exchange, params: { symbol, period, size } }) => ({
      ch: `market.${symbol}.kline.${period}`,
      status: 'ok',
      ts: exchange.now(),
      data: klinesOf(exchange, marketOf(exchange, symbol), period).slice(0, size),
    }),
  }),
];
