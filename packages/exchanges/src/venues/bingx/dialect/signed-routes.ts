/** BingX's signed calls: https://bingx-api.github.io/docs-v3/#/en/Spot/Trades%20Endpoints */
import { z } from 'zod';
import { type Route, route } from '../../../../conformance/scripted/dialect.js';
import { type Account, exact, type Order, Refusal } from '../../../../conformance/scripted/model.js';
import { isOpen, type ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';
import { LISTEN_KEYS_PATH, listenKeyOf } from './access.js';
import { marketOf } from './public-routes.js';
import {
  balanceViews,
  cancelledView,
  docs,
  fillView,
  idOf,
  listedOrderView,
  orderIdOf,
  orderView,
  placedView,
  reference,
  userIdOf,
} from './views.js';

const HOUR_MS = 3_600_000;
/** An order is found by its client order id for two hours. */
const FOUND_BY_ID_MS = 2 * HOUR_MS;
const FILLS_HISTORY_MS = 7 * 24 * HOUR_MS;

const integer = z.coerce.number().int();
const clientOrderId = z.string().regex(/^\w{1,40}$/);
const trades = (name: string): string => docs(`Spot/Trades%20Endpoints/${name}`);

/** A signed call whose answer was recorded, without a client order id. */
const call = <P extends z.ZodType>(
  declared: Pick<Route, 'path' | 'capability'> & {
    readonly method?: 'POST';
    readonly recording: string;
    readonly documented?: readonly string[];
    readonly page: string;
    readonly params: P;
    answer: Parameters<typeof route<P>>[0]['answer'];
  },
): Route => {
  const { recording, documented, page, method = 'GET', ...rest } = declared;
  const source = { recordings: [recording], documented, page };
  return route({ method, tradingTypes: ['spot'], isSigned: true, source, ...rest });
};

const ok = (data: unknown) => ({ code: 0, msg: '', debugMsg: '', data });

const ordersOf = (exchange: ScriptedExchange, owner: Account): readonly Order[] =>
  exchange.orders.filter((order) => order.account === owner).toReversed();

/** An order is named by one of its ids. */
const orderKey = z.strictObject({
  symbol: z.string(),
  orderId: integer.optional(),
  clientOrderID: clientOrderId.optional(),
});

function orderOf(exchange: ScriptedExchange, owner: Account, key: z.output<typeof orderKey>): Order {
  const { symbol, orderId, clientOrderID } = key;
  if ((orderId === undefined) === (clientOrderID === undefined)) throw new Refusal('BAD_PARAMETER');
  const market = marketOf(exchange, symbol);
  const isNamed = (order: Order) =>
    clientOrderID === undefined
      ? orderIdOf(order) === orderId
      : order.clientOrderId === clientOrderID && exchange.now() - order.createdAt < FOUND_BY_ID_MS;
  const order = ordersOf(exchange, owner).find((each) => each.market === market && isNamed(each));
  if (order === undefined) throw new Refusal('UNKNOWN_ORDER');
  return order;
}

const orderRequest = z.strictObject({
  symbol: z.string(),
  side: z.enum(['BUY', 'SELL']),
  type: z.enum(['LIMIT', 'MARKET']),
  quantity: z.string(),
  price: z.string().optional(),
  timeInForce: z.enum(['GTC', 'IOC', 'FOK', 'PostOnly']).optional(),
  newClientOrderId: clientOrderId,
});

function placeOrder(
  exchange: ScriptedExchange,
  owner: Account,
  params: z.output<typeof orderRequest>,
): Order {
  const { symbol, side, type, quantity, price, timeInForce = 'GTC', newClientOrderId } = params;
  if ((type === 'LIMIT') !== (price !== undefined)) throw new Refusal('BAD_PARAMETER');
  return exchange.place(owner, {
    market: marketOf(exchange, symbol),
    clientOrderId: newClientOrderId,
    side,
    type,
    timeInForce: type === 'MARKET' ? 'IOC' : timeInForce === 'PostOnly' ? 'POST_ONLY' : timeInForce,
    amount: exact(quantity),
    price: price === undefined ? undefined : exact(price),
  });
}

const orderRoutes: readonly Route[] = [
  call({
    method: 'POST',
    path: '/openApi/spot/v1/trade/order',
    capability: 'place',
    recording: 'Spot/Trading/PlaceOrder',
    documented: ['data.clientOrderID'],
    page: trades('Place%20order'),
    params: orderRequest,
    answer: ({ exchange, account, params }) => ok(placedView(placeOrder(exchange, account, params))),
  }),
  call({
    method: 'POST',
    path: '/openApi/spot/v1/trade/cancel',
    capability: 'cancel',
    recording: 'Spot/Trading/CancelOrder',
    documented: ['data.clientOrderID'],
    page: trades('Cancel%20Order'),
    params: orderKey,
    answer: ({ exchange, account, params }) => {
      const order = orderOf(exchange, account, params);
      exchange.cancel(order);
      return ok(cancelledView(order));
    },
  }),
  call({
    path: '/openApi/spot/v1/trade/query',
    capability: 'find',
    recording: 'Spot/Trading/GetOrder',
    documented: ['data.clientOrderID'],
    page: trades('Query%20Order%20details'),
    params: orderKey,
    answer: ({ exchange, account, params }) => ok(orderView(exchange, orderOf(exchange, account, params))),
  }),
  call({
    path: '/openApi/spot/v1/trade/openOrders',
    capability: 'open orders',
    recording: 'Spot/Trading/GetOpenOrders',
    documented: ['data.orders.clientOrderID'],
    page: trades('Current%20Open%20Orders'),
    params: z.strictObject({ symbol: z.string().optional() }),
    answer: ({ exchange, account, params: { symbol } }) => {
      const open = ordersOf(exchange, account).filter(
        (order) => isOpen(order) && (symbol === undefined || idOf(order.market) === symbol),
      );
      return ok({ orders: open.map(listedOrderView) });
    },
  }),
  call({
    path: '/openApi/spot/v1/trade/historyOrders',
    capability: 'find',
    recording: 'Spot/Trading/GetOrders',
    documented: ['data.orders.clientOrderID'],
    page: trades('Query%20Order%20history'),
    params: z.strictObject({
      symbol: z.string(),
      startTime: integer,
      endTime: integer,
      pageIndex: integer.min(1),
      pageSize: integer.min(1).max(100),
    }),
    answer: ({ exchange, account, params }) => {
      const { symbol, startTime, endTime, pageIndex, pageSize } = params;
      const ended = ordersOf(exchange, account).filter(
        (order) =>
          !isOpen(order) &&
          idOf(order.market) === symbol &&
          order.createdAt >= startTime &&
          order.createdAt <= endTime,
      );
      const page = ended.slice((pageIndex - 1) * pageSize, pageIndex * pageSize);
      return ok({ orders: page.map(listedOrderView) });
    },
  }),
  call({
    path: '/openApi/spot/v1/trade/myTrades',
    capability: 'fills',
    recording: 'Spot/Trading/GetUserTrades',
    page: trades('Query%20transaction%20details'),
    params: z.strictObject({
      symbol: z.string(),
      orderId: integer.optional(),
      startTime: integer,
      endTime: integer,
      limit: integer.min(1).max(500),
    }),
    answer: ({ exchange, account, params }) => {
      const { symbol, orderId, startTime, endTime, limit } = params;
      if (startTime < exchange.now() - FILLS_HISTORY_MS) throw new Refusal('BAD_PARAMETER');
      const fills = exchange.fills.filter(
        ({ order, at }) =>
          order.account === account &&
          idOf(order.market) === symbol &&
          (orderId === undefined || orderIdOf(order) === orderId) &&
          at >= startTime &&
          at <= endTime,
      );
      return ok({ fills: fills.slice(0, limit).map(fillView) });
    },
  }),
];

const accountRoutes: readonly Route[] = [
  call({
    path: '/openApi/spot/v1/account/balance',
    capability: 'balances',
    recording: 'Spot/Account/GetBalances',
    page: docs('Spot/Account%20Endpoints/Query%20Assets'),
    params: z.strictObject({}),
    answer: ({ account }) => ok({ balances: balanceViews(account) }),
  }),
  call({
    path: '/openApi/account/v1/uid',
    capability: 'credentials',
    recording: 'Spot/Account/GetUserId',
    page: reference('sub-account/api-reference'),
    params: z.strictObject({}),
    answer: ({ exchange, account }) => ({
      code: 0,
      timestamp: exchange.now(),
      data: { uid: userIdOf(account) },
    }),
  }),
  call({
    path: '/openApi/account/v1/apiKey/query',
    capability: 'credentials',
    recording: 'Spot/Account/GetApiKeyPermissions',
    page: reference('sub-account/api-reference'),
    params: z.strictObject({ uid: z.string(), apiKey: z.string() }),
    answer: ({ exchange, account, params }) => {
      const isOwn = params.uid === String(userIdOf(account)) && params.apiKey === account.apiKey;
      if (!isOwn) throw new Refusal('BAD_PARAMETER');
      const key = {
        apiKey: `${account.apiKey.slice(0, 2)}*******${account.apiKey.slice(-2)}`,
        note: 'bots****',
        permissions: [2, ...(account.canTrade ? [1] : []), ...(account.canWithdraw ? [5] : [])],
        ipAddresses: [''],
        status: 0,
        createTime: 1_702_289_687_211,
        updateTime: 1_702_289_687_000,
      };
      return { code: 0, timestamp: exchange.now(), data: { apiInfos: [key] } };
    },
  }),
  call({
    method: 'POST',
    path: LISTEN_KEYS_PATH,
    capability: 'stream login',
    recording: 'Spot/Account/StartUserStream',
    page: reference('spot-ws-account/api-reference'),
    params: z.strictObject({}),
    answer: ({ account }) => ({ listenKey: listenKeyOf(account) }),
  }),
];

export const signedRoutes: readonly Route[] = [...orderRoutes, ...accountRoutes];
