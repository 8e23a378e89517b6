/**
 * Coinbase's calls about orders and fills: https://docs.cdp.coinbase.com/api-reference/advanced-trade-api/rest-api
 *
 * No call looks up an order by its client order id, so that orders are listed by time.
 */
import { z } from 'zod';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type { FillCalls, OrderCalls } from '../../ccxt/declaration.js';
import { failure, MalformedResponse } from '../../ccxt/failures.js';
import { sortByExecution } from '../../ccxt/fills.js';
import { acceptedOrder, orderArguments } from '../../ccxt/orders.js';
import { allPages } from '../../ccxt/pages.js';
import { parseResponse } from '../../ccxt/parse-response.js';
import { PRICE_TOO_FAR } from '../../ccxt/rule-messages.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import type { ExchangeErrorCode, ExchangeOrderKey, OrderRequest, VenueFill, VenueOrder } from '../../port.js';
import { readCoinbaseFill, readCoinbaseOrder } from './records.js';

type Params = Readonly<Record<string, unknown>>;

const PER_PAGE = 100;
/** How much earlier than our time of sending the exchange may have received an order. */
const CLOCK_MARGIN_MS = 60_000;

const placed = z.object({
  success: z.boolean(),
  success_response: z.object({ order_id: z.string().min(1), client_order_id: z.string() }).optional(),
  error_response: z
    .object({
      error: z.string().optional(),
      preview_failure_reason: z.string().optional(),
      new_order_failure_reason: z.string().optional(),
    })
    .optional(),
});
const cancelled = z.object({
  results: z.tuple([z.object({ success: z.boolean(), failure_reason: z.string() })]),
});
const orderPage = z.object({
  orders: z.array(z.unknown()),
  has_next: z.boolean().optional(),
  cursor: z.string().optional(),
});
const fillPage = z.object({ fills: z.array(z.unknown()), cursor: z.string().optional() });
const oneOrder = z.object({ order: z.unknown() });

/** Reasons of a refused order; those of its preview begin with `PREVIEW_`. */
const REASONS: Readonly<Record<string, ExchangeErrorCode>> = {
  INSUFFICIENT_FUND: 'insufficient_balance',
  INSUFFICIENT_FUNDS: 'insufficient_balance',
  INSUFFICIENT_LEDGER_BALANCE: 'insufficient_balance',
  INVALID_PRODUCT_ID: 'not_supported',
  UNSUPPORTED_ORDER_CONFIGURATION: 'not_supported',
  INVALID_SIZE_PRECISION: 'rule_violated',
  INVALID_PRICE_PRECISION: 'rule_violated',
  INVALID_LIMIT_PRICE: 'rule_violated',
  INVALID_BASE_SIZE_TOO_SMALL: 'rule_violated',
  INVALID_BASE_SIZE_TOO_LARGE: 'rule_violated',
  INVALID_QUOTE_SIZE_TOO_SMALL: 'rule_violated',
  INVALID_QUOTE_SIZE_TOO_LARGE: 'rule_violated',
  LIMIT_PRICE_TOO_FAR_FROM_MARKET: 'rule_violated',
  INVALID_LIMIT_PRICE_POST_ONLY: 'would_not_fit_book',
  INVALID_NO_LIQUIDITY: 'would_not_fit_book',
  DUPLICATE_CLIENT_ORDER_ID: 'duplicate_client_order_id',
  ORDER_ENTRY_DISABLED: 'refused',
  INELIGIBLE_PAIR: 'refused',
  UNTRADABLE_PRODUCT: 'refused',
  GEOFENCING_RESTRICTION: 'refused',
  COMMANDER_REJECTED_NEW_ORDER: 'refused',
};

/** Why an order was not cancelled because it has ended. */
const GONE = new Set(['UNKNOWN_CANCEL_ORDER', 'ORDER_IS_FULLY_FILLED', 'DUPLICATE_CANCEL_REQUEST']);

export const coinbaseOrders: OrderCalls = {
  place: async ({ ccxt }, order) => {
    const response = await callEndpoint(ccxt, 'v3PrivatePostBrokerageOrders', orderRequest(ccxt, order));
    const { success, success_response, error_response = {} } = parseResponse(placed, response);
    if (!success) throw refusalOf(Object.values(error_response));
    if (success_response?.client_order_id !== order.venueClientOrderId)
      throw new MalformedResponse('another order');
    return acceptedOrder(order, success_response.order_id, venueTime(ccxt));
  },
  cancel: async ({ ccxt }, { symbol, venueClientOrderId }) => {
    const open = await fetchOrders(ccxt, symbol, { order_status: ['OPEN'] });
    const order = open.find((each) => each.venueClientOrderId === venueClientOrderId);
    if (order === undefined) throw failure(['rejected', 'order_not_found']);
    await cancelOrder(ccxt, order.exchangeOrderId);
  },
  cancelByExchangeId: ({ ccxt }, { exchangeOrderId }) => cancelOrder(ccxt, exchangeOrderId),
  find: async ({ ccxt }, { symbol, venueClientOrderId, sentAt }) => {
    // Without a time, only open orders are few enough to be listed.
    const filter =
      sentAt === undefined
        ? { order_status: ['OPEN'] }
        : { start_date: new Date(sentAt.getTime() - CLOCK_MARGIN_MS).toISOString() };
    const orders = await fetchOrders(ccxt, symbol, filter);
    const order = orders.find((each) => each.venueClientOrderId === venueClientOrderId);
    if (order !== undefined) return { outcome: 'FOUND', order };
    return { outcome: sentAt === undefined ? 'NOT_KNOWN' : 'ABSENT' };
  },
  findByExchangeId: ({ ccxt, orNull }, key) => orNull(() => fetchCoinbaseOrder(ccxt, key)),
  fetchOpen: ({ ccxt }, symbol) => fetchOrders(ccxt, symbol, { order_status: ['OPEN'] }),
};

