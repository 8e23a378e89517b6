/** Bitget's public calls: https://www.bitget.com/api-doc/uta/public/Instruments */
import { z } from 'zod';
import { candlesOf } from '../../../../conformance/scripted/candles.js';
import type { Route } from '../../../../conformance/scripted/dialect.js';
import { exact, type ScriptedMarket } from '../../../../conformance/scripted/model.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';
import { category, docs, integer, isWithin, publicCall, range } from './call.js';
import { categoryOf, idOf, marketOf } from './views.js';

const PERPETUAL = ['perpetual'] as const;
const SPOT = ['spot', 'margin'] as const;

const decimalsOf = (step: string): string => String(step.split('.')[1]?.length ?? 0);

const instrument = (market: ScriptedMarket) => ({
  symbol: idOf(market),
  category: categoryOf(market),
  baseCoin: market.base,
  quoteCoin: market.quote,
  isRwa: 'NO',
  buyLimitPriceRatio: '0.05',
  sellLimitPriceRatio: '0.05',
  feeRateUpRatio: '0.005',
  makerFeeRate: market.makerFee,
  takerFeeRate: market.takerFee,
  openCostUpRatio: '0.01',
  minOrderQty: market.minAmount,
  maxOrderQty: market.maxAmount,
  pricePrecision: decimalsOf(market.tick),
  quantityPrecision: decimalsOf(market.step),
  quotePrecision: '',
  priceMultiplier: market.tick,
  quantityMultiplier: market.step,
  type: 'perpetual',
  minOrderAmount: market.minNotional,
  maxSymbolOrderNum: '',
  maxProductOrderNum: '400',
  maxPositionNum: '200',
  status: 'online',
  offTime: '-1',
  limitOpenTime: '-1',
  deliveryTime: '',
  deliveryStartTime: '',
  deliveryPeriod: '',
  launchTime: '0',
  fundInterval: '8',
  minLeverage: '1',
  maxLeverage: market.maxLeverage,
  maintainTime: '',
  symbolType: 'crypto',
  maxMarketOrderQty: market.marketMaxAmount,
});

const spotInstrument = (market: ScriptedMarket) => ({
  symbol: idOf(market),
  category: 'SPOT',
  baseCoin: market.base,
  quoteCoin: market.quote,
  buyLimitPriceRatio: '0.05',
  sellLimitPriceRatio: '0.05',
  feeRateUpRatio: '',
  minOrderQty: market.minAmount,
  maxOrderQty: market.maxAmount,
  pricePrecision: decimalsOf(market.tick),
  quantityPrecision: decimalsOf(market.step),
  quotePrecision: '6',
  minOrderAmount: market.minNotional,
  maxSymbolOrderNum: '',
  maxProductOrderNum: '',
  status: 'online',
  offTime: '',
  limitOpenTime: '',
  maintainTime: '',
  areaSymbol: 'no',
});

const marginInstrument = (market: ScriptedMarket) => ({
  ...spotInstrument(market),
  category: 'MARGIN',
  maxPositionNum: '',
  isIsolatedBaseBorrowable: 'NO',
  isIsolatedQuotedBorrowable: 'NO',
  warningRiskRatio: '0.8',
  liquidationRiskRatio: '1',
  maxCrossedLeverage: '3',
  maxIsolatedLeverage: '10',
  userMinBorrow: '0.00000001',
  areaSymbol: '',
});

/** The fields that the call and the stream of prices have in common. */
export function tickerFields(exchange: ScriptedExchange, market: ScriptedMarket) {
  const book = exchange.bookOf(market);
  const [bid, ask] = [book.levelsOf('BUY')[0], book.levelsOf('SELL')[0]];
  const prices = book.trades.map(({ price }) => price);
  const volume = book.trades.reduce((sum, { amount }) => sum.plus(amount), exact(0));
  const turnover = book.trades.reduce((sum, { amount, price }) => sum.plus(amount.times(price)), exact(0));
  const extreme = (sign: number) =>
    prices.reduce((best, price) => (price.cmp(best) === sign ? price : best), prices[0] ?? exact(0));
  return {
    lastPrice: book.lastPrice?.toString() ?? '0',
    openPrice24h: prices[0]?.toString() ?? '0',
    highPrice24h: extreme(1).toString(),
    lowPrice24h: extreme(-1).toString(),
    ask1Price: ask?.[0].toString() ?? '0',
    bid1Price: bid?.[0].toString() ?? '0',
    bid1Size: bid?.[1].toString() ?? '0',
    ask1Size: ask?.[1].toString() ?? '0',
    price24hPcnt: '0',
    volume24h: volume.toString(),
    turnover24h: turnover.toString(),
  };
}

const spotTicker = (exchange: ScriptedExchange, market: ScriptedMarket) => ({
  ...tickerFields(exchange, market),
  category: categoryOf(market),
  symbol: idOf(market),
  ts: String(exchange.now()),
});

function ticker(exchange: ScriptedExchange, market: ScriptedMarket) {
  const mark = exchange.markPriceOf(market).toString();
  return {
    ...spotTicker(exchange, market),
    indexPrice: mark,
    markPrice: mark,
    fundingRate: '0.0001',
    openInterest: '0',
    deliveryStartTime: '',
    deliveryTime: '',
    deliveryStatus: '',
  };
}

const INTERVALS: Readonly<Record<string, number>> = {
  '1m': 60_000,
  '5m': 300_000,
  '15m': 900_000,
  '1H': 3_600_000,
  '4H': 14_400_000,
  '1Dutc': 86_400_000,
};
const candleParams = { category, symbol: z.string(), interval: z.enum(Object.keys(INTERVALS)), ...range };
const symbolParams = { category, symbol: z.string() };

