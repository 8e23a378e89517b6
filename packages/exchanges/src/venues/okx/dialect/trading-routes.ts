/** OKX's calls for orders and fills: https://www.okx.com/docs-v5/en/#order-book-trading-trade */
import { z } from 'zod';
import type { Route } from '../../../../conformance/scripted/dialect.js';
import { type Account, exact, type Order, Refusal } from '../../../../conformance/scripted/model.js';
import { isOpen, type ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';
import { integer, page, pageOf, signedCall } from './signed-call.js';
import {
  amountOf,
  billIdOf,
  foundOrder,
  idOf,
  listedFill,
  marketOf,
  modeOf,
  orderIdOf,
  pendingOrder,
  productOf,
} from './views.js';

const trading = 'UnifiedApi/Trading';
const product = z.enum(['SPOT', 'MARGIN', 'SWAP']);
const clientOrderId = z.string().regex(/^[A-Za-z0-9]{1,32}$/);

const orderRequest = z
  .strictObject({
    instId: z.string(),
    tdMode: z.enum(['cash', 'cross']),
    clOrdId: clientOrderId,
    side: z.enum(['buy', 'sell']),
    ordType: z.enum(['limit', 'market', 'post_only', 'fok', 'ioc']),
    sz: z.string(),
    px: z.string().optional(),
    tgtCcy: z.literal('base_ccy').optional(),
    reduceOnly: z.boolean().optional(),
  })
  .refine(({ ordType, px }) => (ordType === 'market') === (px === undefined));
const TIMES_IN_FORCE = {
  limit: 'GTC',
  market: 'GTC',
  post_only: 'POST_ONLY',
  fok: 'FOK',
  ioc: 'IOC',
} as const;

function placeOrder(exchange: ScriptedExchange, each: Account, params: z.output<typeof orderRequest>): Order {
  const market = marketOf(exchange, params.instId);
  const isSpot = market.kind === 'SPOT';
  const isMarket = params.ordType === 'market';
  // Spot and futures mode trade spot without margin. Multi-currency margin mode refuses that.
  const mode = isSpot && modeOf(each) !== '3' ? 'cash' : 'cross';
  if (params.tdMode !== mode || (isMarket && isSpot) !== (params.tgtCcy !== undefined))
    throw new Refusal('BAD_PARAMETER');
  if (each.isHedged && !isSpot) throw new Refusal('POSITION_MODE');
  return exchange.place(each, {
    market,
    clientOrderId: params.clOrdId,
    side: params.side === 'buy' ? 'BUY' : 'SELL',
    type: isMarket ? 'MARKET' : 'LIMIT',
    timeInForce: TIMES_IN_FORCE[params.ordType],
    amount: amountOf(market, params.sz),
    price: params.px === undefined ? undefined : exact(params.px),
    reduceOnly: params.reduceOnly,
    // The account lends and repays by its own setting.
    margin: isSpot ? { borrows: mode === 'cross', repays: mode === 'cross' } : undefined,
  });
}

function acknowledge(exchange: ScriptedExchange, order: Order) {
  const time = `${exchange.now()}339`;
  const ids = { clOrdId: order.clientOrderId, ordId: orderIdOf(order) };
  return {
    data: [{ ...ids, ts: String(exchange.now()), sCode: '0', sMsg: '' }],
    inTime: time,
    outTime: time,
  };
}

const orderKey = z.strictObject({
  instId: z.string(),
  ordId: z.string().optional(),
  clOrdId: z.string().optional(),
});

/** Returns the newest order with these ids. */
function orderBy(
  exchange: ScriptedExchange,
  each: Account,
  { instId, ordId, clOrdId }: z.output<typeof orderKey>,
): Order {
  const order = exchange.orders.findLast(
    (candidate) =>
      candidate.account === each &&
      idOf(candidate.market) === instId &&
      (ordId === undefined || orderIdOf(candidate) === ordId) &&
      (clOrdId === undefined || candidate.clientOrderId === clOrdId),
  );
  if (order === undefined) throw new Refusal('UNKNOWN_ORDER');
  return order;
}

const fillsOf = (exchange: ScriptedExchange, order: Order) =>
  exchange.fills.filter((fill) => fill.order === order);

const fillList = (path: string, recording: string, section: string): Route =>
  signedCall(
    { method: 'GET', path, capability: 'fills', recording: `${trading}/${recording}`, section },
    {
      params: z.strictObject({
        instType: product,
        instId: z.string(),
        ordId: z.string().optional(),
        begin: integer.optional(),
        ...page,
      }),
      answer: ({ exchange, account: each, params }) => {
        const fills = exchange.fills.filter(
          ({ order, at }) =>
            order.account === each &&
            productOf(order.market) === params.instType &&
            idOf(order.market) === params.instId &&
            (params.ordId === undefined || orderIdOf(order) === params.ordId) &&
            at >= (params.begin ?? 0),
        );
        return pageOf([...fills].reverse(), ({ number }) => billIdOf(number), params).map(listedFill);
      },
    },
  );

export const tradingRoutes: readonly Route[] = [
  signedCall(
    {
      method: 'POST',
      path: 'trade/order',
      capability: 'place',
      recording: `${trading}/PlaceOrder`,
      section: 'order-book-trading-trade-post-place-order',
    },
    {
      params: orderRequest,
      answer: ({ exchange, account: each, params }) => {
        const { data, ...times } = acknowledge(exchange, placeOrder(exchange, each, params));
        return { data: data.map((result) => ({ ...result, tag: '' })), ...times };
      },
    },
  ),
  signedCall(
    {
      method: 'POST',
      path: 'trade/cancel-order',
      capability: 'cancel',
      recording: `${trading}/CancelOrder`,
      section: 'order-book-trading-trade-post-cancel-order',
    },
    {
      params: z.union([
        z.strictObject({ instId: z.string(), clOrdId: z.string() }),
        z.strictObject({ instId: z.string(), ordId: z.string() }),
      ]),
      answer: ({ exchange, account: each, params }) => {
        const order = orderBy(exchange, each, params);
        exchange.cancel(order);
        return acknowledge(exchange, order);
      },
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: 'trade/order',
      capability: 'find',
      recording: `${trading}/GetOrderDetails`,
      section: 'order-book-trading-trade-get-order-details',
    },
    {
      params: orderKey,
      answer: ({ exchange, account: each, params }) => {
        const order = orderBy(exchange, each, params);
        return [foundOrder(order, fillsOf(exchange, order))];
      },
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: 'trade/orders-pending',
      capability: 'open orders',
      recording: `${trading}/GetOrders`,
      section: 'order-book-trading-trade-get-order-list',
    },
    {
      params: z.strictObject({ instType: product, instId: z.string().optional(), ...page }),
      answer: ({ exchange, account: each, params }) => {
        const open = exchange
          .openOrdersOf(each)
          .filter(
            ({ market }) =>
              productOf(market) === params.instType && idOf(market) === (params.instId ?? idOf(market)),
          );
        const orders = pageOf([...open].filter(isOpen).reverse(), orderIdOf, params);
        return orders.map((order) => pendingOrder(order, fillsOf(exchange, order)));
      },
    },
  ),
  fillList('trade/fills', 'GetUserTrades', 'order-book-trading-trade-get-transaction-details-last-3-days'),
  fillList(
    'trade/fills-history',
    'GetUserTradesArchive',
    'order-book-trading-trade-get-transaction-details-last-3-months',
  ),
];