async function cancelOrder(ccxt: CcxtClient, exchangeOrderId: string): Promise<void> {
  const params = { order_ids: [exchangeOrderId] };
  const response = await callEndpoint(ccxt, 'v3PrivatePostBrokerageOrdersBatchCancel', params);
  const [{ success, failure_reason }] = parseResponse(cancelled, response).results;
  if (success) return;
  throw failure(['rejected', GONE.has(failure_reason) ? 'order_not_found' : 'refused']);
}

/** A reason that is not known states nothing about the order. */
function refusalOf(reasons: readonly (string | undefined)[]): Error {
  const known = reasons.map((each) => each?.replace('PREVIEW_', '') ?? '').find((each) => each in REASONS);
  const code = REASONS[known ?? ''];
  if (code === undefined) return new MalformedResponse('an unknown reason of a refusal');
  return failure(['rejected', code, known === 'LIMIT_PRICE_TOO_FAR_FROM_MARKET' ? PRICE_TOO_FAR : undefined]);
}

/** @throws {MalformedResponse} if this is not the requested order */
export async function fetchCoinbaseOrder(
  ccxt: CcxtClient,
  { symbol, exchangeOrderId }: ExchangeOrderKey,
): Promise<VenueOrder> {
  const params = { order_id: exchangeOrderId };
  const response = await callEndpoint(ccxt, 'v3PrivateGetBrokerageOrdersHistoricalOrderId', params);
  const order = readCoinbaseOrder(ccxt, parseResponse(oneOrder, response).order);
  if (order?.exchangeOrderId !== exchangeOrderId || order.symbol !== symbol)
    throw new MalformedResponse('another order');
  return order;
}

async function fetchOrders(
  ccxt: CcxtClient,
  symbol: string | undefined,
  filter: Params,
): Promise<readonly VenueOrder[]> {
  const product = symbol === undefined ? {} : { product_ids: [ccxt.market(symbol).id] };
  const params = { ...product, ...filter, product_type: 'SPOT', limit: PER_PAGE };
  const records = await allPages(async (cursor) => {
    const page = cursor === undefined ? params : { ...params, cursor };
    const response = await callEndpoint(ccxt, 'v3PrivateGetBrokerageOrdersHistoricalBatch', page);
    const { orders, has_next, cursor: next } = parseResponse(orderPage, response);
    return { items: orders, next: has_next === true ? next : undefined };
  });
  return records
    .flatMap((record) => readCoinbaseOrder(ccxt, record) ?? [])
    .filter((each) => each.symbol === (symbol ?? each.symbol));
}

function orderRequest(ccxt: CcxtClient, order: OrderRequest): Params {
  const { type } = orderArguments(order, true);
  const { symbol, side, amount, price, timeInForce, venueClientOrderId } = order;
  const base_size = ccxt.amountToPrecision(symbol, amount);
  return {
    client_order_id: venueClientOrderId,
    product_id: ccxt.market(symbol).id,
    side,
    order_configuration:
      type === 'market'
        ? { market_market_ioc: { base_size } }
        : limitConfiguration(timeInForce, base_size, ccxt.priceToPrecision(symbol, price)),
  };
}

function limitConfiguration(
  timeInForce: OrderRequest['timeInForce'],
  base_size: string,
  limit_price: string,
) {
  const terms = { base_size, limit_price };
  if (timeInForce === 'IOC') return { sor_limit_ioc: terms };
  if (timeInForce === 'FOK') return { limit_limit_fok: terms };
  return { limit_limit_gtc: { ...terms, post_only: timeInForce === 'POST_ONLY' } };
}

/** Returns fills, oldest first. */
async function fetchFills(ccxt: CcxtClient, filter: Params): Promise<readonly VenueFill[]> {
  const params = { ...filter, limit: PER_PAGE };
  const records = await allPages(async (cursor) => {
    const page = cursor === undefined ? params : { ...params, cursor };
    const response = await callEndpoint(ccxt, 'v3PrivateGetBrokerageOrdersHistoricalFills', page);
    const { fills, cursor: next } = parseResponse(fillPage, response);
    return { items: fills, next: fills.length < PER_PAGE ? undefined : next };
  });
  // The list begins with the newest fill. Fills of one millisecond keep their order.
  return sortByExecution(records.flatMap((record) => readCoinbaseFill(ccxt, record) ?? []).reverse());
}

export const coinbaseFills: FillCalls = {
  listedForMs: Number.POSITIVE_INFINITY,
  ofOrder: async ({ ccxt }, { symbol, exchangeOrderId }) => {
    const fills = await fetchFills(ccxt, { order_ids: [exchangeOrderId] });
    if (fills.some((fill) => fill.exchangeOrderId !== exchangeOrderId || fill.symbol !== symbol))
      throw new MalformedResponse('a fill of another order or symbol');
    return fills;
  },
  since: async ({ ccxt }, symbol, since) => {
    const start = new Date(since.getTime() - 1_000).toISOString();
    const filter = { product_ids: [ccxt.market(symbol).id], start_sequence_timestamp: start };
    const fills = await fetchFills(ccxt, filter);
    return fills.filter((fill) => fill.symbol === symbol && fill.executedAt >= since);
  },
};
