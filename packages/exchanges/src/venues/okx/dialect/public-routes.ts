/** OKX's public calls: https://www.okx.com/docs-v5/en/#public-data-rest-api */
import { z } from 'zod';
import { candlesOf } from '../../../../conformance/scripted/candles.js';
import { type Capability, type Route, route } from '../../../../conformance/scripted/dialect.js';
import { exact, type ScriptedMarket } from '../../../../conformance/scripted/model.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';
import { idOf, marketOf, productOf, sizeOf } from './views.js';

const ALL = ['spot', 'margin', 'perpetual'] as const;
const PERPETUAL = ['perpetual'] as const;
const data = 'UnifiedApi/ExchangeData';
const docs = (section: string) => `https://www.okx.com/docs-v5/en/#${section}`;

const instType = z.enum(['SPOT', 'SWAP']);
const integer = z.coerce.number().int();
/** Both ends are exclusive. */
const range = { before: integer.optional(), after: integer.optional() };

interface Call {
  readonly path: string;
  readonly capability: Capability;
  readonly recording: string;
  readonly section: string;
  readonly tradingTypes?: readonly ('spot' | 'margin' | 'perpetual')[];
}

interface Declared<P extends z.ZodType> {
  readonly params: P;
  answer(context: Parameters<Parameters<typeof route<P>>[0]['answer']>[0]): unknown;
}

const publicCall = <P extends z.ZodType>(
  { path, capability, recording, section, tradingTypes = ALL }: Call,
  declared: Declared<P>,
): Route =>
  route({
    method: 'GET',
    path: `/api/v5/${path}`,
    capability,
    tradingTypes,
    isSigned: false,
    source: { recordings: [`${data}/${recording}`], page: docs(section) },
    ...declared,
  });

const instrument = (market: ScriptedMarket) => {
  const isSwap = market.kind === 'PERPETUAL';
  const size = (amount: string) => sizeOf(market, exact(amount));
  return {
    alias: '',
    baseCcy: isSwap ? '' : market.base,
    category: '1',
    ctMult: isSwap ? '1' : '',
    ctType: isSwap ? 'linear' : '',
    ctVal: isSwap ? market.contractSize : '',
    ctValCcy: isSwap ? market.base : '',
    expTime: '',
    instFamily: isSwap ? `${market.base}-${market.quote}` : '',
    instId: idOf(market),
    instType: productOf(market),
    lever: isSwap ? market.maxLeverage : '10',
    listTime: '1606468572000',
    lotSz: size(market.step),
    maxIcebergSz: size(market.maxAmount),
    maxLmtAmt: '20000000',
    maxLmtSz: size(market.maxAmount),
    maxMktAmt: isSwap ? '' : '1000000',
    maxMktSz: isSwap ? size(market.marketMaxAmount) : '1000000',
    maxStopSz: size(market.maxAmount),
    maxTriggerSz: size(market.maxAmount),
    maxTwapSz: size(market.maxAmount),
    minSz: size(market.minAmount),
    optType: '',
    quoteCcy: isSwap ? '' : market.quote,
    settleCcy: isSwap ? market.quote : '',
    state: 'live',
    stk: '',
    tickSz: market.tick,
    uly: isSwap ? `${market.base}-${market.quote}` : '',
  };
};

export function tickerOf(exchange: ScriptedExchange, market: ScriptedMarket) {
  const book = exchange.bookOf(market);
  const [bid, ask] = [book.levelsOf('BUY')[0], book.levelsOf('SELL')[0]];
  const prices = book.trades.map(({ price }) => price);
  const volume = book.trades.reduce((sum, { amount }) => sum.plus(amount), exact(0));
  const turnover = book.trades.reduce((sum, { amount, price }) => sum.plus(amount.times(price)), exact(0));
  const extreme = (sign: number) =>
    prices.reduce((best, price) => (price.cmp(best) === sign ? price : best), prices[0] ?? exact(0));
  const open = prices[0]?.toString() ?? '';
  const isSpot = market.kind === 'SPOT';
  return {
    instType: productOf(market),
    instId: idOf(market),
    last: book.lastPrice?.toString() ?? '',
    lastSz: '0',
    askPx: ask?.[0].toString() ?? '',
    askSz: ask === undefined ? '' : sizeOf(market, ask[1]),
    bidPx: bid?.[0].toString() ?? '',
    bidSz: bid === undefined ? '' : sizeOf(market, bid[1]),
    open24h: open,
    high24h: prices.length === 0 ? '' : extreme(1).toString(),
    low24h: prices.length === 0 ? '' : extreme(-1).toString(),
    // Spot: quote and base currency. Perpetuals: base currency and contracts.
    volCcy24h: (isSpot ? turnover : volume).toString(),
    vol24h: sizeOf(market, volume),
    sodUtc0: open,
    sodUtc8: open,
    ts: String(exchange.now()),
  };
}

const BARS: Readonly<Record<string, number>> = {
  '1m': 60_000,
  '5m': 300_000,
  '15m': 900_000,
  '1H': 3_600_000,
  '4H': 14_400_000,
  '1Dutc': 86_400_000,
};
const candleParams = (max: number) =>
  z.strictObject({ instId: z.string(), bar: z.enum(Object.keys(BARS)), limit: integer.max(max), ...range });
