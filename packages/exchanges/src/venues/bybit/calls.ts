/**
 * Bybit's calls for one category of its unified trading account: https://bybit-exchange.github.io/docs/v5/intro
 *
 * The exchange acknowledges an order with its ids alone. The account stream reports the rest.
 */
import { z } from 'zod';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type { FillCalls, OrderCalls, VenueSession } from '../../ccxt/declaration.js';
import { MalformedResponse } from '../../ccxt/failures.js';
import { sortByExecution } from '../../ccxt/fills.js';
import { acceptedOrder, orderArguments } from '../../ccxt/orders.js';
import { allPages, allRanges } from '../../ccxt/pages.js';
import { parseResponse } from '../../ccxt/parse-response.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import type { OrderLookup, OrderRequest, VenueFill, VenueOrder } from '../../port.js';
import { readBybitFill, readBybitOrder } from './records.js';

export type Category = 'spot' | 'linear';

/** The settlement currencies of linear contracts, by which their orders and positions are listed. */
export const SETTLE_COINS = ['USDT', 'USDC'] as const;
const ORDERS_PER_PAGE = 50;
const FILLS_PER_PAGE = 100;
const DAY_MS = 86_400_000;
/** An order without a fill is found until 24 hours after its end. */
const ABSENCE_PROVEN_MS = DAY_MS - 3_600_000;
/** The lists of what happened in an account reach back two years, in ranges of at most seven days. */
export const RANGES = { spanMs: 7 * DAY_MS, historyMs: 729 * DAY_MS };

const list = z.object({
  result: z.object({ list: z.array(z.unknown()), nextPageCursor: z.string().optional() }),
});

/** Returns the records of all pages of a list. */
export function fetchList(
  ccxt: CcxtClient,
  endpoint: string,
  params: Readonly<Record<string, unknown>>,
): Promise<readonly unknown[]> {
  return allPages(async (cursor) => {
    const page = cursor === undefined ? params : { ...params, cursor };
    const { result } = parseResponse(list, await callEndpoint(ccxt, endpoint, page));
    return { items: result.list, next: result.nextPageCursor };
  });
}

const acknowledgement = z.object({
  result: z.object({ orderId: z.string().min(1), orderLinkId: z.string() }),
  time: z.number(),
});

/** @param borrows whether orders trade on margin, if they ask for it */
export function bybitOrders(category: Category, borrows = false): OrderCalls {
  const findBy = async ({ ccxt }: VenueSession, symbol: string, key: Readonly<Record<string, unknown>>) => {
    const params = { category, symbol: ccxt.market(symbol).id, ...key };
    // Ended orders move from the first list to the second.
    for (const endpoint of ['privateGetV5OrderRealtime', 'privateGetV5OrderHistory']) {
      const [record] = await fetchList(ccxt, endpoint, params);
      if (record !== undefined) return readRequested(ccxt, record, symbol);
    }
    return null;
  };
  return {
    place: async ({ ccxt }, order) => {
      const request = { ...orderRequest(ccxt, category, order), ...(borrows && marginOf(order)) };
      const response = await callEndpoint(ccxt, 'privatePostV5OrderCreate', request);
      const { result, time } = parseResponse(acknowledgement, response);
      if (result.orderLinkId !== order.venueClientOrderId) throw new MalformedResponse('another order');
      return acceptedOrder(order, result.orderId, new Date(time));
    },
    cancel: async ({ ccxt }, { symbol, venueClientOrderId }) => {
      const key = { category, symbol: ccxt.market(symbol).id, orderLinkId: venueClientOrderId };
      const response = await callEndpoint(ccxt, 'privatePostV5OrderCancel', key);
      const { result } = parseResponse(acknowledgement, response);
      if (result.orderLinkId !== venueClientOrderId) throw new MalformedResponse('another order');
    },
    cancelByExchangeId: async ({ ccxt }, { symbol, exchangeOrderId: orderId }) => {
      const key = { category, symbol: ccxt.market(symbol).id, orderId };
      const response = await callEndpoint(ccxt, 'privatePostV5OrderCancel', key);
      const { result } = parseResponse(acknowledgement, response);
      if (result.orderId !== orderId) throw new MalformedResponse('another order');
    },
    find: async (session, { symbol, venueClientOrderId, sentAt }) => {
      const order = await findBy(session, symbol, { orderLinkId: venueClientOrderId });
      if (order === null) return { outcome: absenceOf(session.ccxt, sentAt) };
      if (order.venueClientOrderId !== venueClientOrderId) throw new MalformedResponse('another order');
      return { outcome: 'FOUND', order };
    },
    findByExchangeId: async (session, { symbol, exchangeOrderId }) => {
      const order = await findBy(session, symbol, { orderId: exchangeOrderId });
      if (order !== null && order.exchangeOrderId !== exchangeOrderId)
        throw new MalformedResponse('another order');
      return order;
    },
    fetchOpen: async ({ ccxt }, symbol) => {
      const groups = groupsOf(ccxt, category, symbol);
      const pages = groups.map((group) =>
        fetchList(ccxt, 'privateGetV5OrderRealtime', {
          category,
          openOnly: 0,
          limit: ORDERS_PER_PAGE,
          ...group,
        }),
      );
      const orders = (await Promise.all(pages)).flat().flatMap((each) => readBybitOrder(ccxt, each) ?? []);
      return orders.filter(({ status }) => status === 'OPEN');
    },
  };
}

