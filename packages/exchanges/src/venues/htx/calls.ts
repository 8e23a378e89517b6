/** HTX's calls about orders and fills of the spot account: https://huobiapi.github.io/docs/spot/v1/en/#trading */
import type { Decimal, TimeInForce } from '@trading-automation/contracts';
import { Precise } from 'ccxt/js/src/base/Precise';
import { z } from 'zod';
import { multiply, subtract } from '../../ccxt/amounts.js';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type { FillCalls, OrderCalls, VenueSession } from '../../ccxt/declaration.js';
import { failure, MalformedResponse } from '../../ccxt/failures.js';
import { sortByExecution } from '../../ccxt/fills.js';
import { acceptedOrder, orderArguments } from '../../ccxt/orders.js';
import { allRanges } from '../../ccxt/pages.js';
import { parseResponse } from '../../ccxt/parse-response.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import type { ExchangeOrderKey, OrderKey, OrderRequest, VenueFill, VenueOrder } from '../../port.js';
import { spotAccountId } from './account.js';
import { fetchHtxBook } from './books.js';
import { identifier } from './fields.js';
import { isMarketPurchase, markedIdOf } from './ids.js';
import { fetchList } from './lists.js';
import { type ListedFill, readHtxFill, readHtxOrder } from './records.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Lists by time cover at most 48 hours until the exchange's present, and reach 180 days back. */
const RANGES = { spanMs: 47 * HOUR_MS, historyMs: 179 * DAY_MS };
const OPEN_PER_PAGE = 500;
const ENDED_PER_PAGE = 100;
const FILLS_PER_PAGE = 500;
/** Our clock may be behind that of the exchange. */
const CLOCK_MARGIN_MS = MINUTE_MS;
/** The exchange finds an order by its client order id for two hours, whatever became of it. */
const FOUND_BY_ID_MS = 100 * MINUTE_MS;
const ENDED_STATES = 'filled,partial-canceled,canceled';

const placed = z.object({ data: identifier });
const cancelled = z.object({ data: z.coerce.number().int() });
const oneOrder = z.object({ data: z.unknown() });
const matches = z.object({ data: z.array(z.unknown()) });

/** What the exchange answers to a cancellation by client order id. */
const CANCELLING = 10;
const UNKNOWN_ID = 0;
const ENDED = new Set([-1, 5, 6, 7]);

export const htxOrders: OrderCalls = {
  place: async ({ ccxt }, order) => {
    const request = await orderRequest(ccxt, order);
    const response = await callEndpoint(ccxt, 'spotPrivatePostV1OrderOrdersPlace', request);
    return acceptedOrder(order, parseResponse(placed, response).data, venueTime(ccxt));
  },
  cancel: async ({ ccxt }, { symbol, venueClientOrderId }) => {
    const key = { 'client-order-id': venueClientOrderId };
    const response = await callEndpoint(ccxt, 'spotPrivatePostV1OrderOrdersSubmitCancelClientOrder', key);
    const { data: code } = parseResponse(cancelled, response);
    if (code === CANCELLING) return;
    if (ENDED.has(code)) throw failure(['rejected', 'order_not_found']);
    if (code !== UNKNOWN_ID) throw new MalformedResponse('an unknown result of a cancellation');
    // The exchange forgets the client order id of an open order after eight hours.
    const open = await findOpen(ccxt, symbol, venueClientOrderId);
    if (open === undefined) throw failure(['rejected', 'order_not_found']);
    await cancelById(ccxt, open.exchangeOrderId);
  },
  cancelByExchangeId: ({ ccxt }, { exchangeOrderId }) => cancelById(ccxt, exchangeOrderId),
  find: async (session, key) => {
    const order = await findByClientId(session, key);
    if (order !== null) return { outcome: 'FOUND', order };
    const { sentAt } = key;
    const isRecent =
      sentAt !== undefined && venueTime(session.ccxt).getTime() - sentAt.getTime() < FOUND_BY_ID_MS;
    return { outcome: isRecent ? 'ABSENT' : 'NOT_KNOWN' };
  },
  findByExchangeId: ({ ccxt, orNull }, key) => orNull(() => fetchHtxOrder(ccxt, key)),
  fetchOpen: ({ ccxt }, symbol) => fetchOpen(ccxt, symbol),
};

