/**
 * BingX's list of fills: https://bingx-api.github.io/docs-v3/#/en/Spot/Trades%20Endpoints/Query%20transaction%20details
 *
 * The list begins with the oldest fill, reaches seven days back and needs both ends of a range. The next page begins at
 * the time of the last fill.
 */
import { z } from 'zod';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type { FillCalls } from '../../ccxt/declaration.js';
import { MalformedResponse } from '../../ccxt/failures.js';
import { sortByExecution } from '../../ccxt/fills.js';
import { allPages } from '../../ccxt/pages.js';
import { parseResponse } from '../../ccxt/parse-response.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import type { VenueFill } from '../../port.js';
import { readBingxFill } from './records.js';

const MINUTE_MS = 60_000;
const HISTORY_MS = 7 * 1_440 * MINUTE_MS - MINUTE_MS;
/** The clock of the exchange may be ahead of ours. */
const CLOCK_MARGIN_MS = MINUTE_MS;
const PER_PAGE = 500;
const SECOND_MS = 1_000;

const fillList = z.object({
  data: z.object({
    fills: z
      .array(z.looseObject({ time: z.coerce.number() }))
      .nullish()
      .transform((list) => list ?? []),
  }),
});

export const bingxFills: FillCalls = {
  listedForMs: HISTORY_MS,
  ofOrder: async ({ ccxt }, { symbol, exchangeOrderId }) => {
    const fills = await fetchFills(ccxt, symbol, { orderId: exchangeOrderId }, new Date(0));
    if (fills.some((fill) => fill.exchangeOrderId !== exchangeOrderId || fill.symbol !== symbol))
      throw new MalformedResponse('a fill of another order or symbol');
    return fills;
  },
  since: async ({ ccxt }, symbol, since) => {
    const fills = await fetchFills(ccxt, symbol, {}, since);
    return fills.filter((fill) => fill.symbol === symbol && isSince(fill, since));
  },
};

/** Some recorded times are whole seconds, so such a fill may be later than its time. */
function isSince({ executedAt }: VenueFill, since: Date): boolean {
  const [at, from] = [executedAt.getTime(), since.getTime()];
  return at >= from || (at % SECOND_MS === 0 && at + SECOND_MS > from);
}

async function fetchFills(
  ccxt: CcxtClient,
  symbol: string,
  filter: Readonly<Record<string, string>>,
  since: Date,
): Promise<readonly VenueFill[]> {
  const now = venueTime(ccxt).getTime();
  const endTime = now + CLOCK_MARGIN_MS;
  const earliest = Math.max(since.getTime() - SECOND_MS, now - HISTORY_MS);
  if (earliest >= endTime) return [];
  const common = { symbol: ccxt.market(symbol).id, ...filter, endTime, limit: PER_PAGE };
  const records = await allPages(async (start = String(earliest)) => {
    const params = { ...common, startTime: Number(start) };
    const response = await callEndpoint(ccxt, 'spotV1PrivateGetTradeMyTrades', params);
    const items = parseResponse(fillList, response).data.fills;
    const last = items.at(-1)?.time;
    if (last === undefined || items.length < PER_PAGE) return { items };
    if (last <= Number(start)) throw new MalformedResponse('more fills at one time than a page has');
    return { items, next: String(last) };
  });
  const fills = records.flatMap((record) => readBingxFill(ccxt, record) ?? []);
  // An account that trades with itself has two fills with one id.
  const unique = new Map(fills.map((fill) => [`${fill.exchangeFillId} ${fill.exchangeOrderId}`, fill]));
  return sortByExecution([...unique.values()]);
}
