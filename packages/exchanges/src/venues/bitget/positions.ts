/** Bitget's positions, leverage, funding and mark prices. https://www.bitget.com/api-doc/uta/trade/Get-Position */
import type { Decimal } from '@trading-automation/contracts';
import { z } from 'zod';
import { subtract } from '../../ccxt/amounts.js';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type { PositionCalls } from '../../ccxt/declaration.js';
import { failure, MalformedResponse } from '../../ccxt/failures.js';
import { symbolOfMarketId } from '../../ccxt/market-ids.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import type { FundingPayment } from '../../port.js';
import { fetchBitgetMargin, fetchSettings } from './account.js';
import { fetchListSince } from './calls.js';
import { CATEGORIES, categoryOf } from './client.js';
import { readListedPosition } from './records.js';

const HOUR_MS = 3_600_000;
const RATES_PER_PAGE = 100;
const CANDLES_PER_PAGE = 100;
/** The rates of 100 pages, more than the exchange keeps. */
const RATE_PAGES_MAX = 100;

/** Contracts of other categories are listed and never traded. */
const LISTED_CATEGORIES = [...CATEGORIES.perpetual, 'COIN-FUTURES'];
const FUNDING_TYPES = ['CONTRACT_MAIN_SETTLE_FEE_USER_IN', 'CONTRACT_MAIN_SETTLE_FEE_USER_OUT'] as const;

const held = z.object({ data: z.object({ list: z.array(z.unknown()).nullable() }) });
const funding = z.object({
  id: z.string().min(1),
  symbol: z.string(),
  coin: z.string(),
  type: z.enum(FUNDING_TYPES),
  amount: exactDecimal,
  ts: z.coerce.number(),
});
const tickers = z.object({ data: z.array(z.object({ symbol: z.string(), markPrice: exactDecimal })) });
const rates = z.object({
  data: z.object({
    resultList: z
      .array(z.object({ fundingRate: exactDecimal, fundingRateTimestamp: z.coerce.number() }))
      .nullable(),
  }),
});
const candles = z.object({ data: z.array(z.tuple([z.coerce.number(), exactDecimal], z.unknown())) });

export const bitgetPositions: PositionCalls = {
  fetchPositions: async ({ ccxt }) => {
    const requestedAt = venueTime(ccxt);
    const answers = await Promise.all(
      LISTED_CATEGORIES.map((category) =>
        callEndpoint(ccxt, 'privateUtaGetV3PositionCurrentPosition', { category }),
      ),
    );
    const records = answers.flatMap((answer) => parseResponse(held, answer).data.list ?? []);
    const positions = records.map((record) => readListedPosition(ccxt, record));
    return {
      positions: positions.filter(({ amount }) => amount !== '0'),
      at: requestedAt,
      until: venueTime(ccxt),
    };
  },
  fetchMargin: ({ ccxt }) => fetchBitgetMargin(ccxt),
  fetchLeverage: async ({ ccxt }, symbol) => {
    const { id, limits } = ccxt.market(symbol);
    const { symbolConfigList } = await fetchSettings(ccxt);
    const category = categoryOf(symbol);
    const config = symbolConfigList.find((each) => each.symbol === id && each.category === category);
    if (config === undefined) throw new MalformedResponse('the pair has no settings');
    return {
      leverage: config.leverage,
      maxLeverage: limits?.leverage?.max,
      marginMode: config.marginMode === 'isolated' ? 'ISOLATED' : 'CROSS',
    };
  },
  setLeverage: async (session, symbol, { leverage, marginMode }) => {
    const { ccxt } = session;
    // Each order names its margin mode, and the orders of the product name the cross margin.
    if (marginMode === 'ISOLATED') throw failure(['rejected', 'not_supported']);
    const before = await bitgetPositions.fetchLeverage(session, symbol);
    if (before.leverage === leverage) return before;
    const params = { category: categoryOf(symbol), symbol: ccxt.market(symbol).id, leverage };
    await callEndpoint(ccxt, 'privateUtaPostV3AccountSetLeverage', params);
    return { ...before, leverage };
  },
  fetchFunding: async ({ ccxt }, since) => {
    const groups = CATEGORIES.perpetual.flatMap((category) =>
      FUNDING_TYPES.map((type) => ({ category, type })),
    );
    const lists = groups.map((group) =>
      fetchListSince(ccxt, 'privateUtaGetV3AccountFinancialRecords', group, since),
    );
    const payments = (await Promise.all(lists)).flat().flatMap((record) => readFunding(ccxt, record) ?? []);
    return payments.sort((a, b) => a.paidAt.getTime() - b.paidAt.getTime());
  },
  fetchMarkPrices: async ({ ccxt }, symbols) => {
    const used = CATEGORIES.perpetual.filter((category) =>
      symbols.some((symbol) => categoryOf(symbol) === category),
    );
    const answers = await Promise.all(
      used.map((category) => callEndpoint(ccxt, 'publicUtaGetV3MarketTickers', { category })),
    );
    const records = answers.flatMap((answer) => parseResponse(tickers, answer).data);
    const byId = new Map(records.map(({ symbol, markPrice }) => [symbol, markPrice]));
    return Object.fromEntries(
      symbols.flatMap((symbol) => {
        const price = byId.get(ccxt.market(symbol).id);
        return price === undefined ? [] : [[symbol, price]];
      }),
    );
  },
  fetchFundingRates: async ({ ccxt }, symbol, { from, to }) => {
    const range = { from: from.getTime(), to: to.getTime() };
    const records = await fetchRates(ccxt, symbol, range);
    const prices = records.length === 0 ? undefined : await fetchHourlyMarkPrices(ccxt, symbol, range);
    return records.reverse().map(({ fundingRate: rate, fundingRateTimestamp: at }) => {
      return { symbol, rate, markPrice: prices?.get(at), at: new Date(at) };
    });
  },
};

