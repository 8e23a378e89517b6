/** Kraken's REST API for futures: https://docs.kraken.com/api-reference/order-management */
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
import { leverageOf } from '../../../../conformance/scripted/positions.js';
import { isOpen, type ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';
import {
  accountUidOf,
  executionView,
  flexView,
  fundingLogView,
  futuresFillView,
  futuresTickerView,
  instrumentOf,
  instrumentView,
  number,
  openOrderView,
  orderEventViews,
  orderStatusView,
  orderUidOf,
  positionView,
  tradedOrderView,
} from './futures-views.js';

const PERPETUAL = ['perpetual'] as const;
const docs = (page: string) => `https://docs.kraken.com/api-reference/${page}`;
const data = 'Futures/ExchangeData';
const account = 'Futures/Account';
const trading = 'Futures/Trading';
const integer = z.coerce.number().int();
/** How long after their end the exchange reports the status of orders. */
const RECENT_MS = 5_000;

interface Call<P extends z.ZodType> {
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly capability: Capability;
  readonly isSigned?: boolean;
  readonly source: Source;
  readonly params: P;
  answer(context: Parameters<Parameters<typeof route<P>>[0]['answer']>[0]): object;
}

const futuresCall = <P extends z.ZodType>({
  method = 'GET',
  isSigned = true,
  answer,
  ...call
}: Call<P>): Route => route({ ...call, method, isSigned, tradingTypes: PERPETUAL, answer });

/** A call of the trading API, whose answers have a result and a time. */
const tradingCall = <P extends z.ZodType>({ path, answer, ...call }: Call<P>): Route =>
  futuresCall({
    ...call,
    path: `/derivatives/api/v3/${path}`,
    answer: (context) => ({ result: 'success', ...answer(context), serverTime: new Date().toISOString() }),
  });

function marketOfInstrument(exchange: ScriptedExchange, id: string): ScriptedMarket {
  const market = exchange.markets.find((each) => instrumentOf(each) === id);
  if (market === undefined) throw new Refusal('UNKNOWN_SYMBOL');
  return market;
}

const FRAMES: Readonly<Record<string, number>> = {
  '1m': 60_000,
  '5m': 300_000,
  '15m': 900_000,
  '1h': 3_600_000,
  '4h': 14_400_000,
  '1d': 86_400_000,
};

const publicRoutes: readonly Route[] = [
  tradingCall({
    path: 'instruments',
    capability: 'markets',
    isSigned: false,
    source: { recordings: [`${data}/GetSymbols`], page: docs('instrument-details/get-instruments') },
    params: z.strictObject({}),
    answer: ({ exchange }) => ({ instruments: exchange.markets.map(instrumentView) }),
  }),
  tradingCall({
    path: 'tickers',
    capability: 'prices',
    isSigned: false,
    source: {
      recordings: [`${data}/GetTickers`],
      documented: [
        'tickers.high24h',
        'tickers.low24h',
        'tickers.volumeQuote',
        'tickers.last',
        'tickers.lastTime',
      ],
      page: docs('market-data/get-tickers'),
    },
    params: z.strictObject({}),
    answer: ({ exchange }) => ({
      tickers: exchange.markets.map((each) => futuresTickerView(exchange, each)),
    }),
  }),
  tradingCall({
    path: 'tickers/:symbol',
    capability: 'prices',
    isSigned: false,
    source: { page: docs('market-data/get-ticker-by-symbol') },
    params: z.strictObject({}),
    answer: ({ exchange, path }) => ({
      ticker: futuresTickerView(exchange, marketOfInstrument(exchange, path.symbol ?? '')),
    }),
  }),
  tradingCall({
    path: 'orderbook',
    capability: 'order book',
    isSigned: false,
    source: { recordings: [`${data}/GetOrderBook`], page: docs('market-data/get-orderbook') },
    params: z.strictObject({ symbol: z.string() }),
    answer: ({ exchange, params }) => {
      const book = exchange.bookOf(marketOfInstrument(exchange, params.symbol));
      const levels = (side: 'BUY' | 'SELL') => book.levelsOf(side).map((level) => level.map(number));
      return { orderBook: { bids: levels('BUY'), asks: levels('SELL') } };
    },
  }),
  futuresCall({
    path: '/derivatives/api/v4/historicalfundingrates',
    capability: 'funding',
    isSigned: false,
    source: {
      recordings: [`${data}/GetHistoricalFundingRates`],
      page: docs('historical-funding-rates/historical-funding-rates'),
    },
    params: z.strictObject({ symbol: z.string() }),
    answer: ({ exchange, params }) => {
      const { fundingRates } = exchange;
      const listed = fundingRates.filter(({ market }) => instrumentOf(market) === params.symbol);
      const rates = listed.map(({ rate, markPrice, at }) => ({
        timestamp: new Date(at).toISOString(),
        fundingRate: number(rate.times(markPrice)),
        relativeFundingRate: number(rate),
      }));
      return { result: 'success', serverTime: new Date().toISOString(), rates };
    },
  }),
  futuresCall({
    path: '/api/charts/v1/:price/:symbol/:interval',
    capability: 'candles',
    isSigned: false,
    source: { recordings: [`${data}/GetKlines`], page: docs('candles/market-candles') },
    params: z.strictObject({ from: integer.optional(), to: integer.optional() }),
    answer: ({ exchange, path, params: { from = 0, to = 9_999_999_999 } }) => {
      const market = marketOfInstrument(exchange, path.symbol ?? '');
      const frame = FRAMES[path.interval ?? ''];
      if (frame === undefined) throw new Refusal('BAD_PARAMETER');
      const range = { start: from * 1_000, end: to * 1_000 };
      if (path.price === 'mark')
        return { candles: markCandles(exchange, market, range), more_candles: false };
      const candles = candlesOf(exchange.bookOf(market).trades, frame, range).map((candle) => ({
        time: candle.openedAt,
        high: candle.high.toFixed(11),
        low: candle.low.toFixed(11),
        open: candle.open.toFixed(11),
        close: candle.close.toFixed(11),
        volume: number(candle.volume),
      }));
      return { candles, more_candles: false };
    },
  }),
];

/** The scripted exchange knows mark prices at the times of funding alone. */
function markCandles(
  exchange: ScriptedExchange,
  market: ScriptedMarket,
  range: { start: number; end: number },
) {
  return exchange.fundingRates
    .filter(({ market: each, at }) => each === market && at >= range.start && at <= range.end)
    .map(({ at, markPrice }) => {
      const price = markPrice.toFixed(11);
      return { time: at, high: price, low: price, open: price, close: price, volume: 0 };
    });
}

const clientOrderId = z.string().min(1).max(100);
const orderRequest = z.strictObject({
  orderType: z.enum(['lmt', 'post', 'ioc', 'fok', 'mkt']),
  symbol: z.string(),
  side: z.enum(['buy', 'sell']),
  size: z.string(),
  limitPrice: z.string().optional(),
  cliOrdId: clientOrderId,
  reduceOnly: z.literal('true').optional(),
  processBefore: z.iso.datetime(),
});
const TIMES_IN_FORCE = { lmt: 'GTC', post: 'POST_ONLY', ioc: 'IOC', fok: 'FOK', mkt: 'IOC' } as const;

function placeOrder(
  exchange: ScriptedExchange,
  owner: Account,
  params: z.output<typeof orderRequest>,
): Order {
  if (Date.parse(params.processBefore) < exchange.now()) throw new Refusal('BAD_PARAMETER');
  return exchange.place(owner, {
    market: marketOfInstrument(exchange, params.symbol),
    clientOrderId: params.cliOrdId,
    side: params.side === 'buy' ? 'BUY' : 'SELL',
    type: params.orderType === 'mkt' ? 'MARKET' : 'LIMIT',
    timeInForce: TIMES_IN_FORCE[params.orderType],
    amount: exact(params.size),
    price: params.limitPrice === undefined ? undefined : exact(params.limitPrice),
    reduceOnly: params.reduceOnly === 'true',
  });
}

const ordersOf = (exchange: ScriptedExchange, owner: Account): readonly Order[] =>
  exchange.orders.filter((order) => order.account === owner);

const orderRoutes: readonly Route[] = [
  tradingCall({
    method: 'POST',
    path: 'sendorder',
    capability: 'place',
    source: { recordings: [`${trading}/PlaceOrder`], page: docs('order-management/send-order') },
    params: orderRequest,
    answer: ({ exchange, account: owner, params }) => {
      const order = placeOrder(exchange, owner, params);
      const wasRejected = order.status === 'EXPIRED' && order.filled.isZero();
      return {
        sendStatus: {
          order_id: orderUidOf(order),
          status: wasRejected ? 'iocWouldNotExecute' : 'placed',
          receivedTime: new Date(order.createdAt).toISOString(),
          orderEvents: wasRejected
            ? []
            : [{ order: { limitPrice: 0, ...tradedOrderView(order) }, reducedQuantity: null, type: 'PLACE' }],
        },
      };
    },
  }),
  tradingCall({
    method: 'POST',
    path: 'cancelorder',
    capability: 'cancel',
    source: { recordings: [`${trading}/CancelOrder`], page: docs('order-management/cancel-order') },
    params: z.union([z.strictObject({ cliOrdId: clientOrderId }), z.strictObject({ order_id: z.string() })]),
    answer: ({ exchange, account: owner, params }) => {
      const order = exchange
        .openOrdersOf(owner)
        .find((each) =>
          'order_id' in params
            ? orderUidOf(each) === params.order_id
            : each.clientOrderId === params.cliOrdId,
        );
      if (order === undefined) throw new Refusal('UNKNOWN_ORDER');
      exchange.cancel(order);
      const uid = orderUidOf(order);
      return {
        cancelStatus: {
          status: 'cancelled',
          order_id: uid,
          receivedTime: new Date().toISOString(),
          orderEvents: [{ uid, order: { limitPrice: 0, ...tradedOrderView(order) }, type: 'CANCEL' }],
        },
      };
    },
  }),
  tradingCall({
    method: 'POST',
    path: 'orders/status',
    capability: 'find',
    source: {
      recordings: [`${trading}/GetOrders`],
      // The recorded answer has no order.
      documented: ['orders'],
      page: docs('order-management/get-specific-orders-status'),
    },
    params: z.union([z.strictObject({ orderIds: z.string() }), z.strictObject({ cliOrdIds: clientOrderId })]),
    answer: ({ exchange, account: owner, params }) => {
      const orders = ordersOf(exchange, owner).filter((order) => {
        const isNamed =
          'orderIds' in params
            ? orderUidOf(order) === params.orderIds
            : order.clientOrderId === params.cliOrdIds;
        return isNamed && (isOpen(order) || exchange.now() - order.updatedAt < RECENT_MS);
      });
      return { orders: orders.map(orderStatusView) };
    },
  }),
  tradingCall({
    path: 'openorders',
    capability: 'open orders',
    source: {
      recordings: [`${trading}/GetOpenOrders`],
      documented: ['openOrders.cliOrdId'],
      page: docs('order-management/get-open-orders'),
    },
    params: z.strictObject({}),
    answer: ({ exchange, account: owner }) => ({
      openOrders: exchange.openOrdersOf(owner).map(openOrderView),
    }),
  }),
  tradingCall({
    path: 'fills',
    capability: 'fills',
    source: {
      recordings: [`${trading}/GetUserTrades`],
      documented: ['fills.cliOrdId'],
      page: docs('historical-data/get-your-fills'),
    },
    // The page has the fills before this time.
    params: z.strictObject({ lastFillTime: z.iso.datetime().optional() }),
    answer: ({ exchange, account: owner, params }) => {
      const before =
        params.lastFillTime === undefined ? Number.POSITIVE_INFINITY : Date.parse(params.lastFillTime);
      const fills = exchange.fills.filter(({ order, at }) => order.account === owner && at < before);
      return { fills: [...fills].reverse().slice(0, 100).map(futuresFillView) };
    },
  }),
];

const historyParams = z.strictObject({
  tradeable: z.string(),
  since: integer,
  sort: z.literal('asc'),
  continuation_token: z.string().optional(),
});
const HISTORY_PER_PAGE = 1_000;

function historyPage(owner: Account, elements: readonly object[], token: string | undefined): object {
  const from = Number(token ?? 0);
  const next = from + HISTORY_PER_PAGE;
  return {
    accountUid: accountUidOf(owner),
    len: elements.length,
    serverTime: new Date().toISOString(),
    elements: elements.slice(from, next),
    ...(next < elements.length ? { continuationToken: String(next) } : {}),
  };
}

const accountRoutes: readonly Route[] = [
  futuresCall({
    path: '/api/history/v3/orders',
    capability: 'find',
    source: { page: docs('account-history/get-order-events') },
    params: historyParams,
    answer: ({ exchange, account: owner, params }) => {
      const events = ordersOf(exchange, owner)
        .filter(({ market }) => instrumentOf(market) === params.tradeable)
        .filter(({ updatedAt }) => updatedAt >= params.since)
        .flatMap(orderEventViews);
      return historyPage(owner, events, params.continuation_token);
    },
  }),
  futuresCall({
    path: '/api/history/v3/executions',
    capability: 'fills',
    source: {
      recordings: [`${trading}/GetExecutionEvents`],
      // The last page has none.
      documented: ['continuationToken'],
      page: docs('account-history/get-execution-events'),
    },
    params: historyParams,
    answer: ({ exchange, account: owner, params }) => {
      const fills = exchange.fills.filter(
        ({ order, at }) =>
          order.account === owner && instrumentOf(order.market) === params.tradeable && at >= params.since,
      );
      return historyPage(owner, fills.map(executionView), params.continuation_token);
    },
  }),
  futuresCall({
    path: '/api/history/v3/account-log',
    capability: 'funding',
    source: {
      recordings: [`${account}/GetAccountLog`],
      documented: ['contract', 'funding_rate', 'mark_price', 'realized_funding'].map(
        (each) => `logs.${each}`,
      ),
      page: docs('account-history/get-account-log'),
    },
    params: z.strictObject({
      count: integer.min(1),
      since: integer.optional(),
      sort: z.literal('asc').optional(),
      from: integer.optional(),
    }),
    answer: ({ exchange, account: owner, params: { since = 0, from = 0, count } }) => {
      const paid = exchange.fundings.filter(
        (each) => each.account === owner && each.at >= since && each.number >= from,
      );
      return { accountUid: accountUidOf(owner), logs: paid.slice(0, count).map(fundingLogView) };
    },
  }),
  tradingCall({
    path: 'accounts',
    capability: 'balances',
    source: {
      recordings: [`${account}/GetBalances`],
      maps: ['accounts.flex.currencies'],
      // Accounts with one collateral are left out.
      documented: ['accounts.cash', 'accounts.fi_xbtusd'],
      page: docs('account-information/get-wallets'),
    },
    params: z.strictObject({}),
    answer: ({ exchange, account: owner }) => ({ accounts: { flex: flexView(exchange, owner) } }),
  }),
  tradingCall({
    path: 'openpositions',
    capability: 'positions',
    source: {
      recordings: [`${trading}/GetOpenPositions`],
      page: docs('account-information/get-open-positions'),
    },
    params: z.strictObject({}),
    answer: ({ account: owner }) => ({
      openPositions: [...owner.positions.values()]
        .filter(({ size }) => !size.isZero())
        .map((position) => positionView(owner, position)),
    }),
  }),
  tradingCall({
    path: 'leveragepreferences',
    capability: 'leverage',
    source: {
      recordings: [`${trading}/GetLeverage`],
      page: docs('multi-collateral/get-the-leverage-setting'),
    },
    params: z.strictObject({}),
    answer: ({ exchange, account: owner }) => ({
      leveragePreferences: exchange.markets.flatMap((market) => {
        const { leverage, marginMode } = leverageOf(owner, market);
        return marginMode === 'CROSS'
          ? []
          : [{ symbol: instrumentOf(market), maxLeverage: number(leverage) }];
      }),
    }),
  }),
  tradingCall({
    method: 'PUT',
    path: 'leveragepreferences',
    capability: 'leverage',
    source: {
      recordings: [`${trading}/SetLeverage`],
      page: docs('multi-collateral/set-the-leverage-setting'),
    },
    params: z.strictObject({ symbol: z.string(), maxLeverage: z.string().optional() }),
    answer: ({ exchange, account: owner, params: { symbol, maxLeverage } }) => {
      const market = marketOfInstrument(exchange, symbol);
      const marginMode = maxLeverage === undefined ? 'CROSS' : 'ISOLATED';
      const leverage = exact(maxLeverage ?? market.maxLeverage);
      if (leverage.gt(market.maxLeverage)) throw new Refusal('BAD_PARAMETER');
      Object.assign(leverageOf(owner, market), { leverage, marginMode });
      return {};
    },
  }),
];

export const futuresRoutes: readonly Route[] = [...publicRoutes, ...orderRoutes, ...accountRoutes];