export const publicRoutes: readonly Route[] = [
  publicCall(
    {
      method: 'GET',
      path: 'v2/public/time',
      capability: 'clock',
      source: {
        recordings: ['Spot/ExchangeData/GetServerTime'],
        page: 'https://www.bitget.com/api-doc/common/public/Get-Server-Time',
      },
    },
    { params: z.strictObject({}), answer: ({ exchange }) => ({ serverTime: String(exchange.now()) }) },
  ),
  publicCall(
    {
      method: 'GET',
      path: 'v3/market/instruments',
      tradingTypes: PERPETUAL,
      capability: 'markets',
      source: { recordings: ['Unified/ExchangeData/GetFuturesSymbols'], page: docs('public/Instruments') },
    },
    {
      params: z.strictObject({ category }),
      answer: ({ exchange, params }) =>
        exchange.markets.filter((market) => categoryOf(market) === params.category).map(instrument),
    },
  ),
  publicCall(
    {
      method: 'GET',
      path: 'v3/market/tickers',
      tradingTypes: PERPETUAL,
      capability: 'prices',
      source: { recordings: ['Unified/ExchangeData/GetFuturesTickers'], page: docs('public/Tickers') },
    },
    {
      params: z.strictObject({ category, symbol: z.string().optional() }),
      answer: ({ exchange, params }) =>
        exchange.markets
          .filter((market) => categoryOf(market) === params.category)
          .filter((market) => idOf(market) === (params.symbol ?? idOf(market)))
          .map((market) => ticker(exchange, market)),
    },
  ),
  // The recordings contain contracts alone.
  publicCall(
    {
      method: 'GET',
      path: 'v3/market/instruments',
      tradingTypes: SPOT,
      capability: 'markets',
      source: { page: docs('public/Instruments') },
    },
    {
      params: z.strictObject({ category: z.enum(['SPOT', 'MARGIN']) }),
      answer: ({ exchange, params }) =>
        exchange.markets.map((market) =>
          params.category === 'SPOT' ? spotInstrument(market) : marginInstrument(market),
        ),
    },
  ),
  publicCall(
    {
      method: 'GET',
      path: 'v3/market/tickers',
      tradingTypes: SPOT,
      capability: 'prices',
      source: { page: docs('public/Tickers') },
    },
    {
      params: z.strictObject({ category: z.literal('SPOT'), symbol: z.string().optional() }),
      answer: ({ exchange, params }) =>
        exchange.markets
          .filter((market) => idOf(market) === (params.symbol ?? idOf(market)))
          .map((market) => spotTicker(exchange, market)),
    },
  ),
  publicCall(
    {
      method: 'GET',
      path: 'v3/market/candles',
      capability: 'candles',
      source: { recordings: ['Unified/ExchangeData/GetKlines'], page: docs('public/Get-Candle-Data') },
    },
    {
      params: z.strictObject({ ...candleParams, limit: integer.max(100) }),
      answer: ({ exchange, params }) => {
        const market = marketOf(exchange, params.category, params.symbol);
        const candles = candlesOf(exchange.bookOf(market).trades, INTERVALS[params.interval] ?? 0, {
          start: params.startTime,
          end: params.endTime,
        });
        return candles
          .map(({ openedAt, open, high, low, close, volume, turnover }) =>
            [openedAt, open, high, low, close, volume, turnover].map(String),
          )
          .reverse();
      },
    },
  ),
  publicCall(
    {
      method: 'GET',
      path: 'v3/market/history-candles',
      tradingTypes: PERPETUAL,
      capability: 'funding',
      source: {
        recordings: ['Unified/ExchangeData/GetKlineHistory'],
        page: docs('public/Get-History-Candle-Data'),
      },
    },
    {
      params: z.strictObject({ ...candleParams, type: z.literal('MARK'), limit: integer.max(100) }),
      answer: ({ exchange, params }) =>
        exchange.fundingRates
          .filter(({ market, at }) => idOf(market) === params.symbol && isWithin(at, params))
          .map(({ at, markPrice }) => [at, markPrice, markPrice, markPrice, markPrice, 0, 0].map(String))
          .reverse(),
    },
  ),
  publicCall(
    {
      method: 'GET',
      path: 'v3/market/history-fund-rate',
      tradingTypes: PERPETUAL,
      capability: 'funding',
      source: {
        recordings: ['Unified/ExchangeData/GetFundingRateHistory'],
        page: docs('public/Get-History-Funding-Rate'),
      },
    },
    {
      // The cursor is the number of the page.
      params: z.strictObject({ ...symbolParams, cursor: integer.min(1).max(100), limit: integer.max(100) }),
      answer: ({ exchange, params }) => {
        const from = (params.cursor - 1) * params.limit;
        const resultList = exchange.fundingRates
          .filter(({ market }) => idOf(market) === params.symbol)
          .reverse()
          .slice(from, from + params.limit)
          .map(({ market, rate, at }) => ({
            symbol: idOf(market),
            fundingRate: rate.toString(),
            fundingRateTimestamp: String(at),
          }));
        return { resultList };
      },
    },
  ),
  publicCall(
    {
      method: 'GET',
      path: 'v3/market/orderbook',
      capability: 'order book',
      source: { recordings: ['Unified/ExchangeData/GetOrderBook'], page: docs('public/OrderBook') },
    },
    {
      params: z.strictObject({ ...symbolParams, limit: integer.min(1).max(200) }),
      answer: ({ exchange, params }) => {
        const book = exchange.bookOf(marketOf(exchange, params.category, params.symbol));
        const levels = (side: 'BUY' | 'SELL') =>
          book
            .levelsOf(side)
            .slice(0, params.limit)
            .map((level) => level.map(Number));
        return { a: levels('SELL'), b: levels('BUY'), ts: String(exchange.now()) };
      },
    },
  ),
];
