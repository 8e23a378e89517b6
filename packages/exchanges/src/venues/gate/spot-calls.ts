/**
 * Gate's calls about spot orders, of the spot account and of the unified account:
 * https://www.gate.com/docs/developers/apiv4/en/#spot
 */
import { z } from 'zod';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type { FillCalls, OrderCalls, VenueSession } from '../../ccxt/declaration.js';
import { MalformedResponse } from '../../ccxt/failures.js';
import { sortByExecution } from '../../ccxt/fills.js';
import { isMarketPurchase, purchasePrice } from '../../ccxt/market-purchases.js';
import { orderArguments } from '../../ccxt/orders.js';
import { allRanges } from '../../ccxt/pages.js';
import { parseResponse } from '../../ccxt/parse-response.js';
import type { OrderKey, OrderRequest, VenueFill, VenueOrder } from '../../port.js';
import { fetchSpotBook } from './books.js';
import { textOf } from './ids.js';
import { fetchList, secondsBetween } from './lists.js';
import { readSpotFill, readSpotOrder } from './spot-records.js';
import { TIMES_IN_FORCE } from './times-in-force.js';

/** Whose balance an order uses. */
export type SpotAccount = 'spot' | 'unified';

const DAY_MS = 86_400_000;
/** Lists by time cover at most 30 days. */
const RANGES = { spanMs: 30 * DAY_MS, historyMs: 365 * DAY_MS };
const ORDERS_PER_PAGE = 100;
const FILLS_PER_PAGE = 1_000;
/** Our clock may be behind that of the exchange. */
const CLOCK_MARGIN_MS = 60_000;

const openGroups = z.array(z.object({ orders: z.array(z.unknown()) }));

export function spotOrders(account: SpotAccount): OrderCalls {
  return {
    place: async ({ ccxt }, order) => {
      const request = await orderRequest(ccxt, account, order);
      return readRequested(ccxt, await callEndpoint(ccxt, 'privateSpotPostOrders', request), order);
    },
    cancel: async ({ ccxt }, { symbol, venueClientOrderId }) => {
      const key = { order_id: textOf(venueClientOrderId), currency_pair: ccxt.market(symbol).id, account };
      const response = await callEndpoint(ccxt, 'privateSpotDeleteOrdersOrderId', key);
      readRequested(ccxt, response, { symbol, venueClientOrderId });
    },
    cancelByExchangeId: async ({ ccxt }, { symbol, exchangeOrderId }) => {
      const key = { order_id: exchangeOrderId, currency_pair: ccxt.market(symbol).id, account };
      const order = readSpotOrder(ccxt, await callEndpoint(ccxt, 'privateSpotDeleteOrdersOrderId', key));
      if (order?.exchangeOrderId !== exchangeOrderId) throw new MalformedResponse('another order');
    },
    find: async (session, key) => {
      const order = await findByText(session, account, key);
      if (order !== null) return { outcome: 'FOUND', order };
      // Without a time, the list of ended orders cannot be read completely.
      return { outcome: key.sentAt === undefined ? 'NOT_KNOWN' : 'ABSENT' };
    },
    findByExchangeId: ({ ccxt, orNull }, { symbol, exchangeOrderId }) =>
      orNull(async () => {
        const key = { order_id: exchangeOrderId, currency_pair: ccxt.market(symbol).id, account };
        const order = readSpotOrder(ccxt, await callEndpoint(ccxt, 'privateSpotGetOrdersOrderId', key));
        if (order?.symbol !== symbol || order.exchangeOrderId !== exchangeOrderId)
          throw new MalformedResponse('another order');
        return order;
      }),
    fetchOpen: ({ ccxt }, symbol) =>
      symbol === undefined ? fetchAllOpen(ccxt, account) : fetchOpenOf(ccxt, account, symbol),
  };
}

/**
 * Returns the order with a client order id. The exchange finds an order by it while the order is open, and for some time
 * after its end. The list of ended orders has every later one.
 */
async function findByText(
  { ccxt, orNull }: VenueSession,
  account: SpotAccount,
  { symbol, venueClientOrderId, sentAt }: OrderKey,
): Promise<VenueOrder | null> {
  const market = { currency_pair: ccxt.market(symbol).id, account };
  const requested = { symbol, venueClientOrderId };
  const direct = await orNull(async () => {
    const key = { order_id: textOf(venueClientOrderId), ...market };
    return readRequested(ccxt, await callEndpoint(ccxt, 'privateSpotGetOrdersOrderId', key), requested);
  });
  if (direct !== null) return direct;
  const matches = (order: VenueOrder) => order.venueClientOrderId === venueClientOrderId;
  // An order that ends between the two calls is in the second list.
  const open = (await fetchOpenOf(ccxt, account, symbol)).find(matches);
  if (open !== undefined || sentAt === undefined) return open ?? null;
  const from = new Date(sentAt.getTime() - CLOCK_MARGIN_MS);
  const ended = await allRanges(from, RANGES, (start, end) => {
    const params = { ...market, status: 'finished', ...secondsBetween(start, end) };
    return fetchList(ccxt, 'privateSpotGetOrders', { params, limit: ORDERS_PER_PAGE, paging: 'PAGE' });
  });
  return ended.flatMap((record) => readSpotOrder(ccxt, record) ?? []).find(matches) ?? null;
}

