/** KuCoin's calls of a futures account: https://www.kucoin.com/docs-new/rest/futures-trading/introduction */
import { z } from 'zod';
import type { Route } from '../../../../conformance/scripted/dialect.js';
import { type Account, exact, type Order, Refusal } from '../../../../conformance/scripted/model.js';
import { leverageOf } from '../../../../conformance/scripted/positions.js';
import { isOpen, type ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';
import { futuresCall, market } from './futures-call.js';
import { fillView, fundingView, idOf, listedPosition, orderView, overview } from './futures-views.js';
import { clientOid, integer, isWithin, pageOf } from './params.js';
import { orderIdOf } from './spot-views.js';

const symbol = z.string();

const common = {
  clientOid,
  symbol,
  side: z.enum(['buy', 'sell']),
  size: z.number().int().positive(),
  reduceOnly: z.boolean(),
  marginMode: z.enum(['CROSS', 'ISOLATED']),
};
const newOrder = z.discriminatedUnion('type', [
  z.strictObject({
    ...common,
    type: z.literal('limit'),
    price: z.string(),
    timeInForce: z.enum(['GTC', 'IOC']),
    postOnly: z.boolean(),
  }),
  z.strictObject({ ...common, type: z.literal('market') }),
]);

function placeOrder(exchange: ScriptedExchange, account: Account, params: z.output<typeof newOrder>): Order {
  const each = market(exchange, params.symbol);
  if (account.isHedged) throw new Refusal('POSITION_MODE');
  if (leverageOf(account, each).marginMode !== params.marginMode) throw new Refusal('BAD_PARAMETER');
  const isLimit = params.type === 'limit';
  return exchange.place(account, {
    market: each,
    clientOrderId: params.clientOid,
    side: params.side === 'buy' ? 'BUY' : 'SELL',
    type: isLimit ? 'LIMIT' : 'MARKET',
    timeInForce: isLimit ? (params.postOnly ? 'POST_ONLY' : params.timeInForce) : 'GTC',
    amount: exact(params.size).times(each.contractSize),
    price: isLimit ? exact(params.price) : undefined,
    reduceOnly: params.reduceOnly,
  });
}

function orderBy(
  exchange: ScriptedExchange,
  account: Account,
  isRequested: (order: Order) => boolean,
): Order {
  const order = exchange.orders.findLast((each) => each.account === account && isRequested(each));
  if (order === undefined) throw new Refusal('UNKNOWN_ORDER');
  return order;
}

const pages = { currentPage: integer.optional(), pageSize: integer.max(1_000).optional() };
const range = { startAt: integer.optional(), endAt: integer.optional() };

export const futuresRoutes: readonly Route[] = [
  futuresCall(
    {
      method: 'POST',
      path: 'v1/orders',
      capability: 'place',
      recording: 'Futures/Trading/PlaceOrder',
      page: 'orders/add-order',
    },
    {
      params: newOrder,
      answer: ({ exchange, account, params }) => ({
        orderId: orderIdOf(placeOrder(exchange, account, params)),
      }),
    },
  ),
  futuresCall(
    {
      method: 'DELETE',
      path: 'v1/orders/client-order/:clientOid',
      capability: 'cancel',
      recording: 'Futures/Trading/CancelOrderByClientOrderId',
      page: 'orders/cancel-order-by-clientoid',
    },
    {
      params: z.strictObject({ symbol }),
      answer: ({ exchange, account, params, path }) => {
        const isRequested = (order: Order) =>
          order.clientOrderId === path.clientOid && idOf(order.market) === params.symbol && isOpen(order);
        exchange.cancel(orderBy(exchange, account, isRequested));
        return { clientOid: path.clientOid };
      },
    },
  ),
  futuresCall(
    {
      method: 'DELETE',
      path: 'v1/orders/:id',
      capability: 'cancel',
      page: 'orders/cancel-order-by-orderld',
    },
    {
      params: z.strictObject({}),
      answer: ({ exchange, account, path: { id = '' } }) => {
        exchange.cancel(orderBy(exchange, account, (order) => orderIdOf(order) === id && isOpen(order)));
        return { cancelledOrderIds: [id] };
      },
    },
  ),
  futuresCall(
    {
      path: 'v1/orders/byClientOid',
      capability: 'find',
      recording: 'Futures/Trading/GetOrderByClientOrderId',
      page: 'orders/get-order-by-clientoid',
    },
    {
      params: z.strictObject({ clientOid: z.string() }),
      answer: ({ exchange, account, params }) =>
        orderView(orderBy(exchange, account, ({ clientOrderId }) => clientOrderId === params.clientOid)),
    },
  ),
  futuresCall(
    {
      path: 'v1/orders/:id',
      capability: 'find',
      recording: 'Futures/Trading/GetOrder',
      page: 'orders/get-order-by-orderid',
    },
    {
      params: z.strictObject({}),
      answer: ({ exchange, account, path }) =>
        orderView(orderBy(exchange, account, (order) => orderIdOf(order) === path.id)),
    },
  ),
  futuresCall(
    {
      path: 'v1/orders',
      capability: 'open orders',
      recording: 'Futures/Trading/GetOrders',
      page: 'orders/get-order-list',
    },
    {
      params: z.strictObject({ status: z.literal('active'), symbol: symbol.optional(), ...pages }),
      answer: ({ exchange, account, params }) => {
        const open = exchange
          .openOrdersOf(account)
          .filter((order) => params.symbol === undefined || idOf(order.market) === params.symbol);
        const page = pageOf(open, params);
        return { ...page, items: page.items.map(orderView) };
      },
    },
  ),
  futuresCall(
    {
      path: 'v1/fills',
      capability: 'fills',
      recording: 'Futures/Trading/GetUserTrades',
      page: 'orders/get-trade-history',
    },
    {
      params: z.strictObject({
        symbol: symbol.optional(),
        orderId: z.string().optional(),
        ...range,
        ...pages,
      }),
      answer: ({ exchange, account, params }) => {
        const fills = exchange.fills.filter(
          ({ order, at }) =>
            order.account === account &&
            (params.symbol === undefined || idOf(order.market) === params.symbol) &&
            (params.orderId === undefined || orderIdOf(order) === params.orderId) &&
            isWithin(at, params),
        );
        const page = pageOf(fills, params);
        return { ...page, items: page.items.map(fillView) };
      },
    },
  ),
  futuresCall(
    {
      path: 'v1/recentFills',
      capability: 'fills',
      recording: 'Futures/Trading/GetRecentUserTrades',
      page: 'orders/get-recent-trade-history',
    },
    {
      params: z.strictObject({ symbol }),
      answer: ({ exchange, account, params }) =>
        exchange.fills
          .filter(({ order }) => order.account === account && idOf(order.market) === params.symbol)
          .map(fillView)
          .reverse()
          .slice(0, 1_000),
    },
  ),
  futuresCall(
    {
      path: 'v1/account-overview',
      capability: 'balances',
      recording: 'Futures/Account/GetAccountOverview',
      page: 'account-info/get-account-futures',
    },
    {
      params: z.strictObject({ currency: z.literal('USDT') }),
      answer: ({ exchange, account }) => overview(exchange, account),
    },
  ),
  futuresCall(
    {
      path: 'v1/positions',
      capability: 'positions',
      recording: 'Futures/Account/GetPositions',
      documented: ['data.leverage', 'data.marginMode', 'data.positionSide'],
      page: 'positions/get-position-list',
    },
    {
      params: z.strictObject({ currency: z.literal('USDT') }),
      answer: ({ exchange, account }) =>
        [...account.positions.values()]
          .filter(({ size }) => !size.isZero())
          .map((position) => listedPosition(exchange, account, position)),
    },
  ),
  futuresCall(
    {
      path: 'v2/position/getPositionMode',
      capability: 'credentials',
      page: 'positions/get-position-mode',
    },
    {
      params: z.strictObject({}),
      answer: ({ account: { isHedged } }) => ({ positionMode: isHedged ? 1 : 0 }),
    },
  ),
  futuresCall(
    {
      path: 'v2/position/getMarginMode',
      capability: 'leverage',
      recording: 'Futures/Account/GetMarginMode',
      page: 'positions/get-margin-mode',
    },
    {
      params: z.strictObject({ symbol }),
      answer: ({ exchange, account, params }) => {
        const { marginMode } = leverageOf(account, market(exchange, params.symbol));
        return { symbol: params.symbol, marginMode };
      },
    },
  ),
  futuresCall(
    {
      method: 'POST',
      path: 'v2/position/changeMarginMode',
      capability: 'leverage',
      recording: 'Futures/Account/SetMarginMode',
      page: 'positions/switch-margin-mode',
    },
    {
      params: z.strictObject({ symbol, marginMode: z.enum(['CROSS', 'ISOLATED']) }),
      answer: ({ exchange, account, params }) => {
        exchange.setMarginMode(account, market(exchange, params.symbol), params.marginMode);
        return params;
      },
    },
  ),
  futuresCall(
    {
      path: 'v2/getCrossUserLeverage',
      capability: 'leverage',
      recording: 'Futures/Account/GetCrossMarginLeverage',
      page: 'positions/get-cross-margin-leverage',
    },
    {
      params: z.strictObject({ symbol }),
      answer: ({ exchange, account, params }) => {
        const { leverage } = leverageOf(account, market(exchange, params.symbol));
        return { symbol: params.symbol, leverage: leverage.toFixed(2) };
      },
    },
  ),
  futuresCall(
    {
      method: 'POST',
      path: 'v2/changeCrossUserLeverage',
      capability: 'leverage',
      recording: 'Futures/Account/SetCrossMarginLeverage',
      page: 'positions/modify-cross-margin-leverage',
    },
    {
      params: z.strictObject({ symbol, leverage: z.string() }),
      answer: ({ exchange, account, params }) => {
        exchange.setLeverage(account, market(exchange, params.symbol), params.leverage);
        return params;
      },
    },
  ),
  futuresCall(
    {
      path: 'v1/funding-history',
      capability: 'funding',
      recording: 'Futures/Account/GetFundingHistory',
      page: 'funding-fees/get-private-funding-history',
    },
    {
      params: z.strictObject({
        symbol,
        startAt: integer,
        maxCount: integer.max(100),
        offset: integer.optional(),
      }),
      answer: ({ exchange, account, params }) => {
        const { offset = Number.POSITIVE_INFINITY } = params;
        const paid = exchange.fundings
          .filter(
            (funding) =>
              funding.account === account &&
              idOf(funding.market) === params.symbol &&
              funding.at >= params.startAt,
          )
          .map(fundingView)
          .filter(({ id }) => id < offset)
          .reverse();
        return { dataList: paid.slice(0, params.maxCount), hasMore: paid.length > params.maxCount };
      },
    },
  ),
];
