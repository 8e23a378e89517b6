/** Kraken's REST API for spot: https://docs.kraken.com/api-reference */
import { z } from 'zod';
import { candlesOf } from '../../../../conformance/scripted/candles.js';
import { type Capability, type Route, route, type Source } from '../../../../conformance/scripted/dialect.js';
import {
  type Account,
  exact,
  type Fill,
  type Order,
  Refusal,
  type ScriptedMarket,
} from '../../../../conformance/scripted/model.js';
import { isOpen, type ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';
import {
  balancesView,
  idOf,
  orderIdOf,
  orderView,
  pairView,
  tickerView,
  tradeIdOf,
  tradeView,
} from './spot-views.js';

const SPOT = ['spot'] as const;
const docs = (page: string) => `https://docs.kraken.com/api-reference/${page}`;
const data = 'Spot/ExchangeData';
const account = 'Spot/Account';
const trading = 'Spot/Trading';
const integer = z.coerce.number().int();

interface Call<P extends z.ZodType> {
  readonly name: string;
  readonly capability: Capability;
  readonly source: Source;
  readonly params: P;
  answer(context: Parameters<Parameters<typeof route<P>>[0]['answer']>[0]): unknown;
}

const wrapped = (result: unknown) => ({ error: [], result });

const publicCall = <P extends z.ZodType>({ name, answer, ...call }: Call<P>): Route =>
  route({
    ...call,
    method: 'GET',
    path: `/0/public/${name}`,
    tradingTypes: SPOT,
    isSigned: false,
    answer: (context) => wrapped(answer(context)),
  });

/** Every signed call has a nonce. */
const signedCall = <S extends z.ZodRawShape>({
  name,
  params,
  answer,
  ...call
}: Omit<Call<z.ZodObject<S>>, 'answer'> & {
  answer(context: Parameters<Parameters<typeof route<z.ZodObject<S>>>[0]['answer']>[0]): unknown;
}): Route =>
  route({
    ...call,
    method: 'POST',
    path: `/0/private/${name}`,
    tradingTypes: SPOT,
    isSigned: true,
    params: z
      .looseObject({ nonce: z.string().regex(/^\d+$/) })
      .transform(({ nonce: _, ...others }) => others)
      .pipe(params) as unknown as z.ZodObject<S>,
    answer: (context) => wrapped(answer(context)),
  });

function marketOf(exchange: ScriptedExchange, pair: string): ScriptedMarket {
  const market = exchange.markets.find((each) => idOf(each) === pair);
  if (market === undefined) throw new Refusal('UNKNOWN_SYMBOL');
  return market;
}

const publicRoutes: readonly Route[] = [
  publicCall({
    name: 'Time',
    capability: 'clock',
    source: { page: docs('market-data/get-server-time') },
    params: z.strictObject({}),
    answer: ({ exchange }) => ({
      unixtime: Math.floor(exchange.now() / 1_000),
      rfc1123: new Date(exchange.now()).toUTCString(),
    }),
  }),
  publicCall({
    name: 'AssetPairs',
    capability: 'markets',
    source: {
      recordings: [`${data}/GetSymbols`],
      maps: ['result'],
      page: docs('market-data/get-tradable-asset-pairs'),
    },
    params: z.strictObject({}),
    answer: ({ exchange }) =>
      Object.fromEntries(exchange.markets.map((each) => [idOf(each), pairView(each)])),
  }),
  publicCall({
    name: 'Ticker',
    capability: 'prices',
    source: {
      recordings: [`${data}/GetTicker`],
      maps: ['result'],
      page: docs('market-data/get-ticker-information'),
    },
    params: z.strictObject({ pair: z.string() }),
    answer: ({ exchange, params }) =>
      Object.fromEntries(
        params.pair.split(',').map((pair) => [pair, tickerView(exchange, marketOf(exchange, pair))]),
      ),
  }),
  publicCall({
    name: 'OHLC',
    capability: 'candles',
    source: { recordings: [`${data}/GetKlines`], maps: ['result'], page: docs('market-data/get-ohlc-data') },
    params: z.strictObject({
      pair: z.string(),
      interval: z.enum(['1', '5', '15', '30', '60', '240', '1440', '10080', '21600']),
      since: integer.optional(),
    }),
    answer: ({ exchange, params }) => {
      const book = exchange.bookOf(marketOf(exchange, params.pair));
      const start = (params.since ?? 0) * 1_000 + 1;
      const candles = candlesOf(book.trades, Number(params.interval) * 60_000, { start }).slice(-720);
      const rows = candles.map(({ openedAt, open, high, low, close, volume, turnover }) => [
        openedAt / 1_000,
        ...[open, high, low, close].map((price) => price.toFixed(2)),
        turnover.div(volume).toFixed(2),
        volume.toFixed(8),
        1,
      ]);
      return { [params.pair]: rows, last: Math.floor(exchange.now() / 1_000) };
    },
  }),
  publicCall({
    name: 'Depth',
    capability: 'order book',
    source: {
      recordings: [`${data}/GetOrderBook`],
      maps: ['result'],
      page: docs('market-data/get-order-book'),
    },
    params: z.strictObject({ pair: z.string(), count: integer.min(1).max(500).optional() }),
    answer: ({ exchange, params: { pair, count = 100 } }) => {
      const book = exchange.bookOf(marketOf(exchange, pair));
      const levels = (side: 'BUY' | 'SELL') =>
        book
          .levelsOf(side)
          .slice(0, count)
          .map(([price, amount]) => [
            price.toFixed(5),
            amount.toFixed(5),
            Math.floor(exchange.now() / 1_000),
          ]);
      return { [pair]: { asks: levels('SELL'), bids: levels('BUY') } };
    },
  }),
];

const clientOrderId = z.union([z.string().min(1).max(18), z.uuid(), z.string().regex(/^[\da-f]{32}$/)]);
const orderRequest = z.strictObject({
  pair: z.string(),
  type: z.enum(['buy', 'sell']),
  ordertype: z.enum(['limit', 'market']),
  volume: z.string(),
  price: z.string().optional(),
  timeinforce: z.enum(['GTC', 'IOC', 'FOK']).optional(),
  oflags: z.enum(['fciq', 'fciq,post']),
  cl_ord_id: clientOrderId,
  deadline: z.iso.datetime(),
});

function placeOrder(
  exchange: ScriptedExchange,
  owner: Account,
  params: z.output<typeof orderRequest>,
): Order {
  const leftMs = Date.parse(params.deadline) - exchange.now();
  // The deadline lies between 2 and 60 s ahead.
  if (leftMs < 2_000 || leftMs > 60_000) throw new Refusal('BAD_PARAMETER');
  return exchange.place(owner, {
    market: marketOf(exchange, params.pair),
    clientOrderId: params.cl_ord_id,
    side: params.type === 'buy' ? 'BUY' : 'SELL',
    type: params.ordertype === 'limit' ? 'LIMIT' : 'MARKET',
    timeInForce: params.oflags === 'fciq,post' ? 'POST_ONLY' : (params.timeinforce ?? 'GTC'),
    amount: exact(params.volume),
    price: params.price === undefined ? undefined : exact(params.price),
  });
}

const consolidate = { consolidate_taker: z.literal('false') };
const tradesOf = (exchange: ScriptedExchange, order: Order): readonly Fill[] =>
  exchange.fills.filter((fill) => fill.order === order);
const listed = (orders: readonly Order[]) =>
  Object.fromEntries([...orders].reverse().map((order) => [orderIdOf(order), orderView(order, undefined)]));
const ORDER_FIELDS = ['cl_ord_id', 'descr.aclass'];
const within = (path: string): readonly string[] => ORDER_FIELDS.map((field) => `${path}.*.${field}`);

const orderRoutes: readonly Route[] = [
  signedCall({
    name: 'AddOrder',
    capability: 'place',
    source: {
      recordings: [`${trading}/PlaceOrder`],
      documented: ['result.descr.close'],
      page: docs('trading/add-order'),
    },
    params: orderRequest,
    answer: ({ exchange, account: owner, params }) => {
      const order = placeOrder(exchange, owner, params);
      return { descr: { order: orderView(order, undefined).descr.order }, txid: [orderIdOf(order)] };
    },
  }),
  signedCall({
    name: 'CancelOrder',
    capability: 'cancel',
    source: { recordings: [`${trading}/CancelOrder`], page: docs('trading/cancel-order') },
    params: z.strictObject({ cl_ord_id: clientOrderId.optional(), txid: z.string().optional() }),
    answer: ({ exchange, account: owner, params: { cl_ord_id, txid } }) => {
      if ((cl_ord_id === undefined) === (txid === undefined)) throw new Refusal('BAD_PARAMETER');
      const order = exchange
        .openOrdersOf(owner)
        .find((each) => (txid === undefined ? each.clientOrderId === cl_ord_id : orderIdOf(each) === txid));
      if (order === undefined) throw new Refusal('UNKNOWN_ORDER');
      exchange.cancel(order);
      return { count: 1 };
    },
  }),
  signedCall({
    name: 'OpenOrders',
    capability: 'open orders',
    source: {
      recordings: [`${trading}/GetOpenOrders`],
      maps: ['result.open'],
      documented: within('result.open'),
      page: docs('account-data/get-open-orders'),
    },
    params: z.strictObject({ cl_ord_id: clientOrderId.optional() }),
    answer: ({ exchange, account: owner, params }) => ({
      open: listed(
        exchange.openOrdersOf(owner).filter(({ clientOrderId: id }) => id === (params.cl_ord_id ?? id)),
      ),
    }),
  }),
  signedCall({
    name: 'ClosedOrders',
    capability: 'find',
    source: {
      recordings: [`${trading}/GetClosedOrders`],
      maps: ['result.closed'],
      documented: [...within('result.closed'), 'result.closed.*.trigger', 'result.closed.*.userref'],
      page: docs('account-data/get-closed-orders'),
    },
    params: z.strictObject({ cl_ord_id: clientOrderId, start: integer.optional(), ...consolidate }),
    answer: ({ exchange, account: owner, params }) => {
      const closed = exchange.orders.filter(
        (order) =>
          order.account === owner &&
          !isOpen(order) &&
          order.clientOrderId === params.cl_ord_id &&
          order.updatedAt / 1_000 > (params.start ?? 0),
      );
      return { closed: listed(closed), count: closed.length };
    },
  }),
  signedCall({
    name: 'QueryOrders',
    capability: 'find',
    source: {
      recordings: [`${trading}/GetOrders`, `${trading}/GetOrders2`],
      maps: ['result'],
      documented: [
        'result.*.cl_ord_id',
        // Orders that are open have neither.
        'result.*.closetm',
        'result.*.reason',
        // Of orders with a stop price alone.
        'result.*.trigger',
      ],
      page: docs('account-data/query-orders-info'),
    },
    params: z.strictObject({ txid: z.string(), trades: z.literal('true').optional(), ...consolidate }),
    answer: ({ exchange, account: owner, params }) => {
      const order = exchange.orders.find((each) => each.account === owner && orderIdOf(each) === params.txid);
      if (order === undefined) throw new Refusal('UNKNOWN_ORDER');
      const trades = params.trades === 'true' ? tradesOf(exchange, order) : undefined;
      return { [params.txid]: orderView(order, trades) };
    },
  }),
];

const ofAccount = (exchange: ScriptedExchange, owner: Account): readonly Fill[] =>
  exchange.fills.filter(({ order }) => order.account === owner);

const accountRoutes: readonly Route[] = [
  signedCall({
    name: 'QueryTrades',
    capability: 'fills',
    source: {
      recordings: [`${trading}/GetUserTradeDetails`],
      maps: ['result'],
      page: docs('account-data/query-trades-info'),
    },
    params: z.strictObject({ txid: z.string() }),
    answer: ({ exchange, account: owner, params }) => {
      const ids = params.txid.split(',');
      if (ids.length > 20) throw new Refusal('BAD_PARAMETER');
      const fills = ofAccount(exchange, owner).filter((fill) => ids.includes(tradeIdOf(fill)));
      return Object.fromEntries([...fills].reverse().map((fill) => [tradeIdOf(fill), tradeView(fill)]));
    },
  }),
  signedCall({
    name: 'TradesHistory',
    capability: 'fills',
    source: {
      recordings: [`${trading}/GetUserTrades`],
      maps: ['result.trades'],
      documented: ['result.count'],
      page: docs('account-data/get-trades-history'),
    },
    params: z.strictObject({ type: z.literal('all'), start: integer, ofs: integer, ...consolidate }),
    answer: ({ exchange, account: owner, params }) => {
      const fills = ofAccount(exchange, owner).filter(({ at }) => at / 1_000 > params.start);
      const page = [...fills].reverse().slice(params.ofs, params.ofs + 50);
      return {
        trades: Object.fromEntries(page.map((fill) => [tradeIdOf(fill), tradeView(fill)])),
        count: fills.length,
      };
    },
  }),
  signedCall({
    name: 'BalanceEx',
    capability: 'balances',
    source: {
      recordings: [`${account}/GetAvailableBalances`],
      maps: ['result'],
      // The documentation writes strings.
      documented: ['result.*.balance', 'result.*.hold_trade'],
      page: docs('account-data/get-extended-balance'),
    },
    params: z.strictObject({}),
    answer: ({ account: owner }) => balancesView(owner),
  }),
  signedCall({
    name: 'GetApiKeyInfo',
    capability: 'credentials',
    source: { recordings: [`${account}/GetApiKeyInfo`], page: docs('account-data/get-api-key-info') },
    params: z.strictObject({}),
    answer: ({ exchange, account: { apiKey, canTrade, canWithdraw, number } }) => ({
      api_key_name: 'automation',
      api_key: apiKey,
      nonce: String(exchange.now() * 1_000),
      nonce_window: '0',
      permissions: [
        'query-funds',
        'query-open-trades',
        'query-closed-trades',
        'close-trades',
        'create-ws-token',
        ...(canTrade ? ['modify-trades'] : []),
        ...(canWithdraw ? ['withdraw-funds'] : []),
      ],
      iban: `AA08 N84G CPAR ${String(number).padStart(4, '0')}`,
      valid_until: '0',
      query_from: '0',
      query_to: '0',
      created_time: '1522132642',
      modified_time: '1618230358',
      ip_allowlist: [''],
      last_used: '1774350056',
    }),
  }),
  signedCall({
    name: 'GetWebSocketsToken',
    capability: 'stream login',
    source: { page: docs('trading/get-websockets-token') },
    params: z.strictObject({}),
    answer: ({ account: { apiKey } }) => ({ token: tokenOf(apiKey), expires: 900 }),
  }),
];

/** The token of an account for its stream. */
export const tokenOf = (apiKey: string): string => Buffer.from(`token ${apiKey}`).toString('base64url');

export const spotRoutes: readonly Route[] = [...publicRoutes, ...orderRoutes, ...accountRoutes];
