/** KuCoin's futures account: positions, margin, leverage and funding. */
import { z } from 'zod';
import { add, subtract } from '../../ccxt/amounts.js';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type { PositionCalls, VenueSession } from '../../ccxt/declaration.js';
import { failure } from '../../ccxt/failures.js';
import { symbolOfMarketId } from '../../ccxt/market-ids.js';
import { allPages, allRanges } from '../../ccxt/pages.js';
import { parseResponse } from '../../ccxt/parse-response.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import type { FundingPayment, LeverageSettings } from '../../port.js';
import { fetchPages } from './futures-calls.js';
import { type FuturesPosition, parsePosition, toPosition } from './futures-records.js';
import { amount, fetchData, identifier, milliseconds, RANGES } from './lists.js';

const SETTLE = 'USDT';
const PAYMENTS_PER_PAGE = 100;

const account = z.object({ accountEquity: amount, availableBalance: amount });
const leverageSetting = z.object({ leverage: amount });
const marginMode = z.object({ marginMode: z.enum(['CROSS', 'ISOLATED']) });
const fundingPage = z.object({
  hasMore: z.boolean(),
  dataList: z.array(
    z.object({ id: identifier, timePoint: milliseconds, funding: amount, settleCurrency: z.string() }),
  ),
});
const contracts = z.array(z.object({ symbol: z.string(), markPrice: amount.nullish() }));
const rates = z.array(z.object({ fundingRate: amount, timepoint: milliseconds }));
const tradedMarket = z.object({ symbol: z.string() });

async function fetchPositionRecords(ccxt: CcxtClient): Promise<readonly FuturesPosition[]> {
  const list = z.array(z.unknown());
  const records = await fetchData(ccxt, 'futuresPrivateGetPositions', { currency: SETTLE }, list);
  return records.map(parsePosition).filter(({ currentQty }) => currentQty !== '0');
}

export const kucoinPositions: PositionCalls = {
  fetchPositions: async ({ ccxt }) => {
    const at = venueTime(ccxt);
    const records = await fetchPositionRecords(ccxt);
    return { positions: records.map((each) => toPosition(ccxt, each)), at, until: venueTime(ccxt) };
  },
  fetchMargin: async ({ ccxt }) => {
    const endpoint = 'futuresPrivateGetAccountOverview';
    const overview = await fetchData(ccxt, endpoint, { currency: SETTLE }, account);
    const records = await fetchPositionRecords(ccxt);
    const isolated = records.filter(({ crossMode }) => !crossMode);
    const cross = records.filter(({ crossMode }) => crossMode);
    // The equity of the account includes that of isolated positions.
    return {
      currency: SETTLE,
      equity: isolated.reduce(
        (rest, { maintMargin = '0' }) => subtract(rest, maintMargin),
        overview.accountEquity,
      ),
      available: overview.availableBalance,
      maintenanceMargin: cross.reduce((sum, { posMaint }) => add(sum, posMaint), '0'),
    };
  },
  fetchLeverage: async ({ ccxt }, symbol) => {
    const key = { symbol: ccxt.market(symbol).id };
    const mode = await fetchData(ccxt, 'futuresPrivateGetPositionGetMarginMode', key, marginMode);
    const { leverage } = await fetchData(ccxt, 'futuresPrivateGetGetCrossUserLeverage', key, leverageSetting);
    return { leverage, ...mode, maxLeverage: ccxt.market(symbol).limits?.leverage?.max };
  },
  setLeverage: async (session, symbol, { leverage, marginMode: wanted = 'CROSS' }) => {
    // The leverage of isolated margin belongs to each order, and such orders are not placed.
    if (wanted !== 'CROSS') throw failure(['rejected', 'not_supported']);
    const before = await kucoinPositions.fetchLeverage(session, symbol);
    await changeSettings(session, symbol, before, leverage);
    return { ...before, leverage, marginMode: 'CROSS' };
  },
  fetchFunding: async ({ ccxt }, since) => {
    const payments = await Promise.all(
      (await fetchTradedMarkets(ccxt, since)).map((marketId) => fetchFundingOf(ccxt, marketId, since)),
    );
    return payments.flat().sort((a, b) => a.paidAt.getTime() - b.paidAt.getTime());
  },
  fetchMarkPrices: async ({ ccxt }, symbols) => {
    const list = await fetchData(ccxt, 'futuresPublicGetContractsActive', {}, contracts);
    const byId = new Map(list.map(({ symbol, markPrice }) => [symbol, markPrice]));
    return Object.fromEntries(
      symbols.flatMap((symbol) => {
        const price = byId.get(ccxt.market(symbol).id);
        return price == null || price === '0' ? [] : [[symbol, price]];
      }),
    );
  },
  fetchFundingRates: async ({ ccxt }, symbol, { from, to }) => {
    const params = { symbol: ccxt.market(symbol).id, from: from.getTime(), to: to.getTime() - 1 };
    const list = await fetchData(ccxt, 'futuresPublicGetContractFundingRates', params, rates);
    // The exchange does not report mark prices of the past.
    return list
      .map(({ fundingRate: rate, timepoint: at }) => ({ symbol, rate, at }))
      .sort((a, b) => a.at.getTime() - b.at.getTime());
  },
};

async function changeSettings(
  { ccxt }: VenueSession,
  symbol: string,
  before: LeverageSettings,
  leverage: string,
): Promise<void> {
  const key = { symbol: ccxt.market(symbol).id };
  if (before.leverage !== leverage) {
    const request = { ...key, leverage };
    await callEndpoint(ccxt, 'futuresPrivatePostChangeCrossUserLeverage', request);
  }
  if (before.marginMode !== 'CROSS') {
    const request = { ...key, marginMode: 'CROSS' };
    await callEndpoint(ccxt, 'futuresPrivatePostPositionChangeMarginMode', request);
  }
}

/** Returns the markets in which the account had a position since a time: it still has it, or has closed it since. */
async function fetchTradedMarkets(ccxt: CcxtClient, since: Date): Promise<readonly string[]> {
  const held = (await fetchPositionRecords(ccxt)).map(({ symbol }) => symbol);
  const fills = await allRanges(since, RANGES, (from, to) =>
    fetchPages(ccxt, 'futuresPrivateGetFills', { startAt: from.getTime(), endAt: to.getTime() }),
  );
  const traded = fills.map((record) => parseResponse(tradedMarket, record).symbol);
  return [...new Set([...held, ...traded])];
}

async function fetchFundingOf(
  ccxt: CcxtClient,
  marketId: string,
  since: Date,
): Promise<readonly FundingPayment[]> {
  const symbol = symbolOfMarketId(ccxt, marketId);
  if (symbol === undefined) return [];
  const records = await allPages(async (offset) => {
    const params = { symbol: marketId, startAt: since.getTime(), maxCount: PAYMENTS_PER_PAGE };
    const request = offset === undefined ? params : { ...params, offset };
    const { dataList, hasMore } = await fetchData(
      ccxt,
      'futuresPrivateGetFundingHistory',
      request,
      fundingPage,
    );
    return { items: dataList, next: hasMore ? dataList.at(-1)?.id : undefined };
  });
  return records
    .filter(({ timePoint }) => timePoint >= since)
    .map(({ id, funding, settleCurrency, timePoint: paidAt }) => {
      return { id, symbol, amount: funding, currency: ccxt.safeCurrencyCode(settleCurrency), paidAt };
    });
}