async function fetchOpenOf(
  ccxt: CcxtClient,
  account: SpotAccount,
  symbol: string,
): Promise<readonly VenueOrder[]> {
  const params = { currency_pair: ccxt.market(symbol).id, account, status: 'open' };
  const request = { params, limit: ORDERS_PER_PAGE, paging: 'PAGE' } as const;
  return openOf(ccxt, await fetchList(ccxt, 'privateSpotGetOrders', request));
}

/** Each page has at most `limit` orders of each pair. */
async function fetchAllOpen(ccxt: CcxtClient, account: SpotAccount): Promise<readonly VenueOrder[]> {
  const orders: VenueOrder[] = [];
  for (let page = 1; ; page++) {
    const params = { account, page, limit: ORDERS_PER_PAGE };
    const groups = parseResponse(openGroups, await callEndpoint(ccxt, 'privateSpotGetOpenOrders', params));
    for (const group of groups) orders.push(...openOf(ccxt, group.orders));
    if (groups.every((group) => group.orders.length < ORDERS_PER_PAGE)) return orders;
  }
}

function openOf(ccxt: CcxtClient, records: readonly unknown[]): readonly VenueOrder[] {
  return records
    .flatMap((record) => readSpotOrder(ccxt, record) ?? [])
    .filter(({ status }) => status === 'OPEN');
}

function readRequested(
  ccxt: CcxtClient,
  record: unknown,
  { symbol, venueClientOrderId }: Pick<OrderKey, 'symbol' | 'venueClientOrderId'>,
): VenueOrder {
  const order = readSpotOrder(ccxt, record);
  if (order?.symbol !== symbol || order.venueClientOrderId !== venueClientOrderId)
    throw new MalformedResponse('another order');
  return order;
}

async function orderRequest(
  ccxt: CcxtClient,
  account: SpotAccount,
  order: OrderRequest,
): Promise<Readonly<Record<string, unknown>>> {
  const { type } = orderArguments(order, true);
  const { symbol, side, price, timeInForce, venueClientOrderId } = order;
  const isPurchase = isMarketPurchase(order);
  const common = {
    text: textOf(venueClientOrderId, isPurchase),
    currency_pair: ccxt.market(symbol).id,
    account,
    side: side === 'BUY' ? 'buy' : 'sell',
    amount: ccxt.amountToPrecision(symbol, order.amount),
    ...(account === 'unified' && loanTermsOf(order)),
  };
  if (isPurchase) {
    const { asks } = await fetchSpotBook(ccxt, symbol, 5);
    return { ...common, type: 'limit', price: purchasePrice(ccxt, symbol, asks), time_in_force: 'ioc' };
  }
  if (type === 'market') return { ...common, type, time_in_force: 'ioc' };
  const limit = ccxt.priceToPrecision(symbol, price);
  return { ...common, type, price: limit, time_in_force: TIMES_IN_FORCE[timeInForce] };
}

const loanTermsOf = ({ autoBorrow, autoRepay }: OrderRequest) => ({
  auto_borrow: autoBorrow === true,
  auto_repay: autoRepay === true,
});

export const spotFills = (account: SpotAccount): FillCalls => ({
  listedForMs: RANGES.historyMs,
  ofOrder: async ({ ccxt }, { symbol, exchangeOrderId }) => {
    // Without a time, the list contains seven days.
    const key = { order_id: exchangeOrderId, currency_pair: ccxt.market(symbol).id, account };
    const order = readSpotOrder(ccxt, await callEndpoint(ccxt, 'privateSpotGetOrdersOrderId', key));
    if (order?.exchangeOrderId !== exchangeOrderId) throw new MalformedResponse('another order');
    return fetchFills(ccxt, symbol, order.createdAt, { order_id: exchangeOrderId });
  },
  since: ({ ccxt }, symbol, since) => fetchFills(ccxt, symbol, since, {}),
});

async function fetchFills(
  ccxt: CcxtClient,
  symbol: string,
  since: Date,
  filter: { readonly order_id?: string },
): Promise<readonly VenueFill[]> {
  const pair = ccxt.market(symbol).id;
  const fills = await allRanges(since, RANGES, async (from, to) => {
    const params = { currency_pair: pair, ...filter, ...secondsBetween(from, to) };
    const request = { params, limit: FILLS_PER_PAGE, paging: 'PAGE' } as const;
    const records = await fetchList(ccxt, 'privateSpotGetMyTrades', request);
    return records
      .flatMap((record) => readSpotFill(ccxt, record, pair) ?? [])
      .filter(({ executedAt }) => executedAt >= from && executedAt <= to);
  });
  // The list begins with the newest fill. Fills of one millisecond keep their order.
  return sortByExecution([...fills].reverse());
}
