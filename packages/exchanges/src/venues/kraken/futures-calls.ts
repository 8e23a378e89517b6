/** Kraken's calls about futures orders and fills: https://docs.kraken.com/api-reference/order-management */
import { z } from 'zod';
import { add, toContracts } from '../../ccxt/amounts.js';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type { FillCalls, OrderCalls, VenueSession } from '../../ccxt/declaration.js';
import { failure, MalformedResponse } from '../../ccxt/failures.js';
import { sortByExecution } from '../../ccxt/fills.js';
import { acceptedOrder, orderArguments } from '../../ccxt/orders.js';
import { allPages } from '../../ccxt/pages.js';
import { jsonDecimal, parseResponse } from '../../ccxt/parse-response.js';
import { POSITION_TOO_LARGE, PRICE_TOO_FAR } from '../../ccxt/rule-messages.js';
import type {
  ExchangeErrorCode,
  ExchangeOrderKey,
  OrderKey,
  OrderLookup,
  OrderRequest,
  VenueFill,
  VenueOrder,
} from '../../port.js';
import { postFutures } from './futures-client.js';
import {
  fillOf,
  isoInstant,
  type OrderEvent,
  orderOfEvents,
  readOpenOrder,
  readOrderEvent,
  readOrderStatus,
  symbolOfInstrument,
} from './futures-records.js';

/** How much earlier than our time of sending the exchange may have received an order. */
const CLOCK_MARGIN_MS = 60_000;
/** How far back an order is looked for by the exchange's id. */
const SEARCH_MS = 7 * 86_400_000;
const FILLS_PER_PAGE = 100;
const HISTORY = { version: 'v3' };

const sent = z.object({
  sendStatus: z.object({
    status: z.string(),
    order_id: z.string().nullish(),
    receivedTime: isoInstant.nullish(),
  }),
});
const cancelled = z.object({ cancelStatus: z.object({ status: z.string() }) });
const statuses = z.object({ orders: z.array(z.unknown()).default([]) });
const openOrders = z.object({ openOrders: z.array(z.unknown()) });

/** What the exchange answers instead of placing an order. */
const REFUSALS: Readonly<Record<string, ExchangeErrorCode>> = {
  invalidOrderType: 'rule_violated',
  invalidSide: 'rule_violated',
  invalidSize: 'rule_violated',
  invalidPrice: 'rule_violated',
  outsidePriceCollar: 'rule_violated',
  maxPositionViolation: 'rule_violated',
  insufficientAvailableFunds: 'insufficient_balance',
  wouldCauseLiquidation: 'insufficient_balance',
  clientOrderIdAlreadyExist: 'duplicate_client_order_id',
  postWouldExecute: 'would_not_fit_book',
  notFound: 'order_not_found',
};
const RULES: Readonly<Record<string, string>> = {
  outsidePriceCollar: PRICE_TOO_FAR,
  maxPositionViolation: POSITION_TOO_LARGE,
};
const ACCEPTED = new Set(['placed', 'partiallyFilled', 'filled']);

export const futuresOrders: OrderCalls = {
  place: async ({ ccxt }, order) => {
    const response = await callEndpoint(ccxt, 'privatePostSendorder', orderRequest(ccxt, order));
    const { status, order_id, receivedTime } = parseResponse(sent, response).sendStatus;
    const at = receivedTime ?? new Date();
    // An order that cannot fill at once is accepted and ended.
    if (status === 'iocWouldNotExecute' && order_id)
      return { ...acceptedOrder(order, order_id, at), status: 'EXPIRED' };
    if (!ACCEPTED.has(status)) throw refusalOf(status);
    if (!order_id) throw new MalformedResponse('an order without an id');
    return acceptedOrder(order, order_id, at);
  },
  cancel: ({ ccxt }, { venueClientOrderId }) => cancelOrder(ccxt, { cliOrdId: venueClientOrderId }),
  cancelByExchangeId: ({ ccxt }, { exchangeOrderId }) => cancelOrder(ccxt, { order_id: exchangeOrderId }),
  find: async (session, key) => {
    const recent = await fetchStatus(session.ccxt, { cliOrdIds: key.venueClientOrderId });
    const order = recent.find(
      ({ venueClientOrderId, symbol }) =>
        venueClientOrderId === key.venueClientOrderId && symbol === key.symbol,
    );
    return order === undefined ? findInHistory(session, key) : { outcome: 'FOUND', order };
  },
  findByExchangeId: async ({ ccxt }, { symbol, exchangeOrderId }) => {
    const recent = await fetchStatus(ccxt, { orderIds: exchangeOrderId });
    const order = recent.find((each) => each.exchangeOrderId === exchangeOrderId && each.symbol === symbol);
    if (order !== undefined) return order;
    const since = new Date(Date.now() - SEARCH_MS);
    const events = await fetchEvents(ccxt, symbol, since, ({ uid }) => uid === exchangeOrderId);
    const [first, ...others] = events;
    if (first === undefined) return null;
    const fills = await fetchFills(ccxt, symbol, first.order.timestamp);
    return orderOfEvents(ccxt, symbol, [first, ...others], filledOf(fills, exchangeOrderId));
  },
  fetchOpen: async ({ ccxt }, symbol) => {
    const response = await callEndpoint(ccxt, 'privateGetOpenorders', {});
    const orders = parseResponse(openOrders, response).openOrders;
    return orders
      .flatMap((record) => readOpenOrder(ccxt, record) ?? [])
      .filter((each) => each.symbol === (symbol ?? each.symbol));
  },
};

