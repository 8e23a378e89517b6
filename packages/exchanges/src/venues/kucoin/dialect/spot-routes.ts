/** KuCoin's calls of spot and of cross margin: https://www.kucoin.com/docs-new/rest/spot-trading/introduction */
import { z } from 'zod';
import type { Route } from '../../../../conformance/scripted/dialect.js';
import { type Account, exact, type Order, Refusal } from '../../../../conformance/scripted/model.js';
import { isOpen, type ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';
import { call, clientOid, docs, integer, isWithin, marketOf, pageOf } from './params.js';
import { fillView, idOf, marginAccount, orderIdOf, orderView, spotAccounts } from './spot-views.js';

const common = {
  clientOid,
  symbol: z.string(),
  side: z.enum(['buy', 'sell']),
  size: z.string(),
};
const limit = {
  type: z.literal('limit'),
  price: z.string(),
  timeInForce: z.enum(['GTC', 'IOC', 'FOK']),
  postOnly: z.boolean(),
};
const market = { type: z.literal('market') };
const loan = { isIsolated: z.literal(false), autoBorrow: z.boolean(), autoRepay: z.boolean() };
const spotOrder = z.discriminatedUnion('type', [
  z.strictObject({ ...common, ...limit }),
  z.strictObject({ ...common, ...market }),
]);
const marginOrder = z.discriminatedUnion('type', [
  z.strictObject({ ...common, ...limit, ...loan }),
  z.strictObject({ ...common, ...market, ...loan }),
]);

function placeOrder(
  exchange: ScriptedExchange,
  owner: Account,
  params: z.output<typeof spotOrder>,
  margin?: Order['margin'],
): Order {
  const isLimit = params.type === 'limit';
  if (isLimit && params.postOnly && params.timeInForce !== 'GTC') throw new Refusal('BAD_PARAMETER');
  return exchange.place(owner, {
    market: marketOf(exchange, idOf, params.symbol),
    clientOrderId: params.clientOid,
    side: params.side === 'buy' ? 'BUY' : 'SELL',
    type: isLimit ? 'LIMIT' : 'MARKET',
    timeInForce: isLimit ? (params.postOnly ? 'POST_ONLY' : params.timeInForce) : 'GTC',
    amount: exact(params.size),
    price: isLimit ? exact(params.price) : undefined,
    margin,
  });
}

function ordersOf(exchange: ScriptedExchange, owner: Account, symbol: string): readonly Order[] {
  const pair = marketOf(exchange, idOf, symbol);
  return exchange.orders.filter((order) => order.account === owner && order.market === pair);
}

function orderBy(
  exchange: ScriptedExchange,
  owner: Account,
  symbol: string,
  isRequested: (order: Order) => boolean,
): Order {
  const order = ordersOf(exchange, owner, symbol).findLast(isRequested);
  if (order === undefined) throw new Refusal('UNKNOWN_ORDER');
  return order;
}

interface System {
  readonly type: 'spot' | 'margin';
  /** The beginning of the paths, with the version. */
  readonly root: string;
  readonly names: {
    readonly cancel: string;
    readonly byClientId: string;
    readonly byId: string;
    readonly open: string;
    readonly fills: string;
  };
  readonly page: string;
  readonly cancelByIdPage: string;
  /** What lists name besides the pair. */
  readonly filter: z.ZodRawShape;
}

/** The routes that both systems have. */
const orderRoutes = ({ type, root, names, page, cancelByIdPage, filter }: System): readonly Route[] => {
  const declared = (name: string) => ({
    tradingTypes: [type],
    source: { recordings: [name], page: docs(page) },
  });
  return [
    call(
      {
        method: 'DELETE',
        path: `${root}/orders/client-order/:clientOid`,
        capability: 'cancel',
        ...declared(names.cancel),
      },
      {
        params: z.strictObject({ symbol: z.string() }),
        answer: ({ exchange, account, params, path }) => {
          const isRequested = (order: Order) => order.clientOrderId === path.clientOid && isOpen(order);
          exchange.cancel(orderBy(exchange, account, params.symbol, isRequested));
          return { clientOid: path.clientOid };
        },
      },
    ),
    call(
      {
        method: 'DELETE',
        path: `${root}/orders/:id`,
        capability: 'cancel',
        tradingTypes: [type],
        source: { page: docs(cancelByIdPage) },
      },
      {
        params: z.strictObject({ symbol: z.string() }),
        answer: ({ exchange, account, params, path: { id = '' } }) => {
          const isRequested = (order: Order) => orderIdOf(order) === id && isOpen(order);
          exchange.cancel(orderBy(exchange, account, params.symbol, isRequested));
          return { orderId: id };
        },
      },
    ),
    call(
      {
        method: 'GET',
        path: `${root}/orders/client-order/:clientOid`,
        capability: 'find',
        ...declared(names.byClientId),
      },
      {
        params: z.strictObject({ symbol: z.string() }),
        answer: ({ exchange, account, params, path }) => {
          const isRequested = (order: Order) => order.clientOrderId === path.clientOid;
          return orderView(orderBy(exchange, account, params.symbol, isRequested));
        },
      },
    ),
    call(
      { method: 'GET', path: `${root}/orders/active`, capability: 'open orders', ...declared(names.open) },
      {
        params: z.strictObject({ symbol: z.string(), ...filter }),
        answer: ({ exchange, account, params }) =>
          ordersOf(exchange, account, String(params.symbol)).filter(isOpen).map(orderView).reverse(),
      },
    ),
    call(
      { method: 'GET', path: `${root}/orders/:id`, capability: 'find', ...declared(names.byId) },
      {
        params: z.strictObject({ symbol: z.string() }),
        answer: ({ exchange, account, params, path }) =>
          orderView(orderBy(exchange, account, params.symbol, (order) => orderIdOf(order) === path.id)),
      },
    ),
    call(
      { method: 'GET', path: `${root}/fills`, capability: 'fills', ...declared(names.fills) },
      {
        params: z.strictObject({
          symbol: z.string(),
          ...filter,
          limit: integer.max(100),
          lastId: integer.optional(),
          orderId: z.string().optional(),
          startAt: integer.optional(),
          endAt: integer.optional(),
        }),
        answer: ({ exchange, account, params }) => {
          const { orderId, lastId = Number.POSITIVE_INFINITY } = params as {
            orderId?: string;
            lastId?: number;
          };
          const pair = marketOf(exchange, idOf, String(params.symbol));
          const fills = exchange.fills
            .filter(
              ({ order, at }) =>
                order.account === account &&
                order.market === pair &&
                (orderId === undefined ? isWithin(at, params) : orderIdOf(order) === orderId),
            )
            .map(fillView)
            .filter(({ id }) => id < lastId)
            .reverse();
          const items = fills.slice(0, Number(params.limit));
          return { items, lastId: items.at(-1)?.id ?? 0 };
        },
      },
    ),
  ];
};

const symbolsOf = (exchange: ScriptedExchange, owner: Account): readonly string[] => [
  ...new Set(exchange.openOrdersOf(owner).map((order) => idOf(order.market))),
];

const SPOT_PAGE = 'spot-trading/orders/introduction';
const MARGIN_PAGE = 'margin-trading/orders/introduction';
const CROSS = { tradeType: z.literal('MARGIN_TRADE') };

const spotSystem = orderRoutes({
  type: 'spot',
  root: 'v1/hf',
  names: {
    cancel: 'Spot/HfTrading/CancelOrderByClientOrderId',
    byClientId: 'Spot/HfTrading/GetOrderByClientOrderId',
    byId: 'Spot/HfTrading/GetOrder',
    open: 'Spot/HfTrading/GetOpenOrders',
    fills: 'Spot/HfTrading/GetUserTrades',
  },
  page: SPOT_PAGE,
  cancelByIdPage: 'spot-trading/orders/cancel-order-by-orderld',
  filter: {},
});
const marginSystem = orderRoutes({
  type: 'margin',
  root: 'v3/hf/margin',
  names: {
    cancel: 'Spot/HfTrading/CancelMarginOrderByClientOrderId',
    byClientId: 'Spot/HfTrading/GetMarginOrderByClientOrderId',
    byId: 'Spot/HfTrading/GetMarginOrder',
    open: 'Spot/HfTrading/GetOpenMarginOrders',
    fills: 'Spot/HfTrading/GetMarginUserTrades',
  },
  page: MARGIN_PAGE,
  cancelByIdPage: 'margin-trading/orders/cancel-order-by-orderld',
  filter: CROSS,
});

export const spotRoutes: readonly Route[] = [
  call(
    {
      method: 'GET',
      path: 'v1/hf/orders/active/symbols',
      capability: 'open orders',
      tradingTypes: ['spot'],
      source: {
        recordings: ['Spot/HfTrading/GetSymbolsWithOpenOrders'],
        // The recording has fields that other answers lack.
        documented: ['success', 'msg', 'retry'],
        page: docs(SPOT_PAGE),
      },
    },
    {
      params: z.strictObject({}),
      answer: ({ exchange, account }) => ({ symbols: symbolsOf(exchange, account) }),
    },
  ),
  call(
    {
      method: 'GET',
      path: 'v3/hf/margin/order/active/symbols',
      capability: 'open orders',
      tradingTypes: ['margin'],
      source: {
        recordings: ['Spot/HfTrading/GetMarginSymbolsWithOpenOrders'],
        page: docs(MARGIN_PAGE),
      },
    },
    {
      params: z.strictObject(CROSS),
      answer: ({ exchange, account }) => {
        const symbols = symbolsOf(exchange, account);
        return { symbolSize: symbols.length, symbols };
      },
    },
  ),
  call(
    {
      method: 'POST',
      path: 'v1/hf/orders',
      capability: 'place',
      tradingTypes: ['spot'],
      source: { recordings: ['Spot/HfTrading/PlaceOrder'], page: docs(SPOT_PAGE) },
    },
    {
      params: spotOrder,
      answer: ({ exchange, account, params }) => ({
        orderId: orderIdOf(placeOrder(exchange, account, params)),
      }),
    },
  ),
  call(
    {
      method: 'POST',
      path: 'v3/hf/margin/order',
      capability: 'place',
      tradingTypes: ['margin'],
      source: {
        recordings: ['Spot/HfTrading/PlaceMarginOrder'],
        documented: ['success'],
        page: docs(MARGIN_PAGE),
      },
    },
    {
      params: marginOrder,
      answer: ({ exchange, account, params }) => {
        const { isIsolated: _, autoBorrow: borrows, autoRepay: repays, ...order } = params;
        const placed = placeOrder(exchange, account, order, { borrows, repays });
        return { orderId: orderIdOf(placed), borrowSize: 0, loanApplyId: null };
      },
    },
  ),
  ...spotSystem,
  ...marginSystem,
  call(
    {
      method: 'GET',
      path: 'v1/accounts',
      capability: 'balances',
      tradingTypes: ['spot'],
      source: {
        recordings: ['Spot/Account/GetAccounts'],
        page: docs('account-info/account-funding/get-account-list-spot'),
      },
    },
    {
      params: z.strictObject({ type: z.literal('trade') }),
      answer: ({ account }) => spotAccounts(account),
    },
  ),
  call(
    {
      method: 'GET',
      path: 'v3/margin/accounts',
      capability: 'balances',
      tradingTypes: ['margin'],
      source: {
        recordings: ['Spot/Account/GetCrossMarginAccounts'],
        page: docs('account-info/account-funding/get-account-cross-margin'),
      },
    },
    {
      params: z.strictObject({
        quoteCurrency: z.literal('USDT'),
        queryType: z.enum(['MARGIN', 'MARGIN_V2']),
      }),
      answer: ({ account }) => marginAccount(account),
    },
  ),
  call(
    {
      method: 'GET',
      path: 'v3/margin/interest',
      capability: 'loans',
      tradingTypes: ['margin'],
      source: {
        recordings: ['Spot/Margin/GetInterestHistory'],
        page: docs('margin-trading/debit/get-interest-history'),
      },
    },
    {
      params: z.strictObject({
        startTime: integer,
        isIsolated: z.literal('false'),
        currentPage: integer,
        pageSize: integer.min(10).max(500),
      }),
      answer: ({ exchange, account, params }) => {
        const charges = exchange.interests.filter(
          (charge) => charge.account === account && charge.at >= params.startTime,
        );
        const page = pageOf(charges, params);
        const items = page.items.map(({ asset, rate, amount, at }) => ({
          currency: asset,
          dayRatio: rate.toString(),
          interestAmount: amount.toString(),
          createdTime: at,
        }));
        return { ...page, items };
      },
    },
  ),
];