/** The type of a record names the direction of a payment; the sign of the amount is not documented. */
function readFunding(ccxt: CcxtClient, record: unknown): FundingPayment | undefined {
  const { id, symbol: marketId, coin, type, amount, ts } = parseResponse(funding, record);
  const symbol = symbolOfMarketId(ccxt, marketId);
  if (symbol === undefined) return undefined;
  const size = amount.replace('-', '');
  const isReceived = type === 'CONTRACT_MAIN_SETTLE_FEE_USER_IN';
  return {
    id,
    symbol,
    amount: isReceived ? size : subtract('0', size),
    currency: ccxt.safeCurrencyCode(coin),
    paidAt: new Date(ts),
  };
}

interface Range {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/** Returns the funding rates of a range, newest first. The exchange lists them by page, without a range. */
async function fetchRates(ccxt: CcxtClient, symbol: string, { from, to }: Range) {
  const params = { category: categoryOf(symbol), symbol: ccxt.market(symbol).id, limit: RATES_PER_PAGE };
  const found: NonNullable<z.output<typeof rates>['data']['resultList']> = [];
  for (let cursor = 1; cursor <= RATE_PAGES_MAX; cursor++) {
    const response = await callEndpoint(ccxt, 'publicUtaGetV3MarketHistoryFundRate', { ...params, cursor });
    const page = parseResponse(rates, response).data.resultList ?? [];
    found.push(...page.filter(({ fundingRateTimestamp: at }) => at >= from && at < to));
    const oldest = page.at(-1)?.fundingRateTimestamp;
    if (page.length < RATES_PER_PAGE || oldest === undefined || oldest <= from) break;
  }
  return found;
}

/** Returns the mark price at the start of each hour. Funding is paid at the start of an hour. */
async function fetchHourlyMarkPrices(
  ccxt: CcxtClient,
  symbol: string,
  { from, to }: Range,
): Promise<ReadonlyMap<number, Decimal>> {
  const params = {
    category: categoryOf(symbol),
    symbol: ccxt.market(symbol).id,
    interval: '1H',
    type: 'MARK',
  };
  const prices = new Map<number, Decimal>();
  const pageMs = CANDLES_PER_PAGE * HOUR_MS;
  for (let start = from; start < to; start += pageMs) {
    const range = { startTime: start, endTime: Math.min(to, start + pageMs) - 1, limit: CANDLES_PER_PAGE };
    const response = await callEndpoint(ccxt, 'publicUtaGetV3MarketHistoryCandles', { ...params, ...range });
    for (const [openedAt, open] of parseResponse(candles, response).data) prices.set(openedAt, open);
  }
  return prices;
}
