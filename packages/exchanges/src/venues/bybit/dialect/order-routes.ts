/** Bybit's orders and fills: https://bybit-exchange.github.io/docs/v5/order/create-order */
import { z } from 'zod';
import type { Route } from '../../../../conformance/scripted/dialect.js';
import { type Account, exact, type Order, Refusal } from '../../../../conformance/scripted/model.js';
import { isOpen, type ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';
import {
  category,
  checkRange,
  isWithin,
  marketOf,
  page,
  pageOf,
  range,
  signedCall,
  symbol,
} from './calls.js';
import { idOf, listedFill, listedOrder, orderIdOf } from './views.js';

const orderRequest = z.strictObject({
  category,
  symbol,
  side: z.enum(['Buy', 'Sell']),
  orderType: z.enum(['Limit', 'Market']),
  qty: z.string(),
  price: z.string().optional(),
  timeInForce: z.enum(['GTC', 'IOC', 'FOK', 'PostOnly']),
  orderLinkId: z.string().regex(/^[\w-]{1,36}$/),
  marketUnit: z.literal('baseCoin').optional(),
  positionIdx: z.literal(0).optional(),
  reduceOnly: z.boolean().optional(),
  isLeverage: z.union([z.literal(0), z.literal(1)]).optional(),
  triggerPrice: z.string().optional(),
  triggerDirection: z.union([z.literal(1), z.literal(2)]).optional(),
  triggerBy: z.literal('LastPrice').optional(),
});
const orderKey = z.strictObject({
  category,
  symbol: symbol.optional(),
  settleCoin: z.string().optional(),
  orderId: z.string().optional(),
  orderLinkId: z.string().optional(),
  openOnly: z.literal('0').optional(),
  ...page,
});
type OrderKey = z.output<typeof orderKey>;

function placeOrder(exchange: ScriptedExchange, account: Account, params: z.output<typeof orderRequest>) {
  const market = marketOf(exchange, params.symbol);
  const isMarginMarket = market.kind === 'SPOT';
  if (params.orderType === 'Market' && isMarginMarket && params.marketUnit !== 'baseCoin')
    throw new Refusal('BAD_PARAMETER');
  if (account.isHedged && !isMarginMarket) throw new Refusal('POSITION_MODE');
  return exchange.place(account, {
    market,
    clientOrderId: params.orderLinkId,
    side: params.side === 'Buy' ? 'BUY' : 'SELL',
    type: params.orderType === 'Limit' ? 'LIMIT' : 'MARKET',
    timeInForce: params.timeInForce === 'PostOnly' ? 'POST_ONLY' : params.timeInForce,
    amount: exact(params.qty),
    price: params.price === undefined ? undefined : exact(params.price),
    stopPrice: params.triggerPrice === undefined ? undefined : exact(params.triggerPrice),
    reduceOnly: params.reduceOnly,
    // The exchange repays a loan with what the account receives.
    margin: isMarginMarket ? { borrows: params.isLeverage === 1, repays: true } : undefined,
  });
}

function ordersBy(exchange: ScriptedExchange, account: Account, key: OrderKey): readonly Order[] {
  const isLinear = key.category === 'linear';
  const isNamed = key.symbol !== undefined || key.settleCoin !== undefined;
  if (isLinear && !isNamed) throw new Refusal('BAD_PARAMETER');
  return exchange.orders
    .filter(
      (order) =>
        order.account === account &&
        (key.symbol === undefined || idOf(order.market) === key.symbol) &&
        (key.settleCoin === undefined || order.market.quote === key.settleCoin) &&
        (key.orderId === undefined || orderIdOf(order) === key.orderId) &&
        (key.orderLinkId === undefined || order.clientOrderId === key.orderLinkId),
    )
    .reverse();
}

const trading = 'V5Api/Trading';
const ORDER_FIELDS = ['result.list.createType'];

export const orderRoutes: readonly Route[] = [
  signedCall(
    { method: 'POST', path: 'order/create', capability: 'place', recording: `${trading}/PlaceOrder` },
    {
      params: orderRequest,
      answer: ({ exchange, account: each, params }) => {
        const order = placeOrder(exchange, each, params);
        return { orderId: orderIdOf(order), orderLinkId: order.clientOrderId };
      },
    },
  ),
  signedCall(
    { method: 'POST', path: 'order/cancel', capability: 'cancel', recording: `${trading}/CancelOrder` },
    {
      params: z.union([
        z.strictObject({ category, symbol, orderLinkId: z.string() }),
        z.strictObject({ category, symbol, orderId: z.string() }),
      ]),
      answer: ({ exchange, account: each, params }) => {
        const [order] = ordersBy(exchange, each, params).filter(isOpen);
        if (order === undefined) throw new Refusal('UNKNOWN_ORDER');
        exchange.cancel(order);
        return { orderId: orderIdOf(order), orderLinkId: order.clientOrderId };
      },
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: 'order/realtime',
      capability: 'open orders',
      recording: `${trading}/GetOrders`,
      documented: ORDER_FIELDS,
    },
    {
      params: orderKey,
      answer: ({ exchange, account: each, params }) => {
        const isNamed = params.orderId !== undefined || params.orderLinkId !== undefined;
        // Orders that have ended are returned by id, as long as they are among the last 500.
        const orders = ordersBy(exchange, each, params).filter((order) => isNamed || isOpen(order));
        const { nextPageCursor, items } = pageOf(orders, params);
        return { list: items.map(listedOrder), nextPageCursor, category: params.category };
      },
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: 'order/history',
      capability: 'find',
      recording: `${trading}/GetOrderHistory`,
      documented: ORDER_FIELDS,
    },
    {
      params: orderKey,
      answer: ({ exchange, account: each, params }) => {
        const orders = ordersBy(exchange, each, params).filter((order) => !isOpen(order));
        const { nextPageCursor, items } = pageOf(orders, params);
        return { list: items.map(listedOrder), nextPageCursor, category: params.category };
      },
    },
  ),
  signedCall(
    { method: 'GET', path: 'execution/list', capability: 'fills', recording: `${trading}/GetUserTrades` },
    {
      params: z.strictObject({ category, symbol, orderId: z.string().optional(), ...range, ...page }),
      answer: ({ exchange, account: each, params }) => {
        checkRange(params);
        const fills = exchange.fills.filter(
          ({ order, at }) =>
            order.account === each &&
            idOf(order.market) === params.symbol &&
            (params.orderId === undefined || orderIdOf(order) === params.orderId) &&
            isWithin(at, params),
        );
        const { nextPageCursor, items } = pageOf([...fills].reverse(), params);
        return { nextPageCursor, category: params.category, list: items.map(listedFill) };
      },
    },
  ),
];
