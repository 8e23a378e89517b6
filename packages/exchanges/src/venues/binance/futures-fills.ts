/** Fills of Binance's USD-M futures. The exchange lists them by time, seven days at most, 1,000 in a response. */
import { Precise } from 'ccxt/js/src/base/Precise';
import { z } from 'zod';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type { FillCalls, VenueSession } from '../../ccxt/declaration.js';
import { MalformedResponse } from '../../ccxt/failures.js';
import { sortByExecution } from '../../ccxt/fills.js';
import { allRanges } from '../../ccxt/pages.js';
import { parseResponse } from '../../ccxt/parse-response.js';
import type { ForcedCause, VenueFill } from '../../port.js';
import { fetchFuturesOrder } from './futures-orders.js';
import { type ListedFill, readFuturesFill, readFuturesOrder } from './futures-records.js';

type Params = Readonly<Record<string, unknown>>;

const DAY_MS = 86_400_000;
/** Fills are listed for six months. */
export const RANGES = { spanMs: 7 * DAY_MS, historyMs: 180 * DAY_MS };
const FILLS_PER_PAGE = 1_000;
const FORCED_ORDERS_PER_PAGE = 100;
const records = z.array(z.unknown());
const times = z.array(z.object({ time: z.number() }));

/** Returns the records of a time range. A full page continues at the time of its last record. */
async function fetchRange(
  ccxt: CcxtClient,
  endpoint: string,
  params: Params & { readonly limit: number },
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  let startTime = from.getTime();
  for (;;) {
    const request = { ...params, startTime, endTime: to.getTime() };
    const page = parseResponse(records, await callEndpoint(ccxt, endpoint, request));
    all.push(...page);
    if (page.length < params.limit) return all;
    const last = Math.max(...parseResponse(times, page).map(({ time }) => time));
    if (last <= startTime) throw new MalformedResponse('more records in a millisecond than in a response');
    startTime = last;
  }
}

async function fetchFills(
  ccxt: CcxtClient,
  symbol: string,
  more: Params,
  range: { readonly from: Date; readonly to: Date },
): Promise<readonly ListedFill[]> {
  const params = { symbol: ccxt.market(symbol).id, limit: FILLS_PER_PAGE, ...more };
  const page = await fetchRange(ccxt, 'fapiPrivateGetUserTrades', params, range);
  const listed = page.flatMap((record) => readFuturesFill(ccxt, record) ?? []);
  // Pages overlap. The two fills of a trade of the account with itself have the same id.
  const keyOf = ({ exchangeFillId, exchangeOrderId }: VenueFill) => `${exchangeFillId} ${exchangeOrderId}`;
  const distinct = new Map(listed.map((each) => [keyOf(each.fill), each]));
  return [...distinct.values()];
}

/** Returns the causes of the orders that the exchange placed in a range, by the exchange's id. */
async function fetchCauses(
  ccxt: CcxtClient,
  symbol: string,
  range: { readonly from: Date; readonly to: Date },
): Promise<ReadonlyMap<string, ForcedCause | undefined>> {
  const params = { symbol: ccxt.market(symbol).id, limit: FORCED_ORDERS_PER_PAGE };
  const page = await fetchRange(ccxt, 'fapiPrivateGetForceOrders', params, range);
  const orders = page.flatMap((record) => readFuturesOrder(ccxt, record) ?? []);
  return new Map(orders.map(({ exchangeOrderId, cause }) => [exchangeOrderId, cause]));
}

/** An order may have been placed a while before its fills. */
const FORCED_BEFORE_MS = 3_600_000;

async function fetchFillsOfRange(
  ccxt: CcxtClient,
  symbol: string,
  range: { readonly from: Date; readonly to: Date },
): Promise<readonly VenueFill[]> {
  const listed = await fetchFills(ccxt, symbol, {}, range);
  const suspects = sortByExecution(listed.filter(({ mayBeForced }) => mayBeForced).map(({ fill }) => fill));
  const [first, last] = [suspects[0]?.executedAt.getTime(), suspects.at(-1)?.executedAt.getTime()];
  if (first === undefined || last === undefined) return listed.map(({ fill }) => fill);
  const from = new Date(Math.max(first - FORCED_BEFORE_MS, last - RANGES.spanMs + 1));
  const causes = await fetchCauses(ccxt, symbol, { from, to: new Date(last) });
  return listed.map(({ fill }) => ({ ...fill, cause: causes.get(fill.exchangeOrderId) }));
}

/**
 * Returns the fills of one order. The exchange finds those of the last seven days by the order's id alone; if they are
 * fewer than the order has, they are listed from its creation on.
 */
async function fetchFillsOfOrder(
  session: VenueSession,
  symbol: string,
  orderId: string,
): Promise<readonly VenueFill[]> {
  const { ccxt } = session;
  const params = { symbol: ccxt.market(symbol).id, orderId, limit: FILLS_PER_PAGE };
  const page = parseResponse(records, await callEndpoint(ccxt, 'fapiPrivateGetUserTrades', params));
  const recent = page.flatMap((record) => readFuturesFill(ccxt, record)?.fill ?? []);
  const order = await fetchFuturesOrder(session, symbol, { orderId });
  if (order === null) return recent;
  const found = recent.reduce((sum, { amount }) => Precise.stringAdd(sum, amount) ?? sum, '0');
  const isComplete = Precise.stringGe(found, order.filledAmount) === true;
  const fills = isComplete ? recent : await fetchOlder(ccxt, symbol, orderId, order.createdAt);
  return fills.map((fill) => ({ ...fill, cause: order.cause }));
}

async function fetchOlder(
  ccxt: CcxtClient,
  symbol: string,
  orderId: string,
  since: Date,
): Promise<readonly VenueFill[]> {
  const listed = await allRanges(since, RANGES, (from, to) =>
    fetchFills(ccxt, symbol, { orderId }, { from, to }),
  );
  return listed.map(({ fill }) => fill);
}

export const futuresFills: FillCalls = {
  listedForMs: RANGES.historyMs,
  ofOrder: async (session, { symbol, exchangeOrderId }) =>
    sortByExecution(await fetchFillsOfOrder(session, symbol, exchangeOrderId)),
  since: async ({ ccxt }, symbol, since) =>
    sortByExecution(
      await allRanges(since, RANGES, (from, to) => fetchFillsOfRange(ccxt, symbol, { from, to })),
    ),
};