function absenceOf(ccxt: CcxtClient, sentAt: Date | undefined): Exclude<OrderLookup['outcome'], 'FOUND'> {
  if (sentAt === undefined) return 'NOT_KNOWN';
  return venueTime(ccxt).getTime() - sentAt.getTime() < ABSENCE_PROVEN_MS ? 'ABSENT' : 'NOT_KNOWN';
}

/** Orders of all symbols are listed by settlement currency, those of spot all together. */
function groupsOf(
  ccxt: CcxtClient,
  category: Category,
  symbol: string | undefined,
): readonly Readonly<Record<string, string>>[] {
  if (symbol !== undefined) return [{ symbol: ccxt.market(symbol).id }];
  return category === 'spot' ? [{}] : SETTLE_COINS.map((settleCoin) => ({ settleCoin }));
}

function readRequested(ccxt: CcxtClient, record: unknown, symbol: string): VenueOrder {
  const order = readBybitOrder(ccxt, record);
  if (order?.symbol !== symbol) throw new MalformedResponse('another order');
  return order;
}

const TIMES_IN_FORCE = { GTC: 'GTC', IOC: 'IOC', FOK: 'FOK', POST_ONLY: 'PostOnly' } as const;

function orderRequest(
  ccxt: CcxtClient,
  category: Category,
  order: OrderRequest,
): Readonly<Record<string, unknown>> {
  const { type } = orderArguments(order, category === 'spot');
  const { symbol, side, price, stopPrice, timeInForce, venueClientOrderId, reduceOnly } = order;
  const isLimit = type === 'limit';
  const isBuy = side === 'BUY';
  return {
    category,
    symbol: ccxt.market(symbol).id,
    side: isBuy ? 'Buy' : 'Sell',
    orderType: isLimit ? 'Limit' : 'Market',
    qty: ccxt.amountToPrecision(symbol, order.amount),
    timeInForce: isLimit ? TIMES_IN_FORCE[timeInForce] : 'IOC',
    orderLinkId: venueClientOrderId,
    ...(isLimit && { price: ccxt.priceToPrecision(symbol, price) }),
    // Without it, a market purchase of spot would be counted in quote currency.
    ...(!isLimit && category === 'spot' && { marketUnit: 'baseCoin' }),
    ...(category === 'linear' && { positionIdx: 0, reduceOnly }),
    ...(stopPrice !== undefined && {
      triggerPrice: ccxt.priceToPrecision(symbol, stopPrice),
      triggerDirection: isBuy ? 1 : 2,
      triggerBy: 'LastPrice',
    }),
  };
}

const marginOf = ({ autoBorrow }: OrderRequest) => ({ isLeverage: autoBorrow === true ? 1 : 0 });

export function bybitFills(category: Category): FillCalls {
  const fetchFills = async (
    ccxt: CcxtClient,
    symbol: string,
    more: Readonly<Record<string, unknown>>,
  ): Promise<readonly VenueFill[]> => {
    const params = { category, symbol: ccxt.market(symbol).id, limit: FILLS_PER_PAGE, ...more };
    const records = await fetchList(ccxt, 'privateGetV5ExecutionList', params);
    // The list begins with the newest fill. Fills of one millisecond keep their order.
    return records.flatMap((record) => readBybitFill(ccxt, record) ?? []).reverse();
  };
  return {
    listedForMs: RANGES.historyMs,
    ofOrder: async ({ ccxt }, { symbol, exchangeOrderId }) =>
      sortByExecution(await fetchFills(ccxt, symbol, { orderId: exchangeOrderId })),
    since: async ({ ccxt }, symbol, since) =>
      sortByExecution(
        await allRanges(since, RANGES, (from, to) =>
          fetchFills(ccxt, symbol, { startTime: from.getTime(), endTime: to.getTime() }),
        ),
      ),
  };
}
