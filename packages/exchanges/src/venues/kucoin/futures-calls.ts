/** KuCoin's calls about orders of futures: https://www.kucoin.com/docs-new/rest/futures-trading/introduction */
import { z } from 'zod';
import { toContracts } from '../../ccxt/amounts.js';
import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import type { FillCalls, OrderCalls, VenueSession } from '../../ccxt/declaration.js';
import { failure, MalformedResponse } from '../../ccxt/failures.js';
import { sortByExecution } from '../../ccxt/fills.js';
import { acceptedOrder, orderArguments } from '../../ccxt/orders.js';
import { allPages, allRanges } from '../../ccxt/pages.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import type { OrderRequest, VenueFill, VenueOrder } from '../../port.js';
import { readFuturesFill, readFuturesOrder } from './futures-records.js';
import { fetchData, isAbsenceProven, RANGES } from './lists.js';

const PAGE_SIZE = 1_000;
const placed = z.object({ orderId: z.string().min(1) });
const cancelled = z.object({ clientOid: z.string() });
const cancelledIds = z.object({ cancelledOrderIds: z.array(z.string()) });
const page = z.object({ totalPage: z.number(), items: z.array(z.unknown()) });

/** Returns the records of all pages of a list. */
export function fetchPages(
  ccxt: CcxtClient,
  endpoint: string,
  params: Readonly<Record<string, unknown>>,
): Promise<readonly unknown[]> {
  return allPages(async (cursor) => {
    const currentPage = Number(cursor ?? 1);
    const request = { ...params, currentPage, pageSize: PAGE_SIZE };
    const { items, totalPage } = await fetchData(ccxt, endpoint, request, page);
    return { items, next: currentPage < totalPage ? String(currentPage + 1) : undefined };
  });
}

export const futuresOrders: OrderCalls = {
  place: async ({ ccxt }, order) => {
    const request = orderRequest(ccxt, order);
    const { orderId } = await fetchData(ccxt, 'futuresPrivatePostOrders', request, placed);
    return acceptedOrder(order, orderId, venueTime(ccxt));
  },
  cancel: async ({ ccxt }, { symbol, venueClientOrderId: clientOid }) => {
    const key = { clientOid, symbol: ccxt.market(symbol).id };
    const endpoint = 'futuresPrivateDeleteOrdersClientOrderClientOid';
    const answer = await fetchData(ccxt, endpoint, key, cancelled);
    if (answer.clientOid !== clientOid) throw new MalformedResponse('another order');
  },
  cancelByExchangeId: async ({ ccxt }, { exchangeOrderId: orderId }) => {
    const answer = await fetchData(ccxt, 'futuresPrivateDeleteOrdersOrderId', { orderId }, cancelledIds);
    if (!answer.cancelledOrderIds.includes(orderId)) throw new MalformedResponse('another order');
  },
  find: async (session, { symbol, venueClientOrderId: clientOid, sentAt }) => {
    const order = await fetchOrder(session, symbol, 'futuresPrivateGetOrdersByClientOid', { clientOid });
    if (order === null) return { outcome: isAbsenceProven(sentAt) ? 'ABSENT' : 'NOT_KNOWN' };
    if (order.venueClientOrderId !== clientOid) throw new MalformedResponse('another order');
    return { outcome: 'FOUND', order };
  },
  findByExchangeId: async (session, { symbol, exchangeOrderId: orderId }) => {
    const order = await fetchOrder(session, symbol, 'futuresPrivateGetOrdersOrderId', { orderId });
    if (order !== null && order.exchangeOrderId !== orderId) throw new MalformedResponse('another order');
    return order;
  },
  fetchOpen: async ({ ccxt }, symbol) => {
    const market = symbol === undefined ? {} : { symbol: ccxt.market(symbol).id };
    const records = await fetchPages(ccxt, 'futuresPrivateGetOrders', { ...market, status: 'active' });
    return records
      .flatMap((record) => readFuturesOrder(ccxt, record) ?? [])
      .filter(({ status }) => status === 'OPEN');
  },
};

async function fetchOrder(
  { ccxt, orNull }: VenueSession,
  symbol: string,
  endpoint: string,
  key: Readonly<Record<string, string>>,
): Promise<VenueOrder | null> {
  const record = await orNull(() => fetchData(ccxt, endpoint, key, z.unknown()));
  if (record == null) return null;
  const order = readFuturesOrder(ccxt, record);
  if (order?.symbol !== symbol) throw new MalformedResponse('another order');
  return order;
}

function orderRequest(ccxt: CcxtClient, order: OrderRequest): Readonly<Record<string, unknown>> {
  const { type } = orderArguments(order, false);
  const { symbol, side, price, timeInForce, venueClientOrderId: clientOid, reduceOnly } = order;
  if (timeInForce === 'FOK') throw failure(['rejected', 'not_supported']);
  const isPostOnly = timeInForce === 'POST_ONLY';
  const terms = { timeInForce: isPostOnly ? 'GTC' : timeInForce, postOnly: isPostOnly };
  const contracts = ccxt.amountToPrecision(symbol, toContracts(ccxt, symbol, order.amount));
  return {
    clientOid,
    symbol: ccxt.market(symbol).id,
    side: side === 'BUY' ? 'buy' : 'sell',
    type,
    size: Number(contracts),
    reduceOnly,
    // The leverage of cross margin is a setting of the account.
    marginMode: 'CROSS',
    ...(type === 'limit' && { price: ccxt.priceToPrecision(symbol, price), ...terms }),
  };
}

/** The list of all fills is not up to date. That of the last day is, but it has 1,000 fills at most. */
async function fetchRecentFills(ccxt: CcxtClient, symbol: string): Promise<readonly VenueFill[]> {
  const params = { symbol: ccxt.market(symbol).id };
  const records = await fetchData(ccxt, 'futuresPrivateGetRecentFills', params, z.array(z.unknown()));
  return readFills(ccxt, records);
}

/** Lists begin with the newest fill. Fills of one millisecond keep their order. */
const readFills = (ccxt: CcxtClient, records: readonly unknown[]): readonly VenueFill[] =>
  records.flatMap((record) => readFuturesFill(ccxt, record) ?? []).reverse();

/** Returns each fill once, oldest first. */
function merge(...lists: readonly (readonly VenueFill[])[]): readonly VenueFill[] {
  const byId = new Map<string, VenueFill>();
  for (const fill of lists.flat()) byId.set(`${fill.exchangeFillId} ${fill.exchangeOrderId}`, fill);
  return sortByExecution([...byId.values()]);
}

export const futuresFills: FillCalls = {
  listedForMs: RANGES.historyMs,
  ofOrder: async ({ ccxt }, { symbol, exchangeOrderId: orderId }) => {
    const all = readFills(ccxt, await fetchPages(ccxt, 'futuresPrivateGetFills', { orderId }));
    const recent = await fetchRecentFills(ccxt, symbol);
    return merge(
      all,
      recent.filter((fill) => fill.exchangeOrderId === orderId),
    );
  },
  since: async ({ ccxt }, symbol, since) => {
    const all = await allRanges(since, RANGES, async (from, to) => {
      const range = { startAt: from.getTime(), endAt: to.getTime() };
      const params = { symbol: ccxt.market(symbol).id, ...range };
      return readFills(ccxt, await fetchPages(ccxt, 'futuresPrivateGetFills', params));
    });
    const recent = await fetchRecentFills(ccxt, symbol);
    return merge(
      all,
      recent.filter(({ executedAt }) => executedAt >= since),
    );
  },
};
