/** HTX's signed calls: https://huobiapi.github.io/docs/spot/v1/en/#trading */
import { z } from 'zod';
import { type Route, route } from '../../../../conformance/scripted/dialect.js';
import { type Account, exact, type Order, Refusal } from '../../../../conformance/scripted/model.js';
import { isOpen, type ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';
import { marketOf } from './public-routes.js';
import {
  accountIdOf,
  balanceViews,
  docs,
  fillView,
  idOf,
  openOrderView,
  orderIdOf,
  orderView,
  recordIdOf,
  stateOf,
  userIdOf,
} from './views.js';

const trading = 'Spot/Trading';
const accounts = 'Spot/Account';
const HOURS_MS = 3_600_000;
const RANGE_MAX_MS = 48 * HOURS_MS;

const integer = z.coerce.number().int();
/** A page begins with the record that it names. */
const page = { from: integer.optional(), direct: z.literal('next').optional() };
const time = { 'start-time': integer, 'end-time': integer.optional() };
const none = z.strictObject({});
const clientOrderId = z.string().regex(/^[\w-]{1,64}$/);

/** A signed call. Without a recording, its answer follows the documentation. */
const call = <P extends z.ZodType>(
  declared: Pick<Route, 'path' | 'capability'> & {
    readonly method?: 'POST';
    readonly recording?: string;
    readonly anchor: string;
    readonly params: P;
    answer: Parameters<typeof route<P>>[0]['answer'];
  },
): Route => {
  const { recording, anchor, method = 'GET', ...rest } = declared;
  const address = { page: docs(anchor) };
  const source = recording === undefined ? address : { recordings: [recording], ...address };
  return route({ method, tradingTypes: ['spot'], isSigned: true, source, ...rest });
};

const ok = (data: unknown) => ({ status: 'ok', data });

const ordersOf = (exchange: ScriptedExchange, owner: Account): readonly Order[] =>
  exchange.orders.filter((order) => order.account === owner).reverse();

function orderOf(exchange: ScriptedExchange, owner: Account, matches: (order: Order) => boolean): Order {
  const order = ordersOf(exchange, owner).find(matches);
  if (order === undefined) throw new Refusal('UNKNOWN_ORDER');
  return order;
}

const hasOrderId = (id: string | undefined) => (order: Order) => String(orderIdOf(order)) === id;

function pageOf<T>(
  items: readonly T[],
  idOfItem: (item: T) => number,
  from = Number.POSITIVE_INFINITY,
  size = 100,
) {
  return items.filter((item) => idOfItem(item) <= from).slice(0, size);
}

interface Range {
  readonly 'start-time': number;
  readonly 'end-time'?: number | undefined;
}

function isWithin(atMs: number, { 'start-time': start, 'end-time': end = Date.now() }: Range): boolean {
  if (end < start || end - start > RANGE_MAX_MS) throw new Refusal('BAD_PARAMETER');
  return atMs >= start && atMs <= end;
}

const KINDS = {
  market: ['MARKET', 'IOC'],
  limit: ['LIMIT', 'GTC'],
  ioc: ['LIMIT', 'IOC'],
  'limit-fok': ['LIMIT', 'FOK'],
  'limit-maker': ['LIMIT', 'POST_ONLY'],
} as const;
/** Market purchases name what they may cost, so that the amount that they buy is not known. They are not offered. */
const TYPES = Object.keys(KINDS).flatMap((kind) =>
  kind === 'market' ? ['sell-market'] : [`buy-${kind}`, `sell-${kind}`],
);

const orderRequest = z.strictObject({
  'account-id': z.string(),
  symbol: z.string(),
  type: z.enum(TYPES),
  amount: z.string(),
  price: z.string().optional(),
  source: z.literal('spot-api'),
  'client-order-id': clientOrderId,
});

function placeOrder(
  exchange: ScriptedExchange,
  owner: Account,
  params: z.output<typeof orderRequest>,
): Order {
  const { price } = params;
  if (params['account-id'] !== String(accountIdOf(owner))) throw new Refusal('BAD_PARAMETER');
  const side = params.type.startsWith('buy-') ? 'BUY' : 'SELL';
  const [type, timeInForce] = KINDS[params.type.replace(/^(?:buy|sell)-/, '') as keyof typeof KINDS];
  if ((type === 'LIMIT') !== (price !== undefined)) throw new Refusal('BAD_PARAMETER');
  return exchange.place(owner, {
    market: marketOf(exchange, params.symbol),
    clientOrderId: params['client-order-id'],
    side,
    type,
    timeInForce,
    amount: exact(params.amount),
    price: price === undefined ? undefined : exact(price),
  });
}

/** The states of a cancellation that took no effect. */
const CANCELLATION_STATES: Readonly<Record<string, number>> = {
  'partial-canceled': 5,
  filled: 6,
  canceled: 7,
};

const orderRoutes: readonly Route[] = [
  call({
    method: 'POST',
    path: '/v1/order/orders/place',
    capability: 'place',
    recording: `${trading}/PlaceOrder`,
    anchor: 'place-a-new-order',
    params: orderRequest,
    answer: ({ exchange, account: owner, params }) =>
      ok(String(orderIdOf(placeOrder(exchange, owner, params)))),
  }),
  call({
    method: 'POST',
    path: '/v1/order/orders/submitCancelClientOrder',
    capability: 'cancel',
    recording: `${trading}/CancelOrderByClientOrderId`,
    anchor: 'submit-cancel-for-an-order-based-on-client-order-id',
    params: z.strictObject({ 'client-order-id': clientOrderId }),
    answer: ({ exchange, account: owner, params }) => {
      const id = params['client-order-id'];
      const order = ordersOf(exchange, owner).find((each) => each.clientOrderId === id);
      if (order === undefined) return ok(0);
      if (!isOpen(order)) return ok(CANCELLATION_STATES[stateOf(order)]);
      exchange.cancel(order);
      return ok(10);
    },
  }),
  call({
    method: 'POST',
    path: '/v1/order/orders/:id/submitcancel',
    capability: 'cancel',
    anchor: 'submit-cancel-for-an-order',
    params: none,
    answer: ({ exchange, account: owner, path: { id } }) => {
      exchange.cancel(orderOf(exchange, owner, hasOrderId(id)));
      return ok(id);
    },
  }),
  call({
    path: '/v1/order/orders/getClientOrder',
    capability: 'find',
    recording: `${trading}/GetOrderByClientOrderId`,
    anchor: 'get-the-order-detail-of-an-order-based-on-client-order-id',
    params: z.strictObject({ clientOrderId }),
    answer: ({ exchange, account: owner, params }) => {
      const hasId = (order: Order) => order.clientOrderId === params.clientOrderId;
      return ok(orderView(exchange, orderOf(exchange, owner, hasId)));
    },
  }),
  call({
    path: '/v1/order/openOrders',
    capability: 'open orders',
    recording: `${trading}/GetOpenOrders`,
    anchor: 'get-all-open-orders',
    params: z.strictObject({
      'account-id': z.string(),
      // The page requires it. Client libraries omit it to list the orders of all symbols, and no recording has it.
      symbol: z.string().optional(),
      size: integer.min(1).max(500),
      ...page,
    }),
    answer: ({ exchange, account: owner, params }) => {
      if (params['account-id'] !== String(accountIdOf(owner))) throw new Refusal('BAD_PARAMETER');
      const { symbol, from, size } = params;
      const open = ordersOf(exchange, owner).filter(
        (order) => isOpen(order) && (symbol === undefined || idOf(order.market) === symbol),
      );
      return ok(pageOf(open, orderIdOf, from, size).map((order) => openOrderView(exchange, order)));
    },
  }),
  call({
    path: '/v1/order/orders',
    capability: 'find',
    recording: `${trading}/GetClosedOrders`,
    anchor: 'search-past-orders',
    params: z.strictObject({
      symbol: z.string(),
      states: z.literal('filled,partial-canceled,canceled'),
      size: integer.min(1).max(100),
      ...time,
      ...page,
    }),
    answer: ({ exchange, account: owner, params }) => {
      const ended = ordersOf(exchange, owner).filter(
        (order) =>
          !isOpen(order) && idOf(order.market) === params.symbol && isWithin(order.createdAt, params),
      );
      return ok(
        pageOf(ended, orderIdOf, params.from, params.size).map((order) => orderView(exchange, order)),
      );
    },
  }),
  call({
    path: '/v1/order/matchresults',
    capability: 'fills',
    recording: `${trading}/GetUserTrades`,
    anchor: 'search-match-results',
    params: z.strictObject({ symbol: z.string(), size: integer.min(1).max(500), ...time, ...page }),
    answer: ({ exchange, account: owner, params }) => {
      const fills = exchange.fills.filter(
        ({ order, at }) =>
          order.account === owner && idOf(order.market) === params.symbol && isWithin(at, params),
      );
      return ok(pageOf([...fills].reverse(), recordIdOf, params.from, params.size).map(fillView));
    },
  }),
  call({
    path: '/v1/order/orders/:id/matchresults',
    capability: 'fills',
    recording: `${trading}/GetOrderTrades`,
    anchor: 'get-the-match-result-of-an-order',
    params: none,
    answer: ({ exchange, account: owner, path }) => {
      const order = orderOf(exchange, owner, hasOrderId(path.id));
      return ok(
        exchange.fills
          .filter((fill) => fill.order === order)
          .reverse()
          .map(fillView),
      );
    },
  }),
  call({
    path: '/v1/order/orders/:id',
    capability: 'find',
    recording: `${trading}/GetOrder`,
    anchor: 'get-the-order-detail-of-an-order',
    params: none,
    answer: ({ exchange, account: owner, path }) =>
      ok(orderView(exchange, orderOf(exchange, owner, hasOrderId(path.id)))),
  }),
];

const accountRoutes: readonly Route[] = [
  call({
    path: '/v1/account/accounts',
    capability: 'balances',
    recording: `${accounts}/GetAccounts`,
    anchor: 'get-all-accounts-of-the-current-user',
    params: none,
    answer: ({ account: owner }) => {
      const others = ['otc', 'point'].map((type, i) => ({
        id: 1_000 * accountIdOf(owner) + i,
        type,
        subtype: '',
        state: 'working',
      }));
      return ok([...others, { id: accountIdOf(owner), type: 'spot', subtype: '', state: 'working' }]);
    },
  }),
  call({
    path: '/v1/account/accounts/:id/balance',
    capability: 'balances',
    recording: `${accounts}/GetBalances`,
    anchor: 'get-account-balance-of-a-specific-account',
    params: none,
    answer: ({ account: owner, path }) => {
      if (path.id !== String(accountIdOf(owner))) throw new Refusal('BAD_PARAMETER');
      return ok({ id: accountIdOf(owner), type: 'spot', state: 'working', list: balanceViews(owner) });
    },
  }),
  call({
    path: '/v2/user/uid',
    capability: 'credentials',
    recording: `${accounts}/GetUserId`,
    anchor: 'get-uid',
    params: none,
    answer: ({ account: owner }) => ({ code: 200, data: userIdOf(owner) }),
  }),
  call({
    path: '/v2/user/api-key',
    capability: 'credentials',
    recording: `${accounts}/GetApiKeyInfo`,
    anchor: 'api-key-query',
    params: z.strictObject({ uid: z.string(), accessKey: z.string() }),
    answer: ({ account: owner, params }) => {
      const isOwn = params.uid === String(userIdOf(owner)) && params.accessKey === owner.apiKey;
      if (!isOwn) throw new Refusal('BAD_PARAMETER');
      const rights = [
        'readOnly',
        ...(owner.canTrade ? ['trade'] : []),
        ...(owner.canWithdraw ? ['withdraw'] : []),
      ];
      const key = {
        accessKey: owner.apiKey,
        status: 'normal',
        note: 'bots',
        permission: rights.join(','),
        ipAddresses: '',
        validDays: -1,
        createTime: 1_615_192_704_000,
        updateTime: 1_623_030_338_000,
      };
      return { code: 200, message: 'success', data: [key], ok: true };
    },
  }),
];

export const signedRoutes: readonly Route[] = [...orderRoutes, ...accountRoutes];