async function cancelOrder(
  ccxt: CcxtClient,
  id: { readonly cliOrdId: string } | { readonly order_id: string },
): Promise<void> {
  const response = await callEndpoint(ccxt, 'privatePostCancelorder', id);
  const { status } = parseResponse(cancelled, response).cancelStatus;
  if (status === 'notFound' || status === 'filled') throw failure(['rejected', 'order_not_found']);
  if (status !== 'cancelled') throw new MalformedResponse('an unknown result of a cancellation');
}

function refusalOf(status: string): Error {
  if (status === 'wouldProcessAfterSpecifiedTime') return failure(['retryable', 'refused']);
  if (status === 'marketSuspended' || status === 'marketInactive')
    return failure(['retryable', 'unreachable']);
  return failure(['rejected', REFUSALS[status] ?? 'refused', RULES[status]]);
}

/** Returns the listed orders that are open or ended in the last five seconds. */
export async function fetchStatus(
  ccxt: CcxtClient,
  ids: { readonly orderIds: string } | { readonly cliOrdIds: string },
): Promise<readonly VenueOrder[]> {
  const { orders } = parseResponse(statuses, await postFutures(ccxt, 'orders/status', ids));
  return orders.flatMap((record) => readOrderStatus(ccxt, record) ?? []);
}

/**
 * Looks for an order that is not open and has not ended in the last seconds. Fills are listed at once, events of orders
 * later, so that an order with fills alone, or without its end, is not known.
 */
async function findInHistory(
  { ccxt }: VenueSession,
  { symbol, venueClientOrderId, sentAt }: OrderKey,
): Promise<OrderLookup> {
  if (sentAt === undefined) return { outcome: 'NOT_KNOWN' };
  const since = new Date(sentAt.getTime() - CLOCK_MARGIN_MS);
  const fills = await fetchFills(ccxt, symbol, since);
  const events = await fetchEvents(ccxt, symbol, since, ({ clientId }) => clientId === venueClientOrderId);
  const [first, ...others] = events;
  if (first === undefined)
    return fills.some(({ cliOrdId }) => cliOrdId === venueClientOrderId)
      ? { outcome: 'NOT_KNOWN' }
      : { outcome: 'ABSENT' };
  const order = orderOfEvents(ccxt, symbol, [first, ...others], filledOf(fills, first.order.uid));
  return order.status === 'OPEN' ? { outcome: 'NOT_KNOWN' } : { outcome: 'FOUND', order };
}

const historyPage = z.object({
  elements: z.array(z.unknown()),
  continuationToken: z.string().optional(),
});

/** Returns the records of all pages of a history of a market, oldest first. */
function fetchHistory(
  ccxt: CcxtClient,
  endpoint: string,
  symbol: string,
  since: Date,
): Promise<readonly unknown[]> {
  const params = { ...HISTORY, tradeable: ccxt.market(symbol).id, since: since.getTime(), sort: 'asc' };
  return allPages(async (cursor) => {
    const page = cursor === undefined ? params : { ...params, continuation_token: cursor };
    const { elements, continuationToken } = parseResponse(
      historyPage,
      await callEndpoint(ccxt, endpoint, page),
    );
    return { items: elements, next: continuationToken };
  });
}

async function fetchEvents(
  ccxt: CcxtClient,
  symbol: string,
  since: Date,
  isOf: (order: OrderEvent['order']) => boolean,
): Promise<readonly OrderEvent[]> {
  const records = await fetchHistory(ccxt, 'historyGetOrders', symbol, since);
  return records.flatMap((record) => readOrderEvent(record) ?? []).filter(({ order }) => isOf(order));
}

const ORDER_TYPES = { GTC: 'lmt', IOC: 'ioc', FOK: 'fok', POST_ONLY: 'post' } as const;

function orderRequest(ccxt: CcxtClient, order: OrderRequest): Readonly<Record<string, unknown>> {
  const { type } = orderArguments(order, false);
  const { symbol, side, amount, price, timeInForce, venueClientOrderId, reduceOnly } = order;
  const isLimit = type === 'limit';
  return {
    orderType: isLimit ? ORDER_TYPES[timeInForce] : 'mkt',
    symbol: ccxt.market(symbol).id,
    side: side === 'BUY' ? 'buy' : 'sell',
    size: ccxt.amountToPrecision(symbol, toContracts(ccxt, symbol, amount)),
    cliOrdId: venueClientOrderId,
    ...(isLimit && { limitPrice: ccxt.priceToPrecision(symbol, price) }),
    ...(reduceOnly && { reduceOnly: 'true' }),
  };
}

