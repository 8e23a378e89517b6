/** OKX's positions, leverage, funding and mark prices. https://www.okx.com/docs-v5/en/ */
import type { Decimal } from '@trading-automation/contracts';
import { z } from 'zod';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type { PositionCalls } from '../../ccxt/declaration.js';
import { failure } from '../../ccxt/failures.js';
import { symbolOfMarketId } from '../../ccxt/market-ids.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import type { FundingPayment } from '../../port.js';
import { fetchOkxMargin } from './account.js';
import { fetchList } from './calls.js';
import { readOkxPosition } from './records.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The list of recent bills reaches back seven days, that of older ones three months. */
const RECENT_BILLS_MS = 7 * DAY_MS - HOUR_MS;
const RECENT_CANDLES_MS = 1_400 * HOUR_MS;
const CANDLES_PER_PAGE = 100;

const list = z.object({ data: z.array(z.unknown()) });
const leverages = z.object({ data: z.array(z.object({ lever: exactDecimal })).min(1) });
const bill = z.object({
  billId: z.string().min(1),
  instId: z.string(),
  balChg: exactDecimal,
  ccy: z.string(),
  ts: z.coerce.number(),
});
const markPrices = z.object({ data: z.array(z.object({ instId: z.string(), markPx: exactDecimal })) });
const rate = z.object({ realizedRate: exactDecimal, fundingTime: z.coerce.number() });
const candle = z.tuple([z.coerce.number(), exactDecimal], z.unknown());
const candles = z.object({ data: z.array(candle) });

export const okxPositions: PositionCalls = {
  fetchPositions: async ({ ccxt }) => {
    const requestedAt = venueTime(ccxt);
    const { data } = parseResponse(list, await callEndpoint(ccxt, 'privateGetAccountPositions', {}));
    const positions = data.map((record) => readOkxPosition(ccxt, record));
    return {
      positions: positions.filter(({ amount }) => amount !== '0'),
      at: requestedAt,
      until: venueTime(ccxt),
    };
  },
  fetchMargin: ({ ccxt }) => fetchOkxMargin(ccxt),
  fetchLeverage: async ({ ccxt }, symbol) => {
    const { id: instId, limits } = ccxt.market(symbol);
    const response = await callEndpoint(ccxt, 'privateGetAccountLeverageInfo', { instId, mgnMode: 'cross' });
    const { lever: leverage } = parseResponse(leverages, response).data[0]!;
    return { leverage, maxLeverage: limits?.leverage?.max, marginMode: 'CROSS' };
  },
  setLeverage: async (session, symbol, { leverage, marginMode }) => {
    const { ccxt } = session;
    // Each order names its margin mode, and the orders of the product name the cross margin.
    if (marginMode === 'ISOLATED') throw failure(['rejected', 'not_supported']);
    const before = await okxPositions.fetchLeverage(session, symbol);
    if (before.leverage === leverage) return before;
    const params = { instId: ccxt.market(symbol).id, mgnMode: 'cross', lever: leverage };
    await callEndpoint(ccxt, 'privatePostAccountSetLeverage', params);
    return { ...before, leverage };
  },
  fetchFunding: async ({ ccxt }, since) => {
    const isRecent = venueTime(ccxt).getTime() - since.getTime() < RECENT_BILLS_MS;
    const endpoint = isRecent ? 'privateGetAccountBills' : 'privateGetAccountBillsArchive';
    const params = { instType: 'SWAP', type: FUNDING_TYPE, begin: since.getTime() };
    const records = await fetchList(ccxt, endpoint, params, 'billId');
    return records
      .map((record) => parseResponse(bill, record))
      .flatMap(({ billId: id, instId, balChg: amount, ccy, ts }): FundingPayment[] => {
        const symbol = symbolOfMarketId(ccxt, instId);
        if (symbol === undefined) return [];
        return [{ id, symbol, amount, currency: ccxt.safeCurrencyCode(ccy), paidAt: new Date(ts) }];
      })
      .sort((a, b) => a.paidAt.getTime() - b.paidAt.getTime());
  },
  fetchMarkPrices: async ({ ccxt }, symbols) => {
    const response = await callEndpoint(ccxt, 'publicGetPublicMarkPrice', { instType: 'SWAP' });
    const byId = new Map(
      parseResponse(markPrices, response).data.map(({ instId, markPx }) => [instId, markPx]),
    );
    return Object.fromEntries(
      symbols.flatMap((symbol) => {
        const price = byId.get(ccxt.market(symbol).id);
        return price === undefined ? [] : [[symbol, price]];
      }),
    );
  },
  fetchFundingRates: async ({ ccxt }, symbol, { from, to }) => {
    const instId = ccxt.market(symbol).id;
    const range = { from: from.getTime(), to: to.getTime() };
    const records = await fetchRates(ccxt, instId, range);
    const prices = records.length === 0 ? new Map() : await fetchHourlyMarkPrices(ccxt, instId, range);
    return records.reverse().map(({ realizedRate, fundingTime }) => {
      return { symbol, rate: realizedRate, markPrice: prices.get(fundingTime), at: new Date(fundingTime) };
    });
  },
};

const FUNDING_TYPE = '8';

interface Range {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/** Returns the funding rates of a range, newest first. */
async function fetchRates(ccxt: CcxtClient, instId: string, { from, to }: Range) {
  const params = { instId, before: from - 1, after: to };
  const rates: z.output<typeof rate>[] = [];
  for (let after = to; ; ) {
    const response = await callEndpoint(ccxt, 'publicGetPublicFundingRateHistory', {
      ...params,
      after,
      limit: CANDLES_PER_PAGE,
    });
    const page = parseResponse(list, response).data.map((record) => parseResponse(rate, record));
    rates.push(...page.filter(({ fundingTime }) => fundingTime >= from && fundingTime < to));
    const oldest = page.at(-1)?.fundingTime;
    if (page.length < CANDLES_PER_PAGE || oldest === undefined || oldest <= from) return rates;
    after = oldest;
  }
}

/** Returns the mark price at the start of each hour. Funding is paid at the start of an hour. */
async function fetchHourlyMarkPrices(
  ccxt: CcxtClient,
  instId: string,
  { from, to }: Range,
): Promise<Map<number, Decimal>> {
  const isRecent = venueTime(ccxt).getTime() - from < RECENT_CANDLES_MS;
  const endpoint = isRecent ? 'publicGetMarketMarkPriceCandles' : 'publicGetMarketHistoryMarkPriceCandles';
  const prices = new Map<number, Decimal>();
  const pageMs = CANDLES_PER_PAGE * HOUR_MS;
  for (let start = from; start < to; start += pageMs) {
    const range = { before: start - 1, after: Math.min(to, start + pageMs), limit: CANDLES_PER_PAGE };
    const response = await callEndpoint(ccxt, endpoint, { instId, bar: '1H', ...range });
    for (const [openedAt, open] of parseResponse(candles, response).data) prices.set(openedAt, open);
  }
  return prices;
}
