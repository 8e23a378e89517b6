/** BingX's calls about spot orders: https://bingx-api.github.io/docs-v3/#/en/Spot/Trades%20Endpoints */
import type { TimeInForce } from '@trading-automation/contracts';
import { z } from 'zod';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type { OrderCalls, VenueSession } from '../../ccxt/declaration.js';
import { failure, MalformedResponse } from '../../ccxt/failures.js';
import { acceptedOrder, orderArguments } from '../../ccxt/orders.js';
import { allPages } from '../../ccxt/pages.js';
import { parseResponse } from '../../ccxt/parse-response.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import type { OrderKey, OrderRequest, VenueOrder } from '../../port.js';
import { identifier } from './fields.js';
import { readBingxOrder } from './records.js';

type Params = Readonly<Record<string, unknown>>;

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
/** Our clock may be ahead of that of the exchange. */
const CLOCK_MARGIN_MS = MINUTE_MS;
/** The exchange finds an order by its client order id for two hours. */
const FOUND_BY_ID_MS = 100 * MINUTE_MS;
const ORDERS_PER_PAGE = 100;

const accepted = z.object({ data: z.object({ symbol: z.string(), orderId: identifier }) });
const oneOrder = z.object({ data: z.unknown() });
const orderList = z.object({
  data: z.object({
    orders: z
      .array(z.unknown())
      .nullish()
      .transform((list) => list ?? []),
  }),
});

export const bingxOrders: OrderCalls = {
  place: async ({ ccxt }, order) => {
    const { symbol } = order;
    const response = await callEndpoint(ccxt, 'spotV1PrivatePostTradeOrder', orderRequest(ccxt, order));
    const { data } = parseResponse(accepted, response);
    if (data.symbol !== ccxt.market(symbol).id) throw new MalformedResponse('an order of another symbol');
    return acceptedOrder(order, data.orderId, venueTime(ccxt));
  },
  cancel: async (session, { symbol, venueClientOrderId }) => {
    const byClientId = { clientOrderID: venueClientOrderId };
    if (await cancelOrder(session, symbol, byClientId)) return;
    // The exchange forgets the client order id of an open order, too.
    const open = await findOpen(session.ccxt, symbol, venueClientOrderId);
    const isCancelled =
      open !== undefined && (await cancelOrder(session, symbol, { orderId: open.exchangeOrderId }));
    if (!isCancelled) throw failure(['rejected', 'order_not_found']);
  },
  cancelByExchangeId: async (session, { symbol, exchangeOrderId }) => {
    const isCancelled = await cancelOrder(session, symbol, { orderId: exchangeOrderId });
    if (!isCancelled) throw failure(['rejected', 'order_not_found']);
  },
  find: async (session, key) => {
    const order = await findByClientId(session, key);
    if (order !== undefined) return { outcome: 'FOUND', order };
    const { sentAt } = key;
    const isRecent =
      sentAt !== undefined && venueTime(session.ccxt).getTime() - sentAt.getTime() < FOUND_BY_ID_MS;
    return { outcome: isRecent ? 'ABSENT' : 'NOT_KNOWN' };
  },
  findByExchangeId: (session, { symbol, exchangeOrderId }) =>
    queryOrder(
      session,
      symbol,
      { orderId: exchangeOrderId },
      (order) => order.exchangeOrderId === exchangeOrderId,
    ),
  fetchOpen: ({ ccxt }, symbol) => fetchOpen(ccxt, symbol),
};

/** Returns whether the exchange accepted the cancellation; false if it has no such open order. */
async function cancelOrder({ ccxt, orNull }: VenueSession, symbol: string, key: Params): Promise<boolean> {
  const { id } = ccxt.market(symbol);
  const response = await orNull(() =>
    callEndpoint(ccxt, 'spotV1PrivatePostTradeCancel', { symbol: id, ...key }),
  );
  if (response === null) return false;
  if (parseResponse(accepted, response).data.symbol !== id)
    throw new MalformedResponse('an order of another symbol');
  return true;
}