const listedFill = z.object({
  fill_id: z.string().min(1),
  order_id: z.string().min(1),
  cliOrdId: z.string().nullish(),
  symbol: z.string(),
  side: z.enum(['buy', 'sell']),
  size: jsonDecimal,
  price: jsonDecimal,
  fillTime: isoInstant,
  fillType: z.string(),
});
type ListedFill = z.output<typeof listedFill>;
const fillPage = z.object({ fills: z.array(listedFill) });

/**
 * Returns the fills of a market at or after `since`, newest first. The list has no fees.
 * @throws {MalformedResponse} if a page is full of fills of one millisecond, because the list is paged by time
 */
async function fetchFills(ccxt: CcxtClient, symbol: string, since: Date): Promise<readonly ListedFill[]> {
  const pages = await allPages(async (lastFillTime) => {
    const params = lastFillTime === undefined ? {} : { lastFillTime };
    const { fills } = parseResponse(fillPage, await callEndpoint(ccxt, 'privateGetFills', params));
    const oldest = fills.at(-1)?.fillTime;
    if (fills.length < FILLS_PER_PAGE || oldest === undefined || oldest < since) return { items: fills };
    // A page has the fills before a time. Those of its oldest millisecond may continue on the next page.
    const next = new Date(oldest.getTime() + 1).toISOString();
    if (next === lastFillTime) throw new MalformedResponse('too many fills in one millisecond');
    return { items: fills, next };
  });
  // An account that trades with itself has two fills with the same id.
  const unique = new Map(pages.map((fill) => [`${fill.fill_id} ${fill.order_id}`, fill]));
  return [...unique.values()].filter(
    (fill) => fill.fillTime >= since && symbolOfInstrument(ccxt, fill.symbol) === symbol,
  );
}

function filledOf(fills: readonly ListedFill[], orderId: string): string {
  return fills.filter(({ order_id }) => order_id === orderId).reduce((sum, { size }) => add(sum, size), '0');
}

const party = z.object({ uid: z.string() });
const fee = z.object({ fee: jsonDecimal });
const execution = z.object({
  event: z.object({
    execution: z.object({
      execution: z.object({
        uid: z.string(),
        makerOrder: party,
        takerOrder: party,
        makerOrderData: fee,
        takerOrderData: fee,
      }),
    }),
  }),
});

/**
 * Returns the fills with their fees, which only the history of executions contains.
 * @throws {MalformedResponse} if the history does not contain a fill yet
 */
async function withFees(
  ccxt: CcxtClient,
  symbol: string,
  fills: readonly ListedFill[],
): Promise<readonly VenueFill[]> {
  const oldest = fills.at(-1);
  if (oldest === undefined) return [];
  const since = new Date(oldest.fillTime.getTime() - 1_000);
  const records = await fetchHistory(ccxt, 'historyGetExecutions', symbol, since);
  const fees = new Map<string, string>();
  for (const record of records) {
    const { uid, makerOrder, takerOrder, makerOrderData, takerOrderData } = parseResponse(execution, record)
      .event.execution.execution;
    fees.set(`${uid} ${makerOrder.uid}`, makerOrderData.fee);
    fees.set(`${uid} ${takerOrder.uid}`, takerOrderData.fee);
  }
  return fills.map((listed) => {
    const paid = fees.get(`${listed.fill_id} ${listed.order_id}`);
    if (paid === undefined) throw new MalformedResponse('the history lacks a fill');
    const { fill_id: id, order_id: orderId, side, price, size, fillType, fillTime } = listed;
    const terms = { id, orderId, symbol, price, size, fee: paid, type: fillType, at: fillTime };
    return fillOf(ccxt, { ...terms, side: side === 'buy' ? 'BUY' : 'SELL' });
  });
}

export const futuresFills: FillCalls = {
  listedForMs: SEARCH_MS,
  ofOrder: async ({ ccxt }, { symbol, exchangeOrderId }: ExchangeOrderKey) => {
    const [order] = await fetchStatus(ccxt, { orderIds: exchangeOrderId });
    const since = order?.createdAt ?? new Date(Date.now() - SEARCH_MS);
    const fills = await fetchFills(ccxt, symbol, since);
    const own = fills.filter(({ order_id }) => order_id === exchangeOrderId);
    return sortByExecution([...(await withFees(ccxt, symbol, own))].reverse());
  },
  since: async ({ ccxt }, symbol, since) => {
    const fills = await fetchFills(ccxt, symbol, since);
    return sortByExecution([...(await withFees(ccxt, symbol, fills))].reverse());
  },
};
