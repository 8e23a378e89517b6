/** Bitget's calls for orders and fills: https://www.bitget.com/api-doc/uta/trade/Place-Order */
import { z } from 'zod';
import type { Route } from '../../../../conformance/scripted/dialect.js';
import { type Account, exact, type Order, Refusal } from '../../../../conformance/scripted/model.js';
import { isOpen, type ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';
import { category, docs, isRange, isWithin, page, pageOf, range, signedCall } from './call.js';
import {
  endedOrder,
  fillIdOf,
  foundOrder,
  idOf,
  listedFill,
  marketOf,
  openOrder,
  orderCategoryOf,
  orderIdOf,
} from './views.js';

const clientOid = z.string().regex(/^[.A-Z:/a-z0-9_-]{1,32}$/);
const orderRequest = z
  .strictObject({
    category,
    symbol: z.string(),
    side: z.enum(['buy', 'sell']),
    orderType: z.enum(['limit', 'market']),
    qty: z.string(),
    price: z.string().optional(),
    timeInForce: z.enum(['gtc', 'ioc', 'fok', 'post_only']).optional(),
    clientOid,
    marginMode: z.literal('crossed').optional(),
    reduceOnly: z.enum(['yes', 'no']).optional(),
  })
  .refine(({ orderType, price, timeInForce }) =>
    orderType === 'limit' ? price !== undefined && timeInForce !== undefined : price === undefined,
  );
const TIMES_IN_FORCE = { gtc: 'GTC', ioc: 'IOC', fok: 'FOK', post_only: 'POST_ONLY' } as const;

function placeOrder(exchange: ScriptedExchange, each: Account, params: z.output<typeof orderRequest>): Order {
  const borrows = params.category === 'MARGIN';
  const market = marketOf(exchange, borrows ? 'SPOT' : params.category, params.symbol);
  const isSpot = market.kind === 'SPOT';
  const isPurchase = params.orderType === 'market' && params.side === 'buy';
  // The margin mode belongs to contracts. A market purchase of spot would be counted in quote currency.
  if (isSpot !== (params.marginMode === undefined) || (isSpot && isPurchase))
    throw new Refusal('BAD_PARAMETER');
  if (each.isHedged && !isSpot) throw new Refusal('POSITION_MODE');
  return exchange.place(each, {
    market,
    clientOrderId: params.clientOid,
    side: params.side === 'buy' ? 'BUY' : 'SELL',
    type: params.orderType === 'limit' ? 'LIMIT' : 'MARKET',
    timeInForce: TIMES_IN_FORCE[params.timeInForce ?? 'gtc'],
    amount: exact(params.qty),
    price: params.price === undefined ? undefined : exact(params.price),
    reduceOnly: params.reduceOnly === 'yes',
    // Only orders of margin borrow. What the account receives always reduces its loan.
    margin: isSpot ? { borrows, repays: true } : undefined,
  });
}

interface Key {
  readonly orderId?: string | undefined;
  readonly clientOid?: string | undefined;
}

/** Returns the newest order with this id. */
function orderBy(exchange: ScriptedExchange, each: Account, key: Key): Order | undefined {
  return exchange.orders.findLast(
    (order) =>
      order.account === each &&
      (key.orderId === undefined ? order.clientOrderId === key.clientOid : orderIdOf(order) === key.orderId),
  );
}

const fillsOf = (exchange: ScriptedExchange, order: Order) =>
  exchange.fills.filter((fill) => fill.order === order);

export const tradingRoutes: readonly Route[] = [
  signedCall(
    {
      method: 'POST',
      path: 'v3/trade/place-order',
      capability: 'place',
      source: { recordings: ['Unified/Trading/PlaceOrder'], page: docs('trade/Place-Order') },
    },
    {
      params: orderRequest,
      answer: ({ exchange, account: each, params }) => {
        const order = placeOrder(exchange, each, params);
        return { clientOid: order.clientOrderId, orderId: orderIdOf(order) };
      },
    },
  ),
  signedCall(
    {
      method: 'POST',
      path: 'v3/trade/cancel-order',
      capability: 'cancel',
      source: { recordings: ['Unified/Trading/CancelOrder'], page: docs('trade/Cancel-Order') },
    },
    {
      params: z.union([z.strictObject({ clientOid: z.string() }), z.strictObject({ orderId: z.string() })]),
      answer: ({ exchange, account: each, params }) => {
        const order = orderBy(exchange, each, params);
        if (order === undefined) throw new Refusal('UNKNOWN_ORDER');
        exchange.cancel(order);
        return { clientOid: order.clientOrderId, orderId: orderIdOf(order) };
      },
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: 'v3/trade/order-info',
      capability: 'find',
      source: { recordings: ['Unified/Trading/GetOrder'], page: docs('trade/Get-Order-Details') },
    },
    {
      params: z.strictObject({ orderId: z.string().optional(), clientOid: z.string().optional() }),
      answer: ({ exchange, account: each, params }) => {
        const order = orderBy(exchange, each, params);
        if (order === undefined) throw new Refusal('UNKNOWN_ORDER');
        return foundOrder(order, fillsOf(exchange, order));
      },
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: 'v3/trade/unfilled-orders',
      capability: 'open orders',
      source: { recordings: ['Unified/Trading/GetOpenOrders'], page: docs('trade/Get-Order-Pending') },
    },
    {
      params: z.strictObject({ category, symbol: z.string().optional(), ...page }),
      answer: ({ exchange, account: each, params }) => {
        const open = exchange
          .openOrdersOf(each)
          .filter((order) => orderCategoryOf(order) === params.category)
          .filter(({ market }) => idOf(market) === (params.symbol ?? idOf(market)));
        const { items, cursor } = pageOf([...open].reverse(), orderIdOf, params);
        return { list: items.map((order) => openOrder(order, fillsOf(exchange, order))), cursor };
      },
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: 'v3/trade/history-orders',
      capability: 'find',
      source: { recordings: ['Unified/Trading/GetClosedOrders'], page: docs('trade/Get-Order-History') },
    },
    {
      params: z.strictObject({ category, symbol: z.string(), ...range, ...page }).refine(isRange),
      answer: ({ exchange, account: each, params }) => {
        const ended = exchange.orders.filter(
          (order) =>
            order.account === each &&
            !isOpen(order) &&
            orderCategoryOf(order) === params.category &&
            idOf(order.market) === params.symbol &&
            isWithin(order.createdAt, params),
        );
        const { items, cursor } = pageOf([...ended].reverse(), orderIdOf, params);
        return { list: items.map((order) => endedOrder(order, fillsOf(exchange, order))), cursor };
      },
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: 'v3/trade/fills',
      capability: 'fills',
      source: { recordings: ['Unified/Trading/GetUserTrades'], page: docs('trade/Get-Order-Fills') },
    },
    {
      params: z.strictObject({ category, orderId: z.string().optional(), ...range, ...page }).refine(isRange),
      answer: ({ exchange, account: each, params }) => {
        const fills = exchange.fills.filter(
          ({ order, at }) =>
            order.account === each &&
            orderCategoryOf(order) === params.category &&
            (params.orderId === undefined || orderIdOf(order) === params.orderId) &&
            isWithin(at, params),
        );
        const { items, cursor } = pageOf([...fills].reverse(), fillIdOf, params);
        return { list: items.map(listedFill), cursor };
      },
    },
  ),
];
