/** Gate's calls about orders and fills of futures: https://www.gate.com/docs/developers/apiv4/en/#futures */
import { toContracts } from '../../ccxt/amounts.js';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type { FillCalls, OrderCalls, VenueSession } from '../../ccxt/declaration.js';
import { MalformedResponse } from '../../ccxt/failures.js';
import { sortByExecution } from '../../ccxt/fills.js';
import { orderArguments } from '../../ccxt/orders.js';
import { allRanges } from '../../ccxt/pages.js';
import type { OrderKey, OrderRequest, VenueFill, VenueOrder } from '../../port.js';
import { readFuturesFill, readFuturesOrder } from './futures-records.js';
import { textOf } from './ids.js';
import { fetchList, secondsBetween } from './lists.js';
import { TIMES_IN_FORCE } from './times-in-force.js';

const DAY_MS = 86_400_000;
export const RANGES = { spanMs: 30 * DAY_MS, historyMs: 365 * DAY_MS };
const ORDERS_PER_PAGE = 100;
const FILLS_PER_PAGE = 1_000;
const CLOCK_MARGIN_MS = 60_000;
/** The exchange forgets a cancelled order without fills ten minutes after its end. The rest is a margin. */
const REMEMBERED_MS = 8 * 60_000;
const settle = 'usdt';

export const futuresOrders: OrderCalls = {
  place: async ({ ccxt }, order) => {
    const response = await callEndpoint(ccxt, 'privateFuturesPostSettleOrders', orderRequest(ccxt, order));
    return readRequested(ccxt, response, order);
  },
  cancel: async ({ ccxt }, { symbol, venueClientOrderId }) => {
    const key = { settle, order_id: textOf(venueClientOrderId) };
    const response = await callEndpoint(ccxt, 'privateFuturesDeleteSettleOrdersOrderId', key);
    readRequested(ccxt, response, { symbol, venueClientOrderId });
  },
  cancelByExchangeId: async ({ ccxt }, { exchangeOrderId }) => {
    const key = { settle, order_id: exchangeOrderId };
    const response = await callEndpoint(ccxt, 'privateFuturesDeleteSettleOrdersOrderId', key);
    const order = readFuturesOrder(ccxt, response);
    if (order?.exchangeOrderId !== exchangeOrderId) throw new MalformedResponse('another order');
  },
  find: async (session, key) => {
    const order = await findByText(session, key);
    if (order !== null) return { outcome: 'FOUND', order };
    const age = key.sentAt === undefined ? Number.POSITIVE_INFINITY : Date.now() - key.sentAt.getTime();
    return { outcome: age > REMEMBERED_MS ? 'NOT_KNOWN' : 'ABSENT' };
  },
  findByExchangeId: ({ ccxt, orNull }, { symbol, exchangeOrderId }) =>
    orNull(async () => {
      const key = { settle, order_id: exchangeOrderId };
      const response = await callEndpoint(ccxt, 'privateFuturesGetSettleOrdersOrderId', key);
      const order = readFuturesOrder(ccxt, response);
      if (order?.symbol !== symbol || order.exchangeOrderId !== exchangeOrderId)
        throw new MalformedResponse('another order');
      return order;
    }),
  fetchOpen: ({ ccxt }, symbol) => fetchOpen(ccxt, symbol),
};

/** Returns the order with a client order id: by the id itself, and among the open orders and those since its sending. */
async function findByText(
  { ccxt, orNull }: VenueSession,
  { symbol, venueClientOrderId, sentAt }: OrderKey,
): Promise<VenueOrder | null> {
  const requested = { symbol, venueClientOrderId };
  const direct = await orNull(async () => {
    const key = { settle, order_id: textOf(venueClientOrderId) };
    const response = await callEndpoint(ccxt, 'privateFuturesGetSettleOrdersOrderId', key);
    return readRequested(ccxt, response, requested);
  });
  if (direct !== null) return direct;
  const matches = (order: VenueOrder) => order.venueClientOrderId === venueClientOrderId;
  // An order that ends between the two calls is in the second list.
  const open = (await fetchOpen(ccxt, symbol)).find(matches);
  if (open !== undefined || sentAt === undefined) return open ?? null;
  const from = new Date(sentAt.getTime() - CLOCK_MARGIN_MS);
  const records = await allRanges(from, RANGES, (start, end) => {
    const params = { settle, contract: ccxt.market(symbol).id, ...secondsBetween(start, end) };
    const request = { params, limit: ORDERS_PER_PAGE, paging: 'OFFSET' } as const;
    return fetchList(ccxt, 'privateFuturesGetSettleOrdersTimerange', request);
  });
  return records.flatMap((record) => readFuturesOrder(ccxt, record) ?? []).find(matches) ?? null;
}

