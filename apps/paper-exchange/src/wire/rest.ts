import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Exchange } from '../engine/exchange.js';
import type { Account, Order } from '../engine/order.js';
import type { FeeRates } from '../engine/settlement.js';
import { findSymbol, lotsText, priceText, SYMBOLS } from '../engine/symbols.js';
import { refusals, VenueError } from '../errors.js';
import { authenticate } from './auth.js';
import { readOrder, required, symbolOf } from './order-params.js';
import { accountView, fillView, orderView, placedView, symbolView } from './views.js';

interface Call {
  readonly params: URLSearchParams;
  readonly payload: string;
}

/** The venue's REST wire format: https://developers.binance.com/docs/binance-spot-api-docs/rest-api. */
export function registerRest(
  app: FastifyInstance,
  exchange: Exchange,
  { fees, now }: { readonly fees: FeeRates; readonly now: () => number },
): void {
  const { state } = exchange;
  app.setErrorHandler((error, _req, reply) => {
    const refusal = error instanceof VenueError ? error : refusals.disconnected();
    return reply.code(refusal.status).send({ code: refusal.code, msg: refusal.message });
  });
  app.get('/api/v3/ping', () => ({}));
  app.get('/api/v3/time', () => ({ serverTime: now() }));
  app.get('/api/v3/exchangeInfo', () => ({
    timezone: 'UTC',
    serverTime: now(),
    rateLimits: [],
    exchangeFilters: [],
    symbols: SYMBOLS.map(symbolView),
  }));
  app.get('/api/v3/depth', (req) => depth(exchange, callOf(req).params));

  type Handler = (account: Account, params: URLSearchParams) => object;
  const signed = (method: 'GET' | 'POST' | 'DELETE', url: string, handle: Handler): void => {
    app.route({
      method,
      url,
      handler: (req) => {
        const call = callOf(req);
        const header = req.headers['x-mbx-apikey'];
        const apiKey = Array.isArray(header) ? header[0] : header;
        return handle(authenticate(state, { ...call, apiKey }, now()), call.params);
      },
    });
  };
  signed('GET', '/api/v3/account', (account) => accountView(state, account, fees, now()));
  signed('GET', '/sapi/v1/account/apiRestrictions', (account) => ({
    ipRestrict: false,
    createTime: account.createdAt,
    enableReading: true,
    enableSpotAndMarginTrading: account.canTrade,
    enableWithdrawals: account.canWithdraw,
  }));
  signed('POST', '/api/v3/order', (account, params) => {
    if (!account.canTrade) throw refusals.apiKey();
    const spec = symbolOf(params);
    const order = exchange.place(account, spec, readOrder(spec, params));
    return placedView(
      order,
      state.fillsOf(account.id).filter((fill) => fill.orderId === order.id),
    );
  });
  signed('GET', '/api/v3/order', (account, params) => {
    const order = find(exchange, account, params);
    if (order === undefined) throw refusals.noSuchOrder();
    return orderView(order);
  });
  signed('DELETE', '/api/v3/order', (account, params) => {
    const order = find(exchange, account, params);
    if (order === undefined) throw refusals.cancelUnknown();
    return canceledView(exchange.cancel(order, order.clientOrderId));
  });
  signed('GET', '/api/v3/openOrders', (account, params) =>
    openOrders(exchange, account, params).map(orderView),
  );
  signed('DELETE', '/api/v3/openOrders', (account, params) => {
    symbolOf(params);
    const open = openOrders(exchange, account, params);
    if (open.length === 0) throw refusals.cancelUnknown();
    return open.map((order) => canceledView(exchange.cancel(order, order.clientOrderId)));
  });
  signed('GET', '/api/v3/allOrders', (account, params) => {
    const { id } = symbolOf(params);
    return state
      .ordersOf(account.id)
      .filter((order) => order.symbol === id)
      .slice(-limitOf(params, 500))
      .map(orderView);
  });
  signed('GET', '/api/v3/myTrades', (account, params) => {
    const { id } = symbolOf(params);
    const orderId = params.get('orderId');
    return state
      .fillsOf(account.id)
      .filter((fill) => fill.symbol === id && (orderId === null || fill.orderId === Number(orderId)))
      .slice(-limitOf(params, 500))
      .map(fillView);
  });
}

function callOf(req: FastifyRequest): Call {
  const query = req.url.split('?')[1] ?? '';
  const body = typeof req.body === 'string' ? req.body : '';
  return { payload: query + body, params: new URLSearchParams([query, body].filter(Boolean).join('&')) };
}

function limitOf(params: URLSearchParams, fallback: number): number {
  const limit = Number(params.get('limit') ?? fallback);
  if (!Number.isInteger(limit) || limit < 1) throw refusals.malformed('limit');
  return Math.min(limit, 1_000);
}

function depth(exchange: Exchange, params: URLSearchParams): object {
  const spec = symbolOf(params);
  const limit = limitOf(params, 100);
  const { bids, asks } = exchange.book(spec).levels();
  const rows = (levels: typeof bids) =>
    levels.slice(0, limit).map(([ticks, lots]) => [priceText(spec, ticks), lotsText(spec, lots)]);
  return { lastUpdateId: exchange.depthVersion(spec), bids: rows(bids), asks: rows(asks) };
}

function find(exchange: Exchange, account: Account, params: URLSearchParams): Order | undefined {
  const { id } = symbolOf(params);
  const orderId = params.get('orderId');
  const clientId = orderId === null ? required(params, 'origClientOrderId') : undefined;
  // A client id may have been used before by an order that is closed: the newest is meant.
  return exchange.state
    .ordersOf(account.id)
    .findLast(
      (o) =>
        o.symbol === id && (clientId === undefined ? o.id === Number(orderId) : o.clientOrderId === clientId),
    );
}

function openOrders(exchange: Exchange, account: Account, params: URLSearchParams): Order[] {
  const symbol = params.get('symbol');
  if (symbol !== null && findSymbol(symbol) === undefined) throw refusals.symbol();
  return exchange.state
    .openOrdersOf(account.id)
    .filter((order) => symbol === null || order.symbol === symbol);
}

function canceledView(order: Order): object {
  return { ...orderView(order), origClientOrderId: order.clientOrderId, transactTime: order.updatedAt };
}
