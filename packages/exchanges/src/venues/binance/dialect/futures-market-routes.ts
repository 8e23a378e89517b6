/** Public data of USD-M futures: https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data */
import { z } from 'zod';
import type { Route } from '../../../../conformance/scripted/dialect.js';
import { type ScriptedMarket } from '../../../../conformance/scripted/model.js';
import { publicFutures } from './calls.js';
import { idOf, integer, isWithin, marketOf, NOTHING, oneOrAll, range, symbol } from './common.js';
import { ASSETS } from './futures-views.js';
import { bestView, bookView, candleRows, statisticsOf } from './market-data.js';

const data = 'UsdFutures/ExchangeData';

const instrument = (market: ScriptedMarket) => ({
  symbol: idOf(market),
  pair: idOf(market),
  contractType: 'PERPETUAL',
  deliveryDate: 4_133_404_800_000,
  onboardDate: 1_598_252_400_000,
  status: 'TRADING',
  maintMarginPercent: '2.5000',
  requiredMarginPercent: '5.0000',
  baseAsset: market.base,
  quoteAsset: market.quote,
  marginAsset: market.quote,
  pricePrecision: 2,
  quantityPrecision: 5,
  baseAssetPrecision: 8,
  quotePrecision: 8,
  underlyingType: 'COIN',
  underlyingSubType: ['PoW'],
  settlePlan: 0,
  triggerProtect: '0.05',
  filters: [
    { filterType: 'PRICE_FILTER', maxPrice: '4529764', minPrice: market.tick, tickSize: market.tick },
    { filterType: 'LOT_SIZE', maxQty: market.maxAmount, minQty: market.minAmount, stepSize: market.step },
    {
      filterType: 'MARKET_LOT_SIZE',
      maxQty: market.marketMaxAmount,
      minQty: market.minAmount,
      stepSize: market.step,
    },
    { filterType: 'MAX_NUM_ORDERS', limit: 200 },
    { filterType: 'MAX_NUM_ALGO_ORDERS', limit: 10 },
    { filterType: 'MIN_NOTIONAL', notional: market.minNotional },
    { filterType: 'PERCENT_PRICE', multiplierUp: '1.0500', multiplierDown: '0.9500', multiplierDecimal: 4 },
  ],
  orderTypes: [
    'LIMIT',
    'MARKET',
    'STOP',
    'STOP_MARKET',
    'TAKE_PROFIT',
    'TAKE_PROFIT_MARKET',
    'TRAILING_STOP_MARKET',
  ],
  timeInForce: ['GTC', 'IOC', 'FOK', 'GTX'],
  liquidationFee: '0.012500',
  marketTakeBound: '0.05',
});

/** The exchange's number of the last change of a book; its numbers rise by more than one. */
export const bookNumberOf = (sequence: number): number => 1_027_020 + 10 * sequence;

export const futuresMarketRoutes: readonly Route[] = [
  publicFutures(
    { method: 'GET', path: 'v1/time', capability: 'clock', recording: `${data}/GetServerTime` },
    NOTHING,
    ({ exchange }) => ({ serverTime: exchange.now() }),
  ),
  publicFutures(
    { method: 'GET', path: 'v1/exchangeInfo', capability: 'markets', recording: `${data}/GetExchangeInfo` },
    NOTHING,
    ({ exchange }) => ({
      exchangeFilters: [],
      rateLimits: [{ interval: 'MINUTE', intervalNum: 1, limit: 2_400, rateLimitType: 'REQUEST_WEIGHT' }],
      serverTime: exchange.now(),
      assets: ASSETS.map((asset) => ({ asset, marginAvailable: true, autoAssetExchange: 0 })),
      symbols: exchange.markets.map(instrument),
      timezone: 'UTC',
    }),
  ),
  // The recording is the answer for one symbol.
  publicFutures({ method: 'GET', path: 'v2/ticker/price', capability: 'prices' }, NOTHING, ({ exchange }) =>
    exchange.markets.map((market) => ({
      symbol: idOf(market),
      price: exchange.bookOf(market).lastPrice?.toString() ?? '0',
      time: exchange.now(),
    })),
  ),
  publicFutures(
    { method: 'GET', path: 'v1/ticker/24hr', capability: 'prices', recording: `${data}/GetTicker` },
    z.strictObject({ symbol }),
    ({ exchange, params }) => statisticsOf(exchange, marketOf(exchange, params.symbol)),
  ),
  publicFutures(
    { method: 'GET', path: 'v1/ticker/bookTicker', capability: 'prices', recording: `${data}/GetBookPrice` },
    z.strictObject({ symbol }),
    ({ exchange, params }) => ({
      lastUpdateId: 1_027_024,
      ...bestView(exchange, marketOf(exchange, params.symbol)),
      time: exchange.now(),
    }),
  ),
  publicFutures(
    { method: 'GET', path: 'v1/depth', capability: 'order book', recording: `${data}/GetOrderBook` },
    z.strictObject({ symbol, limit: z.enum(['5', '10', '20', '50', '100', '500', '1000']) }),
    ({ exchange, params }) => {
      const at = exchange.now();
      const market = marketOf(exchange, params.symbol);
      const lastUpdateId = bookNumberOf(exchange.bookOf(market).sequence);
      return { E: at, T: at, ...bookView(exchange, market, Number(params.limit)), lastUpdateId };
    },
  ),
  publicFutures(
    { method: 'GET', path: 'v1/klines', capability: 'candles', recording: `${data}/GetKlines` },
    z.strictObject({ symbol, interval: z.string(), ...range, limit: integer.max(1_500).optional() }),
    ({ exchange, params }) => candleRows(exchange, marketOf(exchange, params.symbol), params),
  ),
  publicFutures(
    { method: 'GET', path: 'v1/premiumIndex', capability: 'prices', recording: `${data}/GetMarkPrice` },
    z.strictObject({ symbol: symbol.optional() }),
    ({ exchange, params }) =>
      oneOrAll(exchange, params.symbol, (market) => {
        const price = exchange.markPriceOf(market).toString();
        return {
          symbol: idOf(market),
          markPrice: price,
          indexPrice: price,
          estimatedSettlePrice: price,
          lastFundingRate: '0.0001',
          nextFundingTime: exchange.now() + 3_600_000,
          interestRate: '0.0001',
          time: exchange.now(),
        };
      }),
  ),
  publicFutures(
    { method: 'GET', path: 'v1/fundingRate', capability: 'funding', recording: `${data}/GetFundingRates` },
    z.strictObject({ symbol, ...range, limit: integer.max(1_000) }),
    ({ exchange, params }) =>
      exchange.fundingRates
        .filter(({ market, at }) => idOf(market) === params.symbol && isWithin(at, params))
        .slice(0, params.limit)
        .map(({ market, rate, markPrice, at }) => ({
          symbol: idOf(market),
          fundingTime: at,
          fundingRate: rate.toString(),
          markPrice: markPrice.toString(),
        })),
  ),
];