async function cancelById(ccxt: CcxtClient, exchangeOrderId: string): Promise<void> {
  const params = { 'order-id': exchangeOrderId };
  await callEndpoint(ccxt, 'spotPrivatePostV1OrderOrdersOrderIdSubmitcancel', params);
}

/** @throws {MalformedResponse} if this is not the requested order */
export async function fetchHtxOrder(
  ccxt: CcxtClient,
  { symbol, exchangeOrderId }: ExchangeOrderKey,
): Promise<VenueOrder> {
  const params = { 'order-id': exchangeOrderId };
  const response = await callEndpoint(ccxt, 'spotPrivateGetV1OrderOrdersOrderId', params);
  const order = readHtxOrder(ccxt, parseResponse(oneOrder, response).data);
  if (order?.exchangeOrderId !== exchangeOrderId || order.symbol !== symbol)
    throw new MalformedResponse('another order');
  return order;
}

/** Asks for the order itself first. The open orders and the filled ones can be listed for longer. */
async function findByClientId(session: VenueSession, key: OrderKey): Promise<VenueOrder | null> {
  const { ccxt } = session;
  const { symbol, venueClientOrderId, sentAt } = key;
  for (const storedId of [venueClientOrderId, markedIdOf(venueClientOrderId)]) {
    const order = await fetchByStoredId(session, key, storedId);
    if (order !== null) return order;
  }
  const open = await findOpen(ccxt, symbol, venueClientOrderId);
  if (open !== undefined || sentAt === undefined) return open ?? null;
  const start = new Date(sentAt.getTime() - CLOCK_MARGIN_MS);
  const range = timesBetween(ccxt, start, new Date(start.getTime() + RANGES.spanMs));
  const params = { symbol: ccxt.market(symbol).id, states: ENDED_STATES, ...range };
  const ended = await fetchList(ccxt, 'spotPrivateGetV1OrderOrders', params, ENDED_PER_PAGE);
  const found = ended
    .flatMap((record) => readHtxOrder(ccxt, record) ?? [])
    .find((order) => order.venueClientOrderId === venueClientOrderId);
  return found ?? null;
}

/** Returns what has certainly passed at the exchange, whose clock is known only approximately. */
const passedBy = (ccxt: CcxtClient): number => venueTime(ccxt).getTime() - CLOCK_MARGIN_MS;

/** Returns a range that begins in the past. It ends at the exchange's present if its end may not have passed. */
function timesBetween(ccxt: CcxtClient, from: Date, to: Date): Readonly<Record<string, number>> {
  const passed = passedBy(ccxt);
  const start = Math.min(from.getTime(), passed);
  return { 'start-time': start, ...(to.getTime() < passed && { 'end-time': to.getTime() }) };
}

