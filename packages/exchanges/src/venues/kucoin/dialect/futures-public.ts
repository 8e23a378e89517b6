/** KuCoin's public futures API: https://www.kucoin.com/docs-new/rest/futures-trading/market-data/introduction */
import { z } from 'zod';
import { candlesOf } from '../../../../conformance/scripted/candles.js';
import type { Route } from '../../../../conformance/scripted/dialect.js';
import { exact, type ScriptedMarket } from '../../../../conformance/scripted/model.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';
import { sequenceOf } from './book-sequence.js';
import { futuresCall, market } from './futures-call.js';
import { contractsOf, currencyOf, idOf } from './futures-views.js';
import { integer } from './params.js';

const symbol = z.string();

function contractView(exchange: ScriptedExchange, each: ScriptedMarket) {
  const { trades, lastPrice } = exchange.bookOf(each);
  const prices = trades.map(({ price }) => price.toNumber());
  const volume = trades.reduce((sum, { amount }) => sum.plus(amount), exact(0));
  const turnover = trades.reduce((sum, { amount, price }) => sum.plus(amount.times(price)), exact(0));
  const mark = exchange.markPriceOf(each).toNumber();
  const name = currencyOf(each);
  return {
    symbol: idOf(each),
    rootSymbol: each.quote,
    type: 'FFWCSX',
    firstOpenDate: 1_585_555_200_000,
    expireDate: null,
    settleDate: null,
    baseCurrency: name,
    quoteCurrency: each.quote,
    settleCurrency: each.quote,
    maxOrderQty: contractsOf(exact(each.maxAmount), each),
    maxPrice: 1_000_000,
    lotSize: 1,
    tickSize: Number(each.tick),
    indexPriceTickSize: 0.01,
    multiplier: Number(each.contractSize),
    initialMargin: 0.01,
    maintainMargin: Number(each.maintenanceRate),
    maxRiskLimit: 2_000_000,
    minRiskLimit: 2_000_000,
    riskStep: 1_000_000,
    makerFeeRate: Number(each.makerFee),
    takerFeeRate: Number(each.takerFee),
    takerFixFee: 0,
    makerFixFee: 0,
    settlementFee: null,
    isDeleverage: true,
    isQuanto: true,
    isInverse: false,
    markMethod: 'FairPrice',
    fairMethod: 'FundingRate',
    fundingBaseSymbol: `.${name}INT8H`,
    fundingQuoteSymbol: '.USDTINT8H',
    fundingRateSymbol: `.${name}USDTMFPI8H`,
    indexSymbol: `.K${name}USDT`,
    settlementSymbol: '',
    status: 'Open',
    fundingFeeRate: 0.0001,
    predictedFundingFeeRate: 0.0001,
    openInterest: '0',
    turnoverOf24h: turnover.toNumber(),
    volumeOf24h: volume.toNumber(),
    markPrice: mark,
    indexPrice: mark,
    lastTradePrice: lastPrice?.toNumber() ?? null,
    nextFundingRateTime: 21_031_525,
    maxLeverage: Number(each.maxLeverage),
    sourceExchanges: [],
    premiumsSymbol1M: `.${name}USDTMPI`,
    premiumsSymbol8H: `.${name}USDTMPI8H`,
    fundingBaseSymbol1M: `.${name}INT`,
    fundingQuoteSymbol1M: '.USDTINT',
    lowPrice: prices.length === 0 ? null : Math.min(...prices),
    highPrice: prices.length === 0 ? null : Math.max(...prices),
    priceChgPct: 0,
    priceChg: prices.length === 0 ? null : (prices.at(-1) ?? 0) - (prices[0] ?? 0),
  };
}

