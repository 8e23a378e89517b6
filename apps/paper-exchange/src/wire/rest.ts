import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Exchange } from '../engine/exchange.js';
import type { Account, Order } from '../engine/order.js';
import type { FeeRates } from '../engine/settlement.js';
import { findMarket, SYMBOLS } from '../engine/symbols.js';
import { VENUE_ERRORS } from '../errors.js';
import type { MarketHistories } from '../market-data/history.js';
import type { Weather } from '../weather/weather.js';
import { authenticate } from './auth.js';
import type { RateLimits } from './limits.js';
import { registerMarketRest } from './market-rest.js';
import { readClientOrderId, readOrder, responseTypeOf } from './order-params.js';
import { integerOf, pageOf, readParams, required, symbolOf } from './params.js';
import { addVenueHooks, NEW_ORDER } from './venue-hooks.js';
import { accountView, canceledView, fillView, orderView, placedView, symbolView } from './views.js';

export interface RestOptions {
  readonly exchange: Exchange;
  readonly histories: MarketHistories;
  readonly weather: Weather;
  readonly limits: RateLimits;
  readonly fees: FeeRates;
  readonly now: () => number;
}

interface SignedCall {
  readonly account: Account;
  readonly params: URLSearchParams;
}
type Handler = (account: Account, params: URLSearchParams) => object;
type SignedRoutes = (method: 'GET' | 'DELETE', url: string, handle: Handler) => void;

/** Registers the REST routes of the venue: https://developers.binance.com/docs/binance-spot-api-docs/rest-api. */
export function registerRest(app: FastifyInstance, options: RestOptions): void {
  const { exchange, weather, limits, fees, now } = options;
  const { state } = exchange;
  addVenueHooks(app, weather, limits);
  app.get('/api/v3/ping', async () => ({}));
  app.get('/api/v3/time', async () => ({ serverTime: weather.venueTime() }));
  app.get('/api/v3/exchangeInfo', async () => ({
    timezone: 'UTC',
    serverTime: weather.venueTime(),
    rateLimits: limits.view(),
    exchangeFilters: [],
    symbols: SYMBOLS.map(symbolView),
  }));
  registerMarketRest(app, options);

  const signedCall = (req: FastifyRequest): SignedCall => {
    const header = req.headers['x-mbx-apikey'];
    const apiKey = Array.isArray(header) ? header[0] : header;
    const call = readParams(req);
    return { account: authenticate(state, { ...call, apiKey }, weather.venueTime()), params: call.params };
  };
  const signed: SignedRoutes = (method, url, handle) => {
    const handler = async (req: FastifyRequest) => {
      const { account, params } = signedCall(req);
      return handle(account, params);
    };
    app.route({ method, url, handler });
  };
  app.post(NEW_ORDER, async (req, reply) => placeOrder(options, signedCall(req), reply));
  signed('GET', '/api/v3/account', (account) => accountView(state, account, fees, now()));
  signed('GET', '/sapi/v1/account/apiRestrictions', (account) => ({
    ipRestrict: false,
    createTime: account.createdAt,
    enableReading: true,
    enableSpotAndMarginTrading: account.canTrade,
    enableWithdrawals: account.canWithdraw,
  }));
  addOrderRoutes(signed, exchange);
}

function addOrderRoutes(signed: SignedRoutes, exchange: Exchange): void {
  const { state } = exchange;
  signed('GET', '/api/v3/order', (account, params) => {
    const order = findOrder(exchange, account, params);
    if (order === undefined) throw VENUE_ERRORS.noSuchOrder();
    return orderView(order);
  });
  signed('DELETE', '/api/v3/order', (account, params) => {
    const cancelId = readClientOrderId(params);
    const order = findOrder(exchange, account, params);
    if (order === undefined) throw VENUE_ERRORS.cancelUnknown();
    return canceledView(exchange.cancel(order, cancelId), cancelId);
  });
  signed('GET', '/api/v3/openOrders', (account, params) =>
    openOrders(exchange, account, params).map(orderView),
  );
  signed('DELETE', '/api/v3/openOrders', (account, params) => {
    symbolOf(params);
    const open = openOrders(exchange, account, params);
    if (open.length === 0) throw VENUE_ERRORS.cancelUnknown();
    return open.map((order) => {
      const cancelId = readClientOrderId(params);
      return canceledView(exchange.cancel(order, cancelId), cancelId);
    });
  });
  signed('GET', '/api/v3/allOrders', (account, params) => {
    const { id } = symbolOf(params);
    const page = pageOf(params, 'orderId');
    return page(
      state.ordersOf(account.id).filter((order) => order.symbol === id),
      (order) => order.createdAt,
    ).map(orderView);
  });
  signed('GET', '/api/v3/myTrades', (account, params) => {
    const { id } = symbolOf(params);
    const orderId = integerOf(params, 'orderId');
    const page = pageOf(params, 'fromId');
    const order = orderId === undefined ? undefined : state.order(orderId);
    const isOwn = order?.accountId === account.id;
    const fills = orderId === undefined ? state.fillsOf(account.id) : isOwn ? state.fillsOfOrder(order) : [];
    return page(
      fills.filter((fill) => fill.symbol === id),
      (fill) => fill.executedAt,
    ).map(fillView);
  });
}

function placeOrder(
  { exchange, weather, limits }: RestOptions,
  { account, params }: SignedCall,
  reply: FastifyReply,
): object {
  if (weather.applies('error_rate')) throw VENUE_ERRORS.disconnected();
  if (!account.canTrade) throw VENUE_ERRORS.invalidApiKey();
  const spec = symbolOf(params);
  const responseType = responseTypeOf(params);
  const request = readOrder(spec, params);
  limits.assertOrderAllowed(account.id);
  const order = exchange.place(account, spec, request);
  const { in10s, inDay } = limits.countOrder(account.id);
  if (weather.applies('drop_answer_rate')) {
    // The connection stays open without a response, so the caller waits until its own time limit.
    return reply.hijack();
  }
  if (weather.applies('unknown_answer_rate')) throw VENUE_ERRORS.unknownOutcome();
  reply.headers({ 'x-mbx-order-count-10s': in10s, 'x-mbx-order-count-1d': inDay });
  return placedView(order, responseType, exchange.state.fillsOfOrder(order));
}

function findOrder(exchange: Exchange, account: Account, params: URLSearchParams): Order | undefined {
  const { id } = symbolOf(params);
  const orderId = params.get('orderId');
  if (orderId === null) {
    return exchange.state.orderByClientId(account.id, id, required(params, 'origClientOrderId'));
  }
  const order = exchange.state.order(Number(orderId));
  return order?.accountId === account.id && order.symbol === id ? order : undefined;
}

function openOrders(exchange: Exchange, account: Account, params: URLSearchParams): Order[] {
  const symbol = params.get('symbol');
  if (symbol !== null && findMarket(symbol) === undefined) throw VENUE_ERRORS.invalidSymbol();
  return exchange.state
    .openOrdersOf(account.id)
    .filter((order) => symbol === null || order.symbol === symbol);
}
