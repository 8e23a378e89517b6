/** The REST API of USD-M futures: https://developers.binance.com/docs/derivatives/usds-margined-futures */
import { z } from 'zod';
import { type Capability, type Route, route } from '../../../../conformance/scripted/dialect.js';
import {
  type Account,
  exact,
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
  oneOrAll,
  orderIdOf,
  range,
  symbol,
} from './common.js';
import {
  ASSETS,
  accountView,
  cancelledOrder,
  forcedOrder,
  listedBalance,
  listedFill,
  listedOrder,
  listedPosition,
  placedOrder,
  symbolConfiguration,
} from './futures-views.js';
import { bestView, bookView, candleRows, statisticsOf } from './market-data.js';

const PAGE = 'https://developers.binance.com/docs/derivatives/usds-margined-futures';
const DAY_MS = 86_400_000;

interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly capability: Capability;
  /** The recording's name; undefined if the answer follows the documentation. */
  readonly recording?: string;
  readonly documented?: readonly string[];
}

const data = 'UsdFutures/ExchangeData';
const account = 'UsdFutures/Account';
const trading = 'UsdFutures/Trading';

type Answer<P extends z.ZodType> = Parameters<typeof route<P>>[0]['answer'];

const declare =
  (isSigned: boolean) =>
  <P extends z.ZodType>(
    { recording, documented, path, ...call }: Call,
    params: P,
    answer: Answer<P>,
  ): Route =>
    route({
      ...call,
      path: `/fapi/${path}`,
      tradingTypes: ['perpetual'],
      isSigned,
      source: recording === undefined ? { page: PAGE } : { recordings: [recording], documented, page: PAGE },
      params,
      answer,
    });

const open = declare(false);
const signed = declare(true);

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

