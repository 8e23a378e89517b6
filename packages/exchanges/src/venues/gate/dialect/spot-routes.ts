/** Gate's calls of spot accounts and of all accounts: https://www.gate.com/docs/developers/apiv4/en/#spot */
import { z } from 'zod';
import type { Route } from '../../../../conformance/scripted/dialect.js';
import {
  type Account,
  exact,
  type Order,
  Refusal,
  type ScriptedMarket,
} from '../../../../conformance/scripted/model.js';
import { isOpen, type ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';
import { byPage, integer, isWithin, marketOf, orderText, pageOf, range } from './params.js';
import { signedCall } from './signed-call.js';
import {
  calledOrder,
  idOf,
  listedFill,
  openOrder,
  orderIdOf,
  spotBalances,
  unifiedAccount,
  userIdOf,
} from './spot-views.js';

const trading = 'Spot/Trading';
const account = 'Spot/Account';
const pair = z.string();

const orderKey = (kind: 'spot' | 'unified') =>
  z.strictObject({ currency_pair: pair, account: z.literal(kind) });

/**
 * Returns an order by its id or by its `text`.
 * @param byText which orders the exchange finds by their `text`
 */
function orderOf(
  exchange: ScriptedExchange,
  { owner, market, id }: { readonly owner: Account; readonly market: ScriptedMarket; readonly id: string },
  byText: (order: Order) => boolean,
): Order {
  const order = exchange.orders.findLast(
    (each) =>
      each.account === owner &&
      each.market === market &&
      (orderIdOf(each) === id || (each.clientOrderId === id && byText(each))),
  );
  if (order === undefined) throw new Refusal('UNKNOWN_ORDER');
  return order;
}

const newOrder = (kind: 'spot' | 'unified') => {
  const common = {
    text: orderText,
    currency_pair: pair,
    account: z.literal(kind),
    amount: z.string(),
    ...(kind === 'unified' ? { auto_borrow: z.boolean(), auto_repay: z.boolean() } : {}),
  };
  return z.discriminatedUnion('type', [
    z.strictObject({
      ...common,
      type: z.literal('limit'),
      side: z.enum(['buy', 'sell']),
      price: z.string(),
      time_in_force: z.enum(['gtc', 'ioc', 'fok', 'poc']),
    }),
    // A market purchase would be counted in quote currency.
    z.strictObject({
      ...common,
      type: z.literal('market'),
      side: z.literal('sell'),
      time_in_force: z.enum(['ioc', 'fok']),
    }),
  ]);
};

const TIMES_IN_FORCE = { gtc: 'GTC', ioc: 'IOC', fok: 'FOK', poc: 'POST_ONLY' } as const;
const loanTerms = z.object({ auto_borrow: z.boolean(), auto_repay: z.boolean() });

function placeOrder(
  exchange: ScriptedExchange,
  owner: Account,
  params: z.output<ReturnType<typeof newOrder>>,
): Order {
  const terms = loanTerms.safeParse(params).data;
  return exchange.place(owner, {
    market: marketOf(exchange, params.currency_pair),
    clientOrderId: params.text,
    side: params.side === 'buy' ? 'BUY' : 'SELL',
    type: params.type === 'limit' ? 'LIMIT' : 'MARKET',
    timeInForce: TIMES_IN_FORCE[params.time_in_force],
    amount: exact(params.amount),
    price: params.type === 'limit' ? exact(params.price) : undefined,
    margin: terms && { borrows: terms.auto_borrow, repays: terms.auto_repay },
  });
}

const ordersOf = (exchange: ScriptedExchange, owner: Account): readonly Order[] =>
  exchange.orders.filter((order) => order.account === owner);

/** The routes of orders, which name the account whose balance they use. */
function orderRoutes(kind: 'spot' | 'unified'): readonly Route[] {
  const tradingTypes = [kind === 'spot' ? 'spot' : 'margin'] as const;
  return [
    signedCall(
      {
        method: 'POST',
        path: 'spot/orders',
        capability: 'place',
        recordings: [`${trading}/PlaceOrder`],
        page: 'create-an-order',
        tradingTypes,
      },
      {
        params: newOrder(kind),
        answer: ({ exchange, account: owner, params }) => calledOrder(placeOrder(exchange, owner, params)),
      },
    ),
    signedCall(
      {
        method: 'GET',
        path: 'spot/orders/:id',
        capability: 'find',
        recordings: [`${trading}/GetOrder`],
        page: 'query-single-order-details',
        tradingTypes,
      },
      {
        params: orderKey(kind),
        answer: ({ exchange, account: owner, params, path: { id = '' } }) => {
          const market = marketOf(exchange, params.currency_pair);
          // The page promises nothing by `text` after the end of an order.
          return calledOrder(orderOf(exchange, { owner, market, id }, isOpen));
        },
      },
    ),
    signedCall(
      {
        method: 'DELETE',
        path: 'spot/orders/:id',
        capability: 'cancel',
        recordings: [`${trading}/CancelOrder`],
        page: 'cancel-single-order',
        tradingTypes,
      },
      {
        params: orderKey(kind),
        answer: ({ exchange, account: owner, params, path: { id = '' } }) => {
          const market = marketOf(exchange, params.currency_pair);
          const order = orderOf(exchange, { owner, market, id }, isOpen);
          exchange.cancel(order);
          return calledOrder(order);
        },
      },
    ),
    signedCall(
      {
        method: 'GET',
        path: 'spot/orders',
        capability: 'find',
        recordings: [`${trading}/GetOrders`],
        page: 'list-orders',
        tradingTypes,
      },
      {
        params: z.discriminatedUnion('status', [
          z.strictObject({
            currency_pair: pair,
            account: z.literal(kind),
            status: z.literal('open'),
            page: integer.min(1),
            limit: integer.min(1).max(100),
          }),
          z.strictObject({
            currency_pair: pair,
            account: z.literal(kind),
            status: z.literal('finished'),
            ...byPage,
            ...range,
          }),
        ]),
        answer: ({ exchange, account: owner, params }) => {
          const market = marketOf(exchange, params.currency_pair);
          const orders = ordersOf(exchange, owner).filter(
            (order) =>
              order.market === market &&
              (params.status === 'open'
                ? isOpen(order)
                : !isOpen(order) && isWithin(order.updatedAt, params)),
          );
          return pageOf(orders, params).map(calledOrder);
        },
      },
    ),
    signedCall(
      {
        method: 'GET',
        path: 'spot/open_orders',
        capability: 'open orders',
        recordings: [`${trading}/GetOpenOrders`],
        page: 'list-all-open-orders',
        tradingTypes,
      },
      {
        params: z.strictObject({ account: z.literal(kind), ...byPage }),
        answer: ({ exchange, account: owner, params }) =>
          exchange.markets.flatMap((market) => {
            const open = exchange.openOrdersOf(owner).filter((order) => order.market === market);
            if (open.length === 0) return [];
            const orders = pageOf(open, params).map(openOrder);
            return [{ currency_pair: idOf(market), total: open.length, orders }];
          }),
      },
    ),
  ];
}

const INTEREST_PAGE = 'query-interest-deduction-records';

export const spotRoutes: readonly Route[] = [
  ...orderRoutes('spot'),
  ...orderRoutes('unified'),
  signedCall(
    {
      method: 'GET',
      path: 'account/detail',
      capability: 'credentials',
      recordings: [`${account}/GetAccountInfo`],
      page: 'retrieve-user-account-information',
      tradingTypes: ['spot', 'margin', 'perpetual'],
    },
    {
      params: z.strictObject({}),
      answer: ({ account: owner }) => ({
        user_id: userIdOf(owner),
        ip_whitelist: [],
        currency_pairs: [],
        key: { mode: 1 },
        tier: 2,
      }),
    },
  ),
  ...(['margin', 'spot', 'perpetual'] as const).map((type) =>
    signedCall(
      {
        method: 'GET',
        path: 'unified/unified_mode',
        capability: 'credentials',
        recordings: [`${account}/GetUnifiedAccountMode`],
        page: 'query-mode-of-the-unified-account',
        tradingTypes: [type],
      },
      {
        params: z.strictObject({}),
        answer: ({ account: { kind } }) => {
          const mode = type === 'margin' ? 'multi_currency' : 'classic';
          const modes = { NORMAL: mode, PORTFOLIO_MARGIN: 'portfolio', UNKNOWN: 'single_currency' };
          return { mode: modes[kind], settings: { spot_hedge: false } };
        },
      },
    ),
  ),
  signedCall(
    {
      method: 'GET',
      path: 'spot/accounts',
      capability: 'balances',
      recordings: [`${account}/GetBalances`],
      page: 'list-spot-trading-accounts',
      tradingTypes: ['spot'],
    },
    { params: z.strictObject({}), answer: ({ account: owner }) => spotBalances(owner) },
  ),
  signedCall(
    {
      method: 'GET',
      path: 'unified/accounts',
      capability: 'balances',
      recordings: [`${account}/GetUnifiedAccountInfo`],
      // Fields are named after the currencies of an account. That of USDT is compared.
      documented: ['balances.ETH', 'balances.POINT', 'balances.BTC'],
      page: 'get-unified-account-information',
      tradingTypes: ['margin'],
    },
    { params: z.strictObject({}), answer: ({ account: owner }) => unifiedAccount(owner) },
  ),
  signedCall(
    {
      method: 'GET',
      path: 'spot/my_trades',
      capability: 'fills',
      recordings: [`${trading}/GetUserTrades`],
      page: 'query-personal-trading-records',
    },
    {
      params: z.strictObject({ currency_pair: pair, order_id: z.string().optional(), ...byPage, ...range }),
      answer: ({ exchange, account: owner, params }) => {
        const market = marketOf(exchange, params.currency_pair);
        const fills = exchange.fills.filter(
          ({ order, at }) =>
            order.account === owner &&
            order.market === market &&
            (params.order_id === undefined || orderIdOf(order) === params.order_id) &&
            isWithin(at, params),
        );
        return pageOf(fills, params).map(listedFill);
      },
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: 'unified/interest_records',
      capability: 'loans',
      recordings: [`${account}/GetInterestHistory`],
      page: INTEREST_PAGE,
      tradingTypes: ['margin'],
    },
    {
      params: z.strictObject({ type: z.enum(['margin', 'platform']), ...byPage }),
      answer: ({ exchange, account: owner, params }) => {
        const charges = exchange.interests.filter(
          (charge) => charge.account === owner && params.type === 'margin',
        );
        return pageOf(charges, params).map(({ asset, amount, rate, at }) => ({
          status: 1,
          currency_pair: 'BTC_USDT',
          currency: asset,
          actual_rate: rate.toString(),
          interest: amount.toString(),
          type: params.type,
          create_time: at,
        }));
      },
    },
  ),
];