/** Asks for the order itself first. The open orders and the ended ones can be listed for longer. */
async function findByClientId(session: VenueSession, key: OrderKey): Promise<VenueOrder | undefined> {
  const { ccxt } = session;
  const { symbol, venueClientOrderId, sentAt } = key;
  const isRequested = (order: VenueOrder) => order.venueClientOrderId === venueClientOrderId;
  const byId = { clientOrderID: venueClientOrderId };
  const order =
    (await queryOrder(session, symbol, byId, isRequested)) ??
    (await findOpen(ccxt, symbol, venueClientOrderId));
  if (order !== undefined || sentAt === undefined) return order;
  return (await fetchEnded(ccxt, symbol, sentAt)).find(isRequested);
}

/** @throws {MalformedResponse} if the answer is not the requested order */
function queryOrder(
  { ccxt, orNull }: VenueSession,
  symbol: string,
  key: Params,
  isRequested: (order: VenueOrder) => boolean,
): Promise<VenueOrder | null> {
  return orNull(async () => {
    const params = { symbol: ccxt.market(symbol).id, ...key };
    const response = await callEndpoint(ccxt, 'spotV1PrivateGetTradeQuery', params);
    const order = readBingxOrder(ccxt, parseResponse(oneOrder, response).data);
    if (order?.symbol !== symbol || !isRequested(order)) throw new MalformedResponse('another order');
    return order;
  });
}

async function findOpen(
  ccxt: CcxtClient,
  symbol: string,
  venueClientOrderId: string,
): Promise<VenueOrder | undefined> {
  return (await fetchOpen(ccxt, symbol)).find((order) => order.venueClientOrderId === venueClientOrderId);
}

/** The list is complete: an account has 1,000 open orders at most, and the list has up to 2,000. */
async function fetchOpen(ccxt: CcxtClient, symbol: string | undefined): Promise<readonly VenueOrder[]> {
  const params = symbol === undefined ? {} : { symbol: ccxt.market(symbol).id };
  const response = await callEndpoint(ccxt, 'spotV1PrivateGetTradeOpenOrders', params);
  return parseResponse(orderList, response)
    .data.orders.flatMap((record) => readBingxOrder(ccxt, record) ?? [])
    .filter((order) => order.status === 'OPEN' && order.symbol === (symbol ?? order.symbol));
}

/** Returns the ended orders of the day after a time. */
async function fetchEnded(ccxt: CcxtClient, symbol: string, since: Date): Promise<readonly VenueOrder[]> {
  const startTime = since.getTime() - CLOCK_MARGIN_MS;
  const endTime = Math.min(startTime + DAY_MS, venueTime(ccxt).getTime() + CLOCK_MARGIN_MS);
  const range = { symbol: ccxt.market(symbol).id, startTime, endTime, pageSize: ORDERS_PER_PAGE };
  const records = await allPages(async (page = '1') => {
    const params = { ...range, pageIndex: Number(page) };
    const response = await callEndpoint(ccxt, 'spotV1PrivateGetTradeHistoryOrders', params);
    const items = parseResponse(orderList, response).data.orders;
    return { items, next: items.length < ORDERS_PER_PAGE ? undefined : String(Number(page) + 1) };
  });
  return records
    .flatMap((record) => readBingxOrder(ccxt, record) ?? [])
    .filter((order) => order.symbol === symbol);
}

const TIMES_IN_FORCE: Readonly<Record<TimeInForce, string>> = {
  GTC: 'GTC',
  IOC: 'IOC',
  FOK: 'FOK',
  POST_ONLY: 'PostOnly',
};

function orderRequest(ccxt: CcxtClient, order: OrderRequest): Params {
  const { type } = orderArguments(order, true);
  const { symbol, side, amount, price, timeInForce, venueClientOrderId } = order;
  return {
    symbol: ccxt.market(symbol).id,
    side,
    type: type.toUpperCase(),
    quantity: ccxt.amountToPrecision(symbol, amount),
    ...(type === 'limit' && {
      price: ccxt.priceToPrecision(symbol, price),
      timeInForce: TIMES_IN_FORCE[timeInForce],
    }),
    newClientOrderId: venueClientOrderId,
  };
}
