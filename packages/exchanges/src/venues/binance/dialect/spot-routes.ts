/** The REST API of spot, whose public data margin shares: https://developers.binance.com/docs/binance-spot-api-docs/rest-api */
import type { TradingType } from '@trading-automation/contracts';
import { z } from 'zod';
import { type Capability, type Route, route } from '../../../../conformance/scripted/dialect.js';
import {
  type Account,
  exact,
  type Fill,
  type Order,
  Refusal,
  type ScriptedMarket,
} from '../../../../conformance/scripted/model.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';
import {
  clientOrderId,
  idOf,
  integer,
  isWithin,
  marketOf,
  NOTHING,
  orderIdOf,
  range,
  symbol,
} from './common.js';
import { bestView, bookView, candleRows, statisticsOf } from './market-data.js';
import { findOrder, openOrders, openOrdersRequest, orderKey } from './orders.js';
import { cancelledSpotOrder, placedSpotOrder, spotFill, spotOrder } from './spot-views.js';

const PAGE = 'https://developers.binance.com/docs/binance-spot-api-docs/rest-api';
const DAY_MS = 86_400_000;
const data = 'Spot/ExchangeData';
const trading = 'Spot/Trading';

const instrument = (market: ScriptedMarket) => ({
  symbol: idOf(market),
  status: 'TRADING',
  baseAsset: market.base,
  baseAssetPrecision: 8,
  quoteAsset: market.quote,
  quotePrecision: 8,
  quoteAssetPrecision: 8,
  orderTypes: [
    'LIMIT',
    'LIMIT_MAKER',
    'MARKET',
    'STOP_LOSS',
    'STOP_LOSS_LIMIT',
    'TAKE_PROFIT',
    'TAKE_PROFIT_LIMIT',
  ],
  icebergAllowed: true,
  ocoAllowed: true,
  quoteOrderQtyMarketAllowed: true,
  allowTrailingStop: false,
  cancelReplaceAllowed: false,
  isSpotTradingAllowed: true,
  isMarginTradingAllowed: true,
  filters: [
    { filterType: 'PRICE_FILTER', minPrice: market.tick, maxPrice: '1000000', tickSize: market.tick },
    { filterType: 'LOT_SIZE', minQty: market.minAmount, maxQty: market.maxAmount, stepSize: market.step },
    { filterType: 'MARKET_LOT_SIZE', minQty: '0', maxQty: market.marketMaxAmount, stepSize: '0' },
    {
      filterType: 'NOTIONAL',
      minNotional: market.minNotional,
      applyMinToMarket: true,
      maxNotional: '9000000',
      applyMaxToMarket: false,
      avgPriceMins: 5,
    },
  ],
  permissions: ['SPOT', 'MARGIN'],
  defaultSelfTradePreventionMode: 'NONE',
  allowedSelfTradePreventionModes: ['NONE'],
});

type Answer<P extends z.ZodType> = Parameters<typeof route<P>>[0]['answer'];

const publicCall = <P extends z.ZodType>(
  path: string,
  capability: Capability,
  recording: string | undefined,
  params: P,
  answer: Answer<P>,
): Route =>
  route({
    method: 'GET',
    path: `/api/v3/${path}`,
    capability,
    tradingTypes: ['spot', 'margin'],
    isSigned: false,
    source: recording === undefined ? { page: PAGE } : { recordings: [recording], page: PAGE },
    params,
    answer,
  });

const publicRoutes: readonly Route[] = [
  publicCall('time', 'clock', `${data}/GetServerTime`, NOTHING, ({ exchange }) => ({
    serverTime: exchange.now(),
  })),
  publicCall('exchangeInfo', 'markets', `${data}/GetExchangeInfo`, NOTHING, ({ exchange }) => ({
    timezone: 'UTC',
    serverTime: exchange.now(),
    rateLimits: [],
    exchangeFilters: [],
    symbols: exchange.markets.map(instrument),
  })),
  // The recording is the answer for one symbol.
  publicCall('ticker/price', 'prices', undefined, NOTHING, ({ exchange }) =>
    exchange.markets.map((market) => ({
      symbol: idOf(market),
      price: exchange.bookOf(market).lastPrice?.toString() ?? '0',
    })),
  ),
  publicCall(
    'ticker/24hr',
    'prices',
    `${data}/GetTicker`,
    z.strictObject({ symbol }),
    ({ exchange, params }) => {
      const market = marketOf(exchange, params.symbol);
      const statistics = statisticsOf(exchange, market);
      return { ...statistics, ...bestView(exchange, market), prevClosePrice: statistics.openPrice };
    },
  ),
  // The recordings have no snapshot of a book.
  publicCall(
    'depth',
    'order book',
    undefined,
    z.strictObject({ symbol, limit: integer.min(1).max(5_000) }),
    ({ exchange, params }) => bookView(exchange, marketOf(exchange, params.symbol), params.limit),
  ),
  publicCall(
    'klines',
    'candles',
    `${data}/GetKlines`,
    z.strictObject({ symbol, interval: z.string(), ...range, limit: integer.max(1_000).optional() }),
    ({ exchange, params }) => candleRows(exchange, marketOf(exchange, params.symbol), params),
  ),
];