const bounds = ({ before, after }: { before?: number | undefined; after?: number | undefined }) => ({
  start: before === undefined ? undefined : before + 1,
  end: after === undefined ? undefined : after - 1,
});
const isWithin = (at: number, params: { before?: number | undefined; after?: number | undefined }) => {
  const { start = 0, end = Number.POSITIVE_INFINITY } = bounds(params);
  return at >= start && at <= end;
};

const candleCall = (path: string, recording: string): Route =>
  publicCall(
    { path, capability: 'candles', recording, section: 'order-book-trading-market-data-get-candlesticks' },
    {
      params: candleParams(300),
      answer: ({ exchange, params }) => {
        const market = marketOf(exchange, params.instId);
        const candles = candlesOf(exchange.bookOf(market).trades, BARS[params.bar] ?? 0, bounds(params));
        return candles
          .map(({ openedAt, open, high, low, close, volume, turnover }) => {
            const counted = [sizeOf(market, volume), market.kind === 'SPOT' ? turnover : volume];
            return [openedAt, open, high, low, close, ...counted, turnover, 1].map(String);
          })
          .reverse();
      },
    },
  );

const markCandleCall = (path: string): Route =>
  publicCall(
    {
      path,
      capability: 'funding',
      recording: 'GetMarkPriceKlines',
      section: 'public-data-rest-api-get-mark-price-candlesticks',
      tradingTypes: PERPETUAL,
    },
    {
      params: candleParams(100),
      answer: ({ exchange, params }) =>
        exchange.fundingRates
          .filter(({ market, at }) => idOf(market) === params.instId && isWithin(at, params))
          .map(({ at, markPrice }) => [at, markPrice, markPrice, markPrice, markPrice, 1].map(String))
          .reverse(),
    },
  );

export const publicRoutes: readonly Route[] = [
  publicCall(
    {
      path: 'public/time',
      capability: 'clock',
      recording: 'GetServerTime',
      section: 'public-data-rest-api-get-system-time',
    },
    { params: z.strictObject({}), answer: ({ exchange }) => [{ ts: String(exchange.now()) }] },
  ),
  publicCall(
    {
      path: 'public/instruments',
      capability: 'markets',
      recording: 'GetSymbols',
      section: 'public-data-rest-api-get-instruments',
    },
    {
      params: z.strictObject({ instType }),
      answer: ({ exchange, params }) =>
        exchange.markets.filter((each) => productOf(each) === params.instType).map(instrument),
    },
  ),
  publicCall(
    {
      path: 'market/tickers',
      capability: 'prices',
      recording: 'GetTickers',
      section: 'order-book-trading-market-data-get-tickers',
    },
    {
      params: z.strictObject({ instType }),
      answer: ({ exchange }) => exchange.markets.map((market) => tickerOf(exchange, market)),
    },
  ),
  publicCall(
    {
      path: 'market/ticker',
      capability: 'prices',
      recording: 'GetTicker',
      section: 'order-book-trading-market-data-get-ticker',
    },
    {
      params: z.strictObject({ instId: z.string() }),
      answer: ({ exchange, params }) => [tickerOf(exchange, marketOf(exchange, params.instId))],
    },
  ),
  candleCall('market/candles', 'GetKlines'),
  candleCall('market/history-candles', 'GetKlineHistory'),
  markCandleCall('market/mark-price-candles'),
  markCandleCall('market/history-mark-price-candles'),
  publicCall(
    {
      path: 'market/books',
      capability: 'order book',
      recording: 'GetOrderBook',
      section: 'order-book-trading-market-data-get-order-book',
    },
    {
      params: z.strictObject({ instId: z.string(), sz: integer.min(1).max(400) }),
      answer: ({ exchange, params }) => {
        const market = marketOf(exchange, params.instId);
        const levels = (side: 'BUY' | 'SELL') =>
          exchange
            .bookOf(market)
            .levelsOf(side)
            .slice(0, params.sz)
            .map(([price, amount]) => [price.toString(), sizeOf(market, amount), '0', '1']);
        return [{ asks: levels('SELL'), bids: levels('BUY'), ts: String(exchange.now()) }];
      },
    },
  ),
  publicCall(
    {
      path: 'public/mark-price',
      capability: 'positions',
      recording: 'GetMarkPrices',
      section: 'public-data-rest-api-get-mark-price',
      tradingTypes: PERPETUAL,
    },
    {
      params: z.strictObject({ instType: z.literal('SWAP') }),
      answer: ({ exchange }) =>
        exchange.markets.map((market) => ({
          instType: 'SWAP',
          instId: idOf(market),
          markPx: exchange.markPriceOf(market).toString(),
          ts: String(exchange.now()),
        })),
    },
  ),
  publicCall(
    {
      path: 'public/funding-rate-history',
      capability: 'funding',
      recording: 'GetFundingRateHistory',
      section: 'public-data-rest-api-get-funding-rate-history',
      tradingTypes: PERPETUAL,
    },
    {
      params: z.strictObject({ instId: z.string(), limit: integer.max(100), ...range }),
      answer: ({ exchange, params }) =>
        exchange.fundingRates
          .filter(({ market, at }) => idOf(market) === params.instId && isWithin(at, params))
          .map(({ market, rate, at }) => ({
            fundingRate: '0.0001',
            fundingTime: String(at),
            instId: idOf(market),
            instType: 'SWAP',
            method: 'next_period',
            realizedRate: rate.toString(),
          }))
          .reverse(),
    },
  ),
];