export const publicFuturesRoutes: readonly Route[] = [
  futuresCall(
    {
      path: 'v1/contracts/active',
      capability: 'markets',
      isSigned: false,
      recording: 'Futures/ExchangeData/GetOpenContracts',
      page: 'market-data/get-all-symbols',
    },
    {
      params: z.strictObject({}),
      answer: ({ exchange }) => exchange.markets.map((each) => contractView(exchange, each)),
    },
  ),
  futuresCall(
    {
      path: 'v1/contracts/:symbol',
      capability: 'prices',
      isSigned: false,
      recording: 'Futures/ExchangeData/GetContract',
      page: 'market-data/get-symbol',
    },
    {
      params: z.strictObject({}),
      answer: ({ exchange, path }) => contractView(exchange, market(exchange, path.symbol)),
    },
  ),
  futuresCall(
    {
      path: 'v1/ticker',
      capability: 'prices',
      isSigned: false,
      recording: 'Futures/ExchangeData/GetTicker',
      page: 'market-data/get-ticker',
    },
    {
      params: z.strictObject({ symbol }),
      answer: ({ exchange, params }) => {
        const each = market(exchange, params.symbol);
        const book = exchange.bookOf(each);
        const [bid, ask] = [book.levelsOf('BUY')[0], book.levelsOf('SELL')[0]];
        return {
          sequence: 1,
          symbol: params.symbol,
          side: 'buy',
          size: 1,
          price: book.lastPrice?.toString() ?? null,
          bestBidSize: bid === undefined ? null : contractsOf(bid[1], each),
          bestBidPrice: bid?.[0].toString() ?? null,
          bestAskSize: ask === undefined ? null : contractsOf(ask[1], each),
          bestAskPrice: ask?.[0].toString() ?? null,
          tradeId: '5cbd7377a6ffab0c7ba98b26',
          ts: exchange.now() * 1_000_000,
        };
      },
    },
  ),
  futuresCall(
    {
      path: 'v1/kline/query',
      capability: 'candles',
      isSigned: false,
      recording: 'Futures/ExchangeData/GetKlines',
      page: 'market-data/get-klines',
    },
    {
      params: z.strictObject({ symbol, granularity: integer, from: integer, to: integer }),
      answer: ({ exchange, params }) => {
        const each = market(exchange, params.symbol);
        const ms = params.granularity * 60_000;
        const start = Math.floor(params.from / ms) * ms;
        return candlesOf(exchange.bookOf(each).trades, ms, { start, end: params.to }).map(
          ({ openedAt, open, high, low, close, volume }) => [
            openedAt,
            ...[open, high, low, close].map((price) => price.toNumber()),
            contractsOf(volume, each),
          ],
        );
      },
    },
  ),
  futuresCall(
    {
      path: 'v1/level2/snapshot',
      capability: 'order book',
      isSigned: false,
      recording: 'Futures/ExchangeData/GetAggregatedFullOrderBook',
      page: 'market-data/get-full-orderbook',
    },
    {
      params: z.strictObject({ symbol }),
      answer: ({ exchange, params }) => {
        const each = market(exchange, params.symbol);
        const book = exchange.bookOf(each);
        const levels = (side: 'BUY' | 'SELL') =>
          book.levelsOf(side).map(([price, amount]) => [price.toString(), contractsOf(amount, each)]);
        const sequence = sequenceOf(exchange, each);
        const ts = exchange.now() * 1_000_000;
        return { symbol: params.symbol, sequence, asks: levels('SELL'), bids: levels('BUY'), ts };
      },
    },
  ),
  futuresCall(
    {
      path: 'v1/contract/funding-rates',
      capability: 'funding',
      isSigned: false,
      recording: 'Futures/ExchangeData/GetFundingRateHistory',
      documented: ['success', 'msg', 'retry'],
      page: 'funding-fees/get-public-funding-history',
    },
    {
      params: z.strictObject({ symbol, from: integer, to: integer }),
      answer: ({ exchange, params }) =>
        exchange.fundingRates
          .filter(
            ({ market: each, at }) => idOf(each) === params.symbol && at >= params.from && at <= params.to,
          )
          .map(({ rate, at }) => ({
            symbol: params.symbol,
            fundingRate: rate.toNumber(),
            timepoint: at,
          }))
          .reverse(),
    },
  ),
];