async function fetchByStoredId(
  { ccxt, orNull }: VenueSession,
  { symbol, venueClientOrderId }: OrderKey,
  storedId: string,
): Promise<VenueOrder | null> {
  return orNull(async () => {
    const params = { clientOrderId: storedId };
    const response = await callEndpoint(ccxt, 'spotPrivateGetV1OrderOrdersGetClientOrder', params);
    const order = readHtxOrder(ccxt, parseResponse(oneOrder, response).data);
    if (order?.symbol !== symbol || order.venueClientOrderId !== venueClientOrderId)
      throw new MalformedResponse('another order');
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

async function fetchOpen(ccxt: CcxtClient, symbol: string | undefined): Promise<readonly VenueOrder[]> {
  const accountId = await spotAccountId(ccxt);
  const params = { 'account-id': accountId, ...(symbol && { symbol: ccxt.market(symbol).id }) };
  const records = await fetchList(ccxt, 'spotPrivateGetV1OrderOpenOrders', params, OPEN_PER_PAGE);
  return records
    .flatMap((record) => readHtxOrder(ccxt, record) ?? [])
    .filter((order) => order.status === 'OPEN' && order.symbol === (symbol ?? order.symbol));
}

const KINDS: Readonly<Record<TimeInForce, string>> = {
  GTC: 'limit',
  IOC: 'ioc',
  FOK: 'limit-fok',
  POST_ONLY: 'limit-maker',
};

async function orderRequest(
  ccxt: CcxtClient,
  order: OrderRequest,
): Promise<Readonly<Record<string, unknown>>> {
  const { type, side } = orderArguments(order, true);
  const { symbol, price, timeInForce, venueClientOrderId } = order;
  const isPurchase = isMarketPurchase(order);
  const common = {
    symbol: ccxt.market(symbol).id,
    amount: ccxt.amountToPrecision(symbol, order.amount),
    source: 'spot-api',
    'client-order-id': isPurchase ? markedIdOf(venueClientOrderId) : venueClientOrderId,
  };
  const terms = isPurchase
    ? { type: 'buy-ioc', price: await purchasePrice(ccxt, symbol) }
    : type === 'market'
      ? { type: `${side}-market` }
      : { type: `${side}-${KINDS[timeInForce]}`, price: ccxt.priceToPrecision(symbol, price) };
  return { 'account-id': await spotAccountId(ccxt), ...common, ...terms };
}

/** How far above the best offer a market purchase may buy. */
const PURCHASE_FACTOR = '1.02';

/** Returns the limit price of a market purchase: above the best offer, as a multiple of the price tick. */
async function purchasePrice(ccxt: CcxtClient, symbol: string): Promise<Decimal> {
  const [best] = (await fetchHtxBook(ccxt, symbol, 5)).asks;
  if (best === undefined) throw failure(['rejected', 'would_not_fit_book']);
  const highest = multiply(best[0], PURCHASE_FACTOR);
  const tick = ccxt.market(symbol).precision.price ?? '1';
  return subtract(highest, Precise.stringMod(highest, tick) ?? '0');
}

export const htxFills: FillCalls = {
  listedForMs: RANGES.historyMs,
  ofOrder: async ({ ccxt }, { symbol, exchangeOrderId }) => {
    const params = { 'order-id': exchangeOrderId };
    const response = await callEndpoint(ccxt, 'spotPrivateGetV1OrderOrdersOrderIdMatchresults', params);
    const fills = inOrder(parseResponse(matches, response).data.map((each) => readHtxFill(ccxt, each)));
    if (fills.some((fill) => fill.exchangeOrderId !== exchangeOrderId || fill.symbol !== symbol))
      throw new MalformedResponse('a fill of another order or symbol');
    return fills;
  },
  since: async ({ ccxt }, symbol, since) => {
    const records = await allRanges(since, RANGES, async (from, to) => {
      // The range before it ended at the exchange's present.
      if (from > since && from.getTime() > passedBy(ccxt)) return [];
      const params = { symbol: ccxt.market(symbol).id, ...timesBetween(ccxt, from, to) };
      const list = await fetchList(ccxt, 'spotPrivateGetV1OrderMatchresults', params, FILLS_PER_PAGE);
      return list.map((record) => readHtxFill(ccxt, record)).reverse();
    });
    return inOrder([...records].reverse()).filter(
      (fill) => fill.symbol === symbol && fill.executedAt >= since,
    );
  },
};

/** @param records newest first; fills of one millisecond keep their order */
function inOrder(records: readonly ListedFill[]): readonly VenueFill[] {
  return sortByExecution([...records].reverse().flatMap(({ fill }) => fill ?? []));
}
