/**
 * Bitget's calls for orders and fills: https://www.bitget.com/api-doc/uta/trade/Place-Order
 *
 * The exchange acknowledges an order with its ids alone. The account stream reports the rest.
 */
import type { TradingType } from '@trading-automation/contracts';
import { z } from 'zod';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type { FillCalls, OrderCalls, VenueSession } from '../../ccxt/declaration.js';
import { failure, MalformedResponse } from '../../ccxt/failures.js';
import { sortByExecution } from '../../ccxt/fills.js';
import { isMarketPurchase, purchasePrice, withPurchaseMark } from '../../ccxt/market-purchases.js';
import { acceptedOrder, orderArguments } from '../../ccxt/orders.js';
import { allPages, allRanges } from '../../ccxt/pages.js';
import { parseResponse } from '../../ccxt/parse-response.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import type { OrderRequest, VenueOrder } from '../../port.js';
import { CATEGORIES, categoriesOf, categoryOf } from './client.js';
import { readBitgetFill, readBitgetOrder } from './records.js';
import { fetchBitgetBook } from './streams.js';

type Params = Readonly<Record<string, unknown>>;

const PAGE_SIZE = 100;
/** How many levels of the book are read for the price of a market purchase. */
const BEST_OFFERS = 5;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** The lists of what happened in an account reach back 90 days, in ranges of at most 30 days. */
const RANGES = { spanMs: 30 * DAY_MS, historyMs: 90 * DAY_MS - 10 * MINUTE_MS };

const list = z.object({
  data: z.object({ list: z.array(z.unknown()).nullable(), cursor: z.string().nullish() }),
});

/** Returns the records of all pages of a list, newest first. */
function fetchList(ccxt: CcxtClient, endpoint: string, params: Params): Promise<readonly unknown[]> {
  return allPages(async (cursor) => {
    const page = { ...params, limit: PAGE_SIZE, ...(cursor === undefined ? {} : { cursor }) };
    const { data } = parseResponse(list, await callEndpoint(ccxt, endpoint, page));
    const items = data.list ?? [];
    return { items, next: items.length < PAGE_SIZE ? undefined : (data.cursor ?? undefined) };
  });
}

/** Returns the records of a list from `since` on, newest first in each range. */
export function fetchListSince(
  ccxt: CcxtClient,
  endpoint: string,
  params: Params,
  since: Date,
): Promise<readonly unknown[]> {
  return allRanges(since, RANGES, (from, to) =>
    fetchList(ccxt, endpoint, { ...params, startTime: from.getTime(), endTime: to.getTime() }),
  );
}

const acknowledgement = z.object({
  // Null if the order replaced another one that only reduces the position.
  data: z.object({ orderId: z.string().min(1).nullable(), clientOid: z.string() }),
  requestTime: z.number(),
});

const cancellation = z.object({ data: z.object({ orderId: z.string() }) });

function readAcknowledgement(response: unknown, venueClientOrderId: string) {
  const { data, requestTime } = parseResponse(acknowledgement, response);
  if (data.clientOid !== venueClientOrderId) throw new MalformedResponse('another order');
  return { orderId: data.orderId, at: new Date(requestTime) };
}

export const bitgetOrders = (type: TradingType): OrderCalls => ({
  place: async (session, order) => {
    const { ccxt } = session;
    const request = await orderRequest(ccxt, type, order);
    const response = await callEndpoint(ccxt, 'privateUtaPostV3TradePlaceOrder', request);
    const { orderId, at } = readAcknowledgement(response, request.clientOid);
    if (orderId !== null) return acceptedOrder(order, orderId, at);
    const found = await findOrder(session, type, order.symbol, { clientOid: order.venueClientOrderId });
    if (found === null) throw new MalformedResponse('an order without an id');
    return found;
  },
  cancel: async ({ ccxt }, { venueClientOrderId }) => {
    const key = { clientOid: venueClientOrderId };
    const response = await callEndpoint(ccxt, 'privateUtaPostV3TradeCancelOrder', key);
    readAcknowledgement(response, venueClientOrderId);
  },
  cancelByExchangeId: async ({ ccxt }, { exchangeOrderId: orderId }) => {
    const response = await callEndpoint(ccxt, 'privateUtaPostV3TradeCancelOrder', { orderId });
    const { data } = parseResponse(cancellation, response);
    if (data.orderId !== orderId) throw new MalformedResponse('another order');
  },
  find: async (session, { symbol, venueClientOrderId, sentAt }) => {
    const order = await findByClientOrderId(session, type, symbol, venueClientOrderId);
    if (order !== null) {
      if (order.venueClientOrderId !== venueClientOrderId) throw new MalformedResponse('another order');
      return { outcome: 'FOUND', order };
    }
    if (sentAt === undefined) return { outcome: 'NOT_KNOWN' };
    // The documentation does not promise that the call finds orders that have ended.
    const since = new Date(sentAt.getTime() - MINUTE_MS);
    const ended = (await fetchEnded(session.ccxt, type, symbol, since)).find(
      (each) => each.venueClientOrderId === venueClientOrderId,
    );
    if (ended !== undefined) return { outcome: 'FOUND', order: ended };
    const isListed = venueTime(session.ccxt).getTime() - since.getTime() < RANGES.historyMs;
    return { outcome: isListed ? 'ABSENT' : 'NOT_KNOWN' };
  },
  findByExchangeId: async (session, { symbol, exchangeOrderId }) => {
    const order = await findOrder(session, type, symbol, { orderId: exchangeOrderId });
    if (order !== null && order.exchangeOrderId !== exchangeOrderId)
      throw new MalformedResponse('another order');
    return order;
  },
  fetchOpen: async ({ ccxt }, symbol) => {
    const groups =
      symbol === undefined
        ? CATEGORIES[type].map((category) => ({ category }))
        : categoriesOf(type, symbol).map((category) => ({ category, symbol: ccxt.market(symbol).id }));
    const lists = groups.map((group) => fetchList(ccxt, 'privateUtaGetV3TradeUnfilledOrders', group));
    return (await Promise.all(lists)).flat().flatMap((record) => readBitgetOrder(ccxt, type, record) ?? []);
  },
});

