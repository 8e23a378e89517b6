/** Coinbase's REST API: https://docs.cdp.coinbase.com/api-reference/advanced-trade-api/rest-api */
import { z } from 'zod';
import { candlesOf } from '../../../../conformance/scripted/candles.js';
import { type Capability, type Route, route, type Source } from '../../../../conformance/scripted/dialect.js';
import {
  type Account,
  exact,
  type Order,
  Refusal,
  type ScriptedMarket,
} from '../../../../conformance/scripted/model.js';
import { isOpen, type ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';
import {
  accountViews,
  configurationOf,
  fillView,
  orderIdOf,
  orderView,
  portfolioOf,
  productIdOf,
  productView,
} from './views.js';

const SPOT = ['spot'] as const;
const docs = (page: string) =>
  `https://docs.cdp.coinbase.com/api-reference/advanced-trade-api/rest-api/${page}`;
const data = 'AdvancedTrade/ExchangeData';
const account = 'AdvancedTrade/Account';
const trading = 'AdvancedTrade/Trading';
const integer = z.coerce.number().int();
const page = { limit: integer.min(1).max(250).optional(), cursor: z.string().optional() };

interface Call<P extends z.ZodType> {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly capability: Capability;
  readonly isSigned?: boolean;
  readonly source: Source;
  readonly params: P;
  answer(context: Parameters<Parameters<typeof route<P>>[0]['answer']>[0]): unknown;
}

const call = <P extends z.ZodType>({ method = 'GET', isSigned = true, path, ...others }: Call<P>): Route =>
  route({ ...others, method, isSigned, path: `/api/v3/brokerage/${path}`, tradingTypes: SPOT });

function marketOf(exchange: ScriptedExchange, id: string | undefined): ScriptedMarket {
  const market = exchange.markets.find((each) => productIdOf(each) === id);
  if (market === undefined) throw new Refusal('UNKNOWN_SYMBOL');
  return market;
}

/** Returns one page of a list, newest first. */
function pageOf<T>(
  items: readonly T[],
  { limit = 100, cursor = '0' }: { limit?: number | undefined; cursor?: string | undefined },
) {
  const from = Number(cursor);
  const hasNext = from + limit < items.length;
  return {
    items: items.slice(from, from + limit),
    has_next: hasNext,
    cursor: hasNext ? String(from + limit) : '',
  };
}

const GRANULARITIES: Readonly<Record<string, number>> = {
  ONE_MINUTE: 60_000,
  FIVE_MINUTE: 300_000,
  FIFTEEN_MINUTE: 900_000,
  ONE_HOUR: 3_600_000,
  ONE_DAY: 86_400_000,
};

const publicRoutes: readonly Route[] = [
  call({
    path: 'time',
    capability: 'clock',
    isSigned: false,
    source: { page: docs('public/get-server-time') },
    params: z.strictObject({}),
    answer: ({ exchange }) => ({
      iso: new Date(exchange.now()).toISOString(),
      epochSeconds: String(Math.floor(exchange.now() / 1_000)),
      epochMillis: String(exchange.now()),
    }),
  }),
  call({
    path: 'market/products',
    capability: 'markets',
    isSigned: false,
    source: {
      recordings: [`${data}/GetSymbols`],
      // Of futures alone, and what the recording lacks.
      documented: ['products.future_product_details', 'products.approximate_quote_24h_volume'],
      page: docs('public/list-public-products'),
    },
    params: z.strictObject({
      product_type: z.literal('SPOT').optional(),
      product_ids: z.array(z.string()).optional(),
    }),
    answer: ({ exchange, params: { product_ids } }) => {
      const listed = exchange.markets.filter((each) => product_ids?.includes(productIdOf(each)) ?? true);
      return { products: listed.map((each) => productView(exchange, each)), num_products: listed.length };
    },
  }),
  call({
    path: 'market/products/:id',
    capability: 'prices',
    isSigned: false,
    source: { page: docs('public/get-public-product') },
    params: z.strictObject({}),
    answer: ({ exchange, path }) => productView(exchange, marketOf(exchange, path.id)),
  }),
  call({
    path: 'market/products/:id/candles',
    capability: 'candles',
    isSigned: false,
    source: { recordings: [`${data}/GetKlines`], page: docs('public/get-public-product-candles') },
    params: z.strictObject({ start: integer, end: integer, granularity: z.string() }),
    answer: ({ exchange, path, params }) => {
      const frame = GRANULARITIES[params.granularity];
      if (frame === undefined || (params.end - params.start) * 1_000 > frame * 350)
        throw new Refusal('BAD_PARAMETER');
      // The range begins with the candle that contains its start.
      const start = Math.floor((params.start * 1_000) / frame) * frame;
      const range = { start, end: params.end * 1_000 };
      const candles = candlesOf(exchange.bookOf(marketOf(exchange, path.id)).trades, frame, range);
      return {
        candles: candles
          .map(({ openedAt, low, high, open, close, volume }) => ({
            start: String(openedAt / 1_000),
            low: low.toString(),
            high: high.toString(),
            open: open.toString(),
            close: close.toString(),
            volume: volume.toString(),
          }))
          .reverse(),
      };
    },
  }),
  call({
    path: 'market/product_book',
    capability: 'order book',
    isSigned: false,
    source: { recordings: [`${data}/GetOrderBook`], page: docs('public/get-public-product-book') },
    params: z.strictObject({ product_id: z.string(), limit: integer.min(1).optional() }),
    answer: ({ exchange, params: { product_id, limit } }) => {
      const book = exchange.bookOf(marketOf(exchange, product_id));
      const levels = (side: 'BUY' | 'SELL') =>
        book
          .levelsOf(side)
          .slice(0, limit)
          .map(([price, size]) => ({ price: price.toString(), size: size.toString() }));
      const time = new Date(exchange.now()).toISOString();
      return { pricebook: { product_id, bids: levels('BUY'), asks: levels('SELL'), time } };
    },
  }),
];

const size = z.string();
const limitTerms = { base_size: size, limit_price: size };
const orderRequest = z.strictObject({
  client_order_id: z.string().min(1),
  product_id: z.string(),
  side: z.enum(['BUY', 'SELL']),
  order_configuration: z.union([
    z.strictObject({ market_market_ioc: z.strictObject({ base_size: size }) }),
    z.strictObject({ sor_limit_ioc: z.strictObject(limitTerms) }),
    z.strictObject({ limit_limit_fok: z.strictObject(limitTerms) }),
    z.strictObject({ limit_limit_gtc: z.strictObject({ ...limitTerms, post_only: z.boolean() }) }),
  ]),
});
const TIMES_IN_FORCE: Readonly<Record<string, 'GTC' | 'IOC' | 'FOK'>> = {
  market_market_ioc: 'IOC',
  sor_limit_ioc: 'IOC',
  limit_limit_fok: 'FOK',
  limit_limit_gtc: 'GTC',
};

function placeOrder(
  exchange: ScriptedExchange,
  owner: Account,
  params: z.output<typeof orderRequest>,
): Order {
  const [[name = '', terms] = []] = Object.entries(params.order_configuration);
  const { base_size, limit_price, post_only } = terms as {
    base_size: string;
    limit_price?: string;
    post_only?: boolean;
  };
  return exchange.place(owner, {
    market: marketOf(exchange, params.product_id),
    clientOrderId: params.client_order_id,
    side: params.side,
    type: limit_price === undefined ? 'MARKET' : 'LIMIT',
    timeInForce: post_only === true ? 'POST_ONLY' : (TIMES_IN_FORCE[name] ?? 'GTC'),
    amount: exact(base_size),
    price: limit_price === undefined ? undefined : exact(limit_price),
  });
}

const ordersOf = (exchange: ScriptedExchange, owner: Account): readonly Order[] =>
  exchange.orders.filter((order) => order.account === owner).reverse();

const orderRoutes: readonly Route[] = [
  call({
    method: 'POST',
    path: 'orders',
    capability: 'place',
    source: {
      recordings: [`${trading}/PlaceOrder`],
      // The recording shows an order with every configuration and an error.
      documented: ['error_response', 'order_configuration'],
      page: docs('orders/create-order'),
    },
    params: orderRequest,
    answer: ({ exchange, account: owner, params }) => {
      const order = placeOrder(exchange, owner, params);
      const { product_id, side } = params;
      return {
        success: true,
        success_response: {
          order_id: orderIdOf(order),
          product_id,
          side,
          client_order_id: order.clientOrderId,
        },
        order_configuration: configurationOf(order),
      };
    },
  }),
  call({
    method: 'POST',
    path: 'orders/batch_cancel',
    capability: 'cancel',
    source: { recordings: [`${trading}/CancelOrders`], page: docs('orders/cancel-order') },
    params: z.strictObject({ order_ids: z.array(z.string()).min(1).max(100) }),
    answer: ({ exchange, account: owner, params }) => ({
      results: params.order_ids.map((order_id) => {
        const order = ordersOf(exchange, owner).find((each) => orderIdOf(each) === order_id);
        const success = order !== undefined && isOpen(order);
        if (success) exchange.cancel(order);
        const failure_reason = success ? 'UNKNOWN_CANCEL_FAILURE_REASON' : 'UNKNOWN_CANCEL_ORDER';
        return { success, failure_reason, order_id };
      }),
    }),
  }),
  call({
    path: 'orders/historical/batch',
    capability: 'open orders',
    source: {
      recordings: [`${trading}/GetOrders`],
      // The recording shows an order with every configuration.
      documented: ['orders.order_configuration'],
      page: docs('orders/list-orders'),
    },
    params: z.strictObject({
      product_ids: z.array(z.string()).optional(),
      order_status: z.tuple([z.literal('OPEN')]).optional(),
      start_date: z.iso.datetime().optional(),
      product_type: z.literal('SPOT'),
      ...page,
    }),
    answer: ({ exchange, account: owner, params }) => {
      const orders = ordersOf(exchange, owner).filter(
        (order) =>
          (params.product_ids?.includes(productIdOf(order.market)) ?? true) &&
          (params.order_status === undefined || isOpen(order)) &&
          order.createdAt >= Date.parse(params.start_date ?? '1970-01-01T00:00:00Z'),
      );
      const { items, ...next } = pageOf(orders, params);
      return { orders: items.map((order) => orderView(exchange, order)), sequence: '0', ...next };
    },
  }),
  call({
    path: 'orders/historical/fills',
    capability: 'fills',
    source: { recordings: [`${trading}/GetUserTrades`], page: docs('orders/list-fills') },
    params: z.strictObject({
      order_ids: z.array(z.string()).optional(),
      product_ids: z.array(z.string()).optional(),
      start_sequence_timestamp: z.iso.datetime().optional(),
      ...page,
    }),
    answer: ({ exchange, account: owner, params }) => {
      const fills = exchange.fills.filter(
        ({ order, at }) =>
          order.account === owner &&
          (params.order_ids?.includes(orderIdOf(order)) ?? true) &&
          (params.product_ids?.includes(productIdOf(order.market)) ?? true) &&
          at >= Date.parse(params.start_sequence_timestamp ?? '1970-01-01T00:00:00Z'),
      );
      const { items, cursor } = pageOf([...fills].reverse(), params);
      return { fills: items.map(fillView), cursor };
    },
  }),
  call({
    path: 'orders/historical/:id',
    capability: 'find',
    source: {
      recordings: [`${trading}/GetOrder`],
      // The recording has no configuration.
      documented: ['order.order_configuration'],
      page: docs('orders/get-order'),
    },
    params: z.strictObject({}),
    answer: ({ exchange, account: owner, path }) => {
      const order = ordersOf(exchange, owner).find((each) => orderIdOf(each) === path.id);
      if (order === undefined) throw new Refusal('UNKNOWN_ORDER');
      return { order: orderView(exchange, order) };
    },
  }),
];

const accountRoutes: readonly Route[] = [
  call({
    path: 'accounts',
    capability: 'balances',
    source: {
      recordings: [`${account}/GetAccounts`],
      documented: ['has_next', 'cursor', 'size'],
      page: docs('accounts/list-accounts'),
    },
    params: z.strictObject(page),
    answer: ({ account: owner, params }) => {
      const { items, ...next } = pageOf(accountViews(owner), params);
      return { accounts: items, ...next, size: items.length };
    },
  }),
  call({
    path: 'key_permissions',
    capability: 'credentials',
    source: { recordings: [`${account}/GetApiKeyInfo`], page: docs('data-api/get-api-key-permissions') },
    params: z.strictObject({}),
    answer: ({ account: owner }) => ({
      can_view: true,
      can_trade: owner.canTrade,
      can_transfer: owner.canWithdraw,
      portfolio_uuid: portfolioOf(owner),
      portfolio_type: 'DEFAULT',
    }),
  }),
];

export const routes: readonly Route[] = [...publicRoutes, ...orderRoutes, ...accountRoutes];