export const orderRequest = z.strictObject({
  symbol,
  side: z.enum(['BUY', 'SELL']),
  type: z.enum(['LIMIT', 'LIMIT_MAKER', 'MARKET', 'STOP_LOSS', 'STOP_LOSS_LIMIT']),
  timeInForce: z.enum(['GTC', 'IOC', 'FOK']).optional(),
  quantity: z.string(),
  price: z.string().optional(),
  stopPrice: z.string().optional(),
  newClientOrderId: clientOrderId,
  newOrderRespType: z.literal('RESULT'),
});

/** The parameters that each type of order needs: https://developers.binance.com/docs/binance-spot-api-docs/rest-api/trading-endpoints */
const NEEDED = {
  LIMIT: ['price', 'timeInForce'],
  LIMIT_MAKER: ['price'],
  MARKET: [],
  STOP_LOSS: ['stopPrice'],
  STOP_LOSS_LIMIT: ['price', 'stopPrice', 'timeInForce'],
} as const;
const OPTIONAL = ['price', 'stopPrice', 'timeInForce'] as const;

export function placeOrder(
  exchange: ScriptedExchange,
  owner: Account,
  params: z.output<typeof orderRequest>,
  margin?: Order['margin'],
): Order {
  const { type, timeInForce, price, stopPrice } = params;
  const needed: readonly string[] = NEEDED[type];
  if (OPTIONAL.some((name) => (params[name] !== undefined) !== needed.includes(name)))
    throw new Refusal('BAD_PARAMETER');
  return exchange.place(owner, {
    market: marketOf(exchange, params.symbol),
    clientOrderId: params.newClientOrderId,
    side: params.side,
    type: type.startsWith('LIMIT') || type.endsWith('LIMIT') ? 'LIMIT' : 'MARKET',
    timeInForce: type === 'LIMIT_MAKER' ? 'POST_ONLY' : (timeInForce ?? 'GTC'),
    amount: exact(params.quantity),
    price: price === undefined ? undefined : exact(price),
    stopPrice: stopPrice === undefined ? undefined : exact(stopPrice),
    margin,
  });
}

export const fillsRequest = z.strictObject({
  symbol,
  orderId: integer.optional(),
  fromId: integer.optional(),
  ...range,
  limit: integer.max(1_000).optional(),
});

/** @throws {Refusal} if a range is longer than a day */
export function listFills(
  exchange: ScriptedExchange,
  owner: Account,
  params: z.output<typeof fillsRequest>,
): readonly Fill[] {
  const { startTime = 0, endTime = startTime } = params;
  if (startTime !== 0 && endTime - startTime > DAY_MS) throw new Refusal('BAD_PARAMETER');
  const fills = exchange.fills.filter(
    ({ order, at }) =>
      order.account === owner &&
      idOf(order.market) === params.symbol &&
      (params.orderId === undefined || orderIdOf(order) === params.orderId) &&
      isWithin(at, params),
  );
  return fills.slice(-(params.limit ?? 500));
}

const signedCall = <P extends z.ZodType>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  {
    capability,
    recording,
    documented,
  }: { capability: Capability; recording: string; documented?: readonly string[] },
  params: P,
  answer: Answer<P>,
): Route =>
  route({
    method,
    path: `/api/v3/${path}`,
    capability,
    tradingTypes: ['spot'] satisfies readonly TradingType[],
    isSigned: true,
    source: { recordings: [`${trading}/${recording}`], documented, page: PAGE },
    params,
    answer,
  });

export const spotRoutes: readonly Route[] = [
  ...publicRoutes,
  signedCall(
    'POST',
    'order',
    // The recording has the fills, and no stop order.
    { capability: 'place', recording: 'PlaceOrder', documented: ['fills', 'stopPrice'] },
    orderRequest,
    ({ exchange, account, params }) => placedSpotOrder(placeOrder(exchange, account, params)),
  ),
  signedCall(
    'GET',
    'order',
    { capability: 'find', recording: 'GetOrder' },
    orderKey,
    ({ exchange, account, params }) => spotOrder(findOrder(exchange, account, params)),
  ),
  signedCall(
    'DELETE',
    'order',
    { capability: 'cancel', recording: 'CancelOrder' },
    orderKey,
    ({ exchange, account, params }) => {
      const order = findOrder(exchange, account, params);
      exchange.cancel(order);
      return cancelledSpotOrder(order);
    },
  ),
  signedCall(
    'GET',
    'openOrders',
    { capability: 'open orders', recording: 'GetOpenOrders' },
    openOrdersRequest,
    ({ exchange, account, params }) => openOrders(exchange, account, params.symbol).map(spotOrder),
  ),
  signedCall(
    'GET',
    'myTrades',
    { capability: 'fills', recording: 'GetUserTrades' },
    fillsRequest,
    ({ exchange, account, params }) => listFills(exchange, account, params).map(spotFill),
  ),
];