async function fetchEnded(
  ccxt: CcxtClient,
  type: TradingType,
  symbol: string,
  since: Date,
): Promise<readonly VenueOrder[]> {
  const lists = categoriesOf(type, symbol).map((category) => {
    const params = { category, symbol: ccxt.market(symbol).id };
    return fetchListSince(ccxt, 'privateUtaGetV3TradeHistoryOrders', params, since);
  });
  return (await Promise.all(lists)).flat().flatMap((record) => readBitgetOrder(ccxt, type, record) ?? []);
}

/** A market purchase of spot or margin has a mark behind its id. */
async function findByClientOrderId(
  session: VenueSession,
  type: TradingType,
  symbol: string,
  clientOid: string,
): Promise<VenueOrder | null> {
  const order = await findOrder(session, type, symbol, { clientOid });
  if (order !== null || type === 'perpetual') return order;
  return findOrder(session, type, symbol, { clientOid: withPurchaseMark(clientOid) });
}

const found = z.object({ data: z.unknown() });

async function findOrder(
  { ccxt, orNull }: VenueSession,
  type: TradingType,
  symbol: string,
  key: Params,
): Promise<VenueOrder | null> {
  const response = await orNull(() => callEndpoint(ccxt, 'privateUtaGetV3TradeOrderInfo', key));
  const record = response === null ? null : parseResponse(found, response).data;
  if (record === null || record === undefined) return null;
  const order = readBitgetOrder(ccxt, type, record);
  if (order?.symbol !== symbol) throw new MalformedResponse('another order');
  return order;
}

const TIMES_IN_FORCE = { GTC: 'gtc', IOC: 'ioc', FOK: 'fok', POST_ONLY: 'post_only' } as const;

async function orderRequest(
  ccxt: CcxtClient,
  tradingType: TradingType,
  order: OrderRequest,
): Promise<Params & { readonly clientOid: string }> {
  const isSpot = tradingType !== 'perpetual';
  const { type, side } = orderArguments(order, isSpot);
  if (order.stopPrice !== undefined) throw failure(['rejected', 'not_supported']);
  const { symbol, price, timeInForce, venueClientOrderId, reduceOnly, autoBorrow } = order;
  // The exchange counts its own market purchases of spot in quote currency.
  const isPurchase = isSpot && isMarketPurchase(order);
  const asks = isPurchase ? (await fetchBitgetBook(ccxt, symbol, BEST_OFFERS)).asks : [];
  return {
    // Orders of margin borrow what the account lacks; those of spot do not.
    category: tradingType === 'margin' && autoBorrow === true ? 'MARGIN' : categoryOf(symbol),
    symbol: ccxt.market(symbol).id,
    side,
    orderType: isPurchase ? 'limit' : type,
    qty: ccxt.amountToPrecision(symbol, order.amount),
    clientOid: isPurchase ? withPurchaseMark(venueClientOrderId) : venueClientOrderId,
    ...(!isSpot && { marginMode: 'crossed' }),
    ...(isPurchase && { price: purchasePrice(ccxt, symbol, asks), timeInForce: TIMES_IN_FORCE.IOC }),
    ...(type === 'limit' && {
      price: ccxt.priceToPrecision(symbol, price),
      timeInForce: TIMES_IN_FORCE[timeInForce],
    }),
    ...(reduceOnly && !isSpot && { reduceOnly: 'yes' }),
  };
}

const FILLS = 'privateUtaGetV3TradeFills';

export function bitgetFills(type: TradingType): FillCalls {
  const readAll = async (
    ccxt: CcxtClient,
    symbol: string,
    fetchCategory: (category: string) => Promise<readonly unknown[]>,
  ) => {
    const lists = await Promise.all(categoriesOf(type, symbol).map(fetchCategory));
    // The lists begin with the newest fill. Fills of one millisecond keep their order.
    const records = lists.flatMap((each) => [...each].reverse());
    const fills = records.flatMap((record) => readBitgetFill(ccxt, type, record) ?? []);
    return sortByExecution(fills.filter((fill) => fill.symbol === symbol));
  };
  return {
    listedForMs: RANGES.historyMs,
    ofOrder: ({ ccxt }, { symbol, exchangeOrderId: orderId }) =>
      readAll(ccxt, symbol, (category) => fetchList(ccxt, FILLS, { category, orderId })),
    // The list cannot be read by symbol.
    since: ({ ccxt }, symbol, since) =>
      readAll(ccxt, symbol, (category) => fetchListSince(ccxt, FILLS, { category }, since)),
  };
}