async function fetchOpen(ccxt: CcxtClient, symbol: string | undefined): Promise<readonly VenueOrder[]> {
  const market = symbol === undefined ? {} : { contract: ccxt.market(symbol).id };
  const params = { settle, ...market, status: 'open' };
  const request = { params, limit: ORDERS_PER_PAGE, paging: 'OFFSET' } as const;
  const records = await fetchList(ccxt, 'privateFuturesGetSettleOrders', request);
  const orders = records.flatMap((record) => readFuturesOrder(ccxt, record) ?? []);
  return orders.filter(({ status }) => status === 'OPEN');
}

function readRequested(
  ccxt: CcxtClient,
  record: unknown,
  { symbol, venueClientOrderId }: Pick<OrderKey, 'symbol' | 'venueClientOrderId'>,
): VenueOrder {
  const order = readFuturesOrder(ccxt, record);
  if (order?.symbol !== symbol || order.venueClientOrderId !== venueClientOrderId)
    throw new MalformedResponse('another order');
  return order;
}

function orderRequest(ccxt: CcxtClient, order: OrderRequest): Readonly<Record<string, unknown>> {
  const { type } = orderArguments(order, false);
  const { symbol, side, price, timeInForce, venueClientOrderId, reduceOnly } = order;
  const { id, precision } = ccxt.market(symbol);
  const contracts = ccxt.amountToPrecision(symbol, toContracts(ccxt, symbol, order.amount));
  const size = side === 'BUY' ? contracts : `-${contracts}`;
  const isLimit = type === 'limit';
  return {
    settle,
    contract: id,
    // The number of contracts; negative for a sale. A string may have a fraction, if the contract allows it.
    size: precision.amount === '1' ? Number(size) : size,
    price: isLimit ? ccxt.priceToPrecision(symbol, price) : '0',
    tif: isLimit ? TIMES_IN_FORCE[timeInForce] : 'ioc',
    text: textOf(venueClientOrderId),
    reduce_only: reduceOnly,
  };
}

export const futuresFills: FillCalls = {
  listedForMs: RANGES.historyMs,
  ofOrder: async ({ ccxt }, { symbol, exchangeOrderId }) => {
    const params = { settle, contract: ccxt.market(symbol).id, order: exchangeOrderId };
    const request = { params, limit: FILLS_PER_PAGE, paging: 'OFFSET' } as const;
    return oldestFirst(ccxt, await fetchList(ccxt, 'privateFuturesGetSettleMyTrades', request));
  },
  since: async ({ ccxt }, symbol, since) => {
    const fills = await allRanges(since, RANGES, async (from, to) => {
      const params = { settle, contract: ccxt.market(symbol).id, ...secondsBetween(from, to) };
      const request = { params, limit: FILLS_PER_PAGE, paging: 'OFFSET' } as const;
      const records = await fetchList(ccxt, 'privateFuturesGetSettleMyTradesTimerange', request);
      return oldestFirst(ccxt, records).filter(({ executedAt }) => executedAt >= from && executedAt <= to);
    });
    return sortByExecution(fills);
  },
};

/** The list begins with the newest fill. Fills of one millisecond keep their order. */
function oldestFirst(ccxt: CcxtClient, records: readonly unknown[]): readonly VenueFill[] {
  return sortByExecution(records.flatMap((record) => readFuturesFill(ccxt, record) ?? []).reverse());
}