const publicRoutes: readonly Route[] = [
  open(
    { method: 'GET', path: 'v1/time', capability: 'clock', recording: `${data}/GetServerTime` },
    NOTHING,
    ({ exchange }) => ({ serverTime: exchange.now() }),
  ),
  open(
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
  open({ method: 'GET', path: 'v2/ticker/price', capability: 'prices' }, NOTHING, ({ exchange }) =>
    exchange.markets.map((market) => ({
      symbol: idOf(market),
      price: exchange.bookOf(market).lastPrice?.toString() ?? '0',
      time: exchange.now(),
    })),
  ),
  open(
    { method: 'GET', path: 'v1/ticker/24hr', capability: 'prices', recording: `${data}/GetTicker` },
    z.strictObject({ symbol }),
    ({ exchange, params }) => statisticsOf(exchange, marketOf(exchange, params.symbol)),
  ),
  open(
    { method: 'GET', path: 'v1/ticker/bookTicker', capability: 'prices', recording: `${data}/GetBookPrice` },
    z.strictObject({ symbol }),
    ({ exchange, params }) => ({
      lastUpdateId: 1_027_024,
      ...bestView(exchange, marketOf(exchange, params.symbol)),
      time: exchange.now(),
    }),
  ),
  open(
    { method: 'GET', path: 'v1/depth', capability: 'order book', recording: `${data}/GetOrderBook` },
    z.strictObject({ symbol, limit: z.enum(['5', '10', '20', '50', '100', '500', '1000']) }),
    ({ exchange, params }) => {
      const at = exchange.now();
      return { E: at, T: at, ...bookView(exchange, marketOf(exchange, params.symbol), Number(params.limit)) };
    },
  ),
  open(
    { method: 'GET', path: 'v1/klines', capability: 'candles', recording: `${data}/GetKlines` },
    z.strictObject({ symbol, interval: z.string(), ...range, limit: integer.max(1_500).optional() }),
    ({ exchange, params }) => candleRows(exchange, marketOf(exchange, params.symbol), params),
  ),
  open(
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
  open(
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

const orderRequest = z.strictObject({
  symbol,
  side: z.enum(['BUY', 'SELL']),
  type: z.enum(['LIMIT', 'MARKET']),
  timeInForce: z.enum(['GTC', 'IOC', 'FOK', 'GTX']).optional(),
  quantity: z.string(),
  price: z.string().optional(),
  reduceOnly: z.literal('true').optional(),
  newClientOrderId: clientOrderId,
  newOrderRespType: z.literal('RESULT'),
});

function placeOrder(
  exchange: ScriptedExchange,
  owner: Account,
  {
    symbol: name,
    side,
    type,
    timeInForce,
    quantity,
    price,
    reduceOnly,
    newClientOrderId,
  }: z.output<typeof orderRequest>,
): Order {
  const isLimit = type === 'LIMIT';
  if (isLimit !== (price !== undefined) || isLimit !== (timeInForce !== undefined))
    throw new Refusal('BAD_PARAMETER');
  if (owner.isHedged) throw new Refusal('POSITION_MODE');
  return exchange.place(owner, {
    market: marketOf(exchange, name),
    clientOrderId: newClientOrderId,
    side,
    type,
    timeInForce: timeInForce === 'GTX' ? 'POST_ONLY' : (timeInForce ?? 'GTC'),
    amount: exact(quantity),
    price: price === undefined ? undefined : exact(price),
    reduceOnly: reduceOnly !== undefined,
  });
}

const orderKey = z.strictObject({
  symbol,
  orderId: integer.optional(),
  origClientOrderId: clientOrderId.optional(),
});

/** An order of the account by either id, the newest with a client order id. */
function findOrder(
  exchange: ScriptedExchange,
  owner: Account,
  key: z.output<typeof orderKey>,
): Order | undefined {
  if (key.orderId === undefined && key.origClientOrderId === undefined) throw new Refusal('BAD_PARAMETER');
  marketOf(exchange, key.symbol);
  return exchange.orders.findLast(
    (order) =>
      order.account === owner &&
      idOf(order.market) === key.symbol &&
      (key.orderId === undefined || orderIdOf(order) === key.orderId) &&
      (key.origClientOrderId === undefined || order.clientOrderId === key.origClientOrderId),
  );
}

function existing(order: Order | undefined): Order {
  if (order === undefined) throw new Refusal('UNKNOWN_ORDER');
  return order;
}

/** @throws {Refusal} if a range is longer than a week */
function checkWeek({
  startTime = 0,
  endTime = startTime,
}: {
  startTime?: number | undefined;
  endTime?: number | undefined;
}): void {
  if (startTime !== 0 && endTime - startTime > 7 * DAY_MS) throw new Refusal('BAD_PARAMETER');
}

const order = (method: Call['method'], capability: Capability, recording: string): Call => ({
  method,
  path: 'v1/order',
  capability,
  recording: `${trading}/${recording}`,
  // Of trailing stop orders only.
  documented: ['activatePrice', 'priceRate'],
});

const orderRoutes: readonly Route[] = [
  signed(order('POST', 'place', 'PlaceOrder'), orderRequest, ({ exchange, account: owner, params }) =>
    placedOrder(placeOrder(exchange, owner, params)),
  ),
  signed(order('GET', 'find', 'GetOrder'), orderKey, ({ exchange, account: owner, params }) =>
    listedOrder(existing(findOrder(exchange, owner, params))),
  ),
  signed(order('DELETE', 'cancel', 'CancelOrder'), orderKey, ({ exchange, account: owner, params }) => {
    const found = existing(findOrder(exchange, owner, params));
    exchange.cancel(found);
    return cancelledOrder(found);
  }),
  signed(
    { ...order('GET', 'open orders', 'GetOpenOrders'), path: 'v1/openOrders' },
    z.strictObject({ symbol: symbol.optional() }),
    ({ exchange, account: owner, params }) =>
      exchange
        .openOrdersOf(owner)
        .filter(({ market }) => params.symbol === undefined || idOf(market) === params.symbol)
        .map(listedOrder),
  ),
  signed(
    { method: 'GET', path: 'v1/userTrades', capability: 'fills', recording: `${trading}/GetUserTrades` },
    z.strictObject({ symbol, orderId: integer.optional(), ...range, limit: integer.max(1_000) }),
    ({ exchange, account: owner, params }) => {
      checkWeek(params);
      return exchange.fills
        .filter(
          ({ order: each, at }) =>
            each.account === owner &&
            idOf(each.market) === params.symbol &&
            (params.orderId === undefined || orderIdOf(each) === params.orderId) &&
            isWithin(at, params),
        )
        .slice(0, params.limit)
        .map(listedFill);
    },
  ),
  signed(
    { method: 'GET', path: 'v1/forceOrders', capability: 'fills', recording: `${trading}/GetForcedOrders` },
    z.strictObject({ symbol, ...range, limit: integer.max(100) }),
    ({ exchange, account: owner, params }) => {
      checkWeek(params);
      return exchange.orders
        .filter(
          ({ account: each, cause, createdAt }) =>
            each === owner && cause !== undefined && isWithin(createdAt, params),
        )
        .map(forcedOrder);
    },
  ),
];

const SINCE_VERSION_3 = [
  'leverage',
  'maxNotionalValue',
  'marginType',
  'isAutoAddMargin',
  'marginAsset',
  'initialMargin',
  'maintMargin',
  'positionInitialMargin',
  'openOrderInitialMargin',
  'adl',
  'bidNotional',
  'askNotional',
];

const positionRoutes: readonly Route[] = [
  signed(
    {
      method: 'GET',
      path: 'v3/positionRisk',
      capability: 'positions',
      recording: `${trading}/GetPositions`,
      // The recording has the fields of version 2.
      documented: SINCE_VERSION_3,
    },
    NOTHING,
    ({ exchange, account: owner }) =>
      [...owner.positions.values()]
        .filter(({ size }) => !size.isZero())
        .map((position) => listedPosition(exchange, owner, position)),
  ),
  signed(
    {
      method: 'GET',
      path: 'v1/symbolConfig',
      capability: 'leverage',
      recording: `${account}/GetSymbolConfiguration`,
    },
    z.strictObject({ symbol: symbol.optional() }),
    ({ exchange, account: owner, params }) => {
      const markets = params.symbol === undefined ? exchange.markets : [marketOf(exchange, params.symbol)];
      return markets.map((market) => symbolConfiguration(owner, market));
    },
  ),
  signed(
    {
      method: 'GET',
      path: 'v1/leverageBracket',
      capability: 'leverage',
      recording: `${account}/GetBrackets`,
    },
    z.strictObject({ symbol }),
    ({ exchange, params }) => {
      const market = marketOf(exchange, params.symbol);
      const first = { bracket: 1, notionalCap: 50_000, notionalFloor: 0, maintMarginRatio: 0.004, cum: 0 };
      const brackets = [{ ...first, initialLeverage: Number(market.maxLeverage) }];
      return [{ symbol: idOf(market), notionalCoef: 1.5, brackets }];
    },
  ),
  signed(
    {
      method: 'POST',
      path: 'v1/leverage',
      capability: 'leverage',
      recording: `${account}/ChangeInitialLeverage`,
    },
    z.strictObject({ symbol, leverage: integer }),
    ({ exchange, account: owner, params: { symbol: name, leverage } }) => {
      exchange.setLeverage(owner, marketOf(exchange, name), String(leverage));
      return { leverage, maxNotionalValue: '1000000', symbol: name };
    },
  ),
  signed(
    {
      method: 'POST',
      path: 'v1/marginType',
      capability: 'leverage',
      recording: `${account}/ChangeMarginType`,
    },
    z.strictObject({ symbol, marginType: z.enum(['ISOLATED', 'CROSSED']) }),
    ({ exchange, account: owner, params: { symbol: name, marginType } }) => {
      const marginMode = marginType === 'ISOLATED' ? 'ISOLATED' : 'CROSS';
      exchange.setMarginMode(owner, marketOf(exchange, name), marginMode);
      return { code: 200, msg: 'success' };
    },
  ),
  signed(
    { method: 'GET', path: 'v1/income', capability: 'funding', recording: `${account}/GetIncomeHistory` },
    z.strictObject({
      incomeType: z.literal('FUNDING_FEE'),
      ...range,
      limit: integer.max(1_000),
      page: integer.min(1),
    }),
    ({ exchange, account: owner, params: { limit, page, ...times } }) =>
      exchange.fundings
        .filter((funding) => funding.account === owner && isWithin(funding.at, times))
        .slice((page - 1) * limit, page * limit)
        .map(({ number, market, amount, at }) => ({
          symbol: idOf(market),
          incomeType: 'FUNDING_FEE',
          income: amount.toString(),
          asset: market.quote,
          info: 'FUNDING_FEE',
          time: at,
          tranId: String(9_689_322_392 + number),
          tradeId: '',
        })),
  ),
];

const accountRoutes: readonly Route[] = [
  signed(
    {
      method: 'GET',
      path: 'v1/accountConfig',
      capability: 'credentials',
      recording: `${account}/GetAccountConfiguration`,
    },
    NOTHING,
    ({ account: { isHedged } }) => ({
      feeTier: 0,
      canTrade: true,
      canDeposit: true,
      canWithdraw: true,
      dualSidePosition: isHedged,
      updateTime: 0,
      multiAssetsMargin: false,
      tradeGroupId: -1,
    }),
  ),
  signed(
    { method: 'GET', path: 'v3/balance', capability: 'balances', recording: `${account}/GetBalances` },
    NOTHING,
    ({ account: owner }) => ASSETS.map((asset) => listedBalance(owner, asset)),
  ),
  signed(
    { method: 'GET', path: 'v3/account', capability: 'positions', recording: `${account}/GetAccountInfoV3` },
    NOTHING,
    ({ exchange, account: owner }) => accountView(exchange, owner),
  ),
  signed(
    {
      method: 'GET',
      path: 'v1/rateLimit/order',
      capability: 'stream login',
      recording: `${account}/GetOrderRateLimit`,
    },
    NOTHING,
    () => [{ rateLimitType: 'ORDERS', interval: 'SECOND', intervalNum: 10, limit: 300 }],
  ),
  signed(
    {
      method: 'POST',
      path: 'v1/listenKey',
      capability: 'stream login',
      recording: `${account}/StartUserStream`,
    },
    NOTHING,
    ({ account: { number } }) => ({ listenKey: listenKeyOf(number) }),
  ),
  // The recording is empty, although the documentation shows the key.
  signed(
    { method: 'PUT', path: 'v1/listenKey', capability: 'stream login' },
    NOTHING,
    ({ account: owner }) => ({
      listenKey: listenKeyOf(owner.number),
    }),
  ),
];

export const listenKeyOf = (number: number): string => `pqia91ma19a5s61cv6a81va65sdf19v8a65a1-${number}`;

export const futuresRoutes: readonly Route[] = [
  ...publicRoutes,
  ...orderRoutes,
  ...positionRoutes,
  ...accountRoutes,
];
