/** Gate's futures account: positions, margin, leverage and funding. */
import type { Decimal } from '@trading-automation/contracts';
import { z } from 'zod';
import { add, subtract } from '../../ccxt/amounts.js';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type { PositionCalls } from '../../ccxt/declaration.js';
import { symbolOfMarketId } from '../../ccxt/market-ids.js';
import { allRanges } from '../../ccxt/pages.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import type { FundingPayment, LeverageSettings, VenuePosition } from '../../port.js';
import { RANGES } from './futures-calls.js';
import { type FuturesPosition, leverageOf, parsePosition, SETTLE, toPosition } from './futures-records.js';
import { amount, fetchList, identifier, seconds, secondsBetween } from './lists.js';

const settle = 'usdt';
const RECORDS_PER_PAGE = 100;
/** The range of a page of funding rates or candles, which has 1,000 records at most: one an hour. */
const PAGE_MS = 900 * 3_600_000;

const account = z.object({
  total: amount,
  unrealised_pnl: amount,
  available: amount,
});
const fundingRecord = z.object({
  id: identifier.optional(),
  time: seconds,
  change: amount,
  contract: z.string(),
});
const tickers = z.array(z.object({ contract: z.string(), mark_price: exactDecimal }));
const rateRecord = z.object({ t: seconds, r: exactDecimal });
const markCandle = z.object({ t: seconds, o: exactDecimal });

export const gatePositions: PositionCalls = {
  fetchPositions: async ({ ccxt }) => {
    const at = venueTime(ccxt);
    const positions = await fetchPositions(ccxt);
    return { positions, at, until: venueTime(ccxt) };
  },
  fetchMargin: async ({ ccxt }) => {
    const response = await callEndpoint(ccxt, 'privateFuturesGetSettleAccounts', { settle });
    const { total, unrealised_pnl: result, available } = parseResponse(account, response);
    const positions = await fetchPositions(ccxt);
    const isolated = sumOf(positions.map(({ isolatedMargin }) => isolatedMargin));
    const cross = positions.filter(({ marginMode }) => marginMode === 'CROSS');
    // The wallet includes the margin of isolated positions, and no open result.
    return {
      currency: SETTLE,
      equity: subtract(add(total, result), isolated),
      available,
      maintenanceMargin: sumOf(cross.map(({ maintenanceMargin }) => maintenanceMargin)),
    };
  },
  fetchLeverage: async ({ ccxt }, symbol) => {
    const params = { settle, contract: ccxt.market(symbol).id };
    const response = await callEndpoint(ccxt, 'privateFuturesGetSettlePositionsContract', params);
    return settingsOf(ccxt, symbol, parsePosition(response));
  },
  setLeverage: async (session, symbol, { leverage, marginMode }) => {
    const { ccxt } = session;
    const before = await gatePositions.fetchLeverage(session, symbol);
    const mode = marginMode ?? before.marginMode;
    if (before.leverage === leverage && before.marginMode === mode) return before;
    // A leverage of zero selects cross margin.
    const values = mode === 'CROSS' ? { leverage: '0', cross_leverage_limit: leverage } : { leverage };
    const params = { settle, contract: ccxt.market(symbol).id, ...values };
    const response = await callEndpoint(ccxt, 'privateFuturesPostSettlePositionsContractLeverage', params);
    return settingsOf(ccxt, symbol, parsePosition(response));
  },
  fetchFunding: async ({ ccxt }, since) => {
    const payments = await allRanges(since, RANGES, async (from, to) => {
      const params = { settle, type: 'fund', ...secondsBetween(from, to) };
      const request = { params, limit: RECORDS_PER_PAGE, paging: 'OFFSET' } as const;
      const records = await fetchList(ccxt, 'privateFuturesGetSettleAccountBook', request);
      return records
        .flatMap((record) => fundingOf(ccxt, record))
        .filter(({ paidAt }) => paidAt >= from && paidAt <= to);
    });
    return [...payments].sort((a, b) => a.paidAt.getTime() - b.paidAt.getTime());
  },
  fetchMarkPrices: async ({ ccxt }, symbols) => {
    const response = await callEndpoint(ccxt, 'publicFuturesGetSettleTickers', { settle });
    const byId = new Map(
      parseResponse(tickers, response).map(({ contract, mark_price: price }) => [contract, price]),
    );
    return Object.fromEntries(
      symbols.flatMap((symbol) => {
        const price = byId.get(ccxt.market(symbol).id);
        return price === undefined || price === '0' ? [] : [[symbol, price]];
      }),
    );
  },
  fetchFundingRates: async ({ ccxt }, symbol, { from, to }) => {
    const contract = ccxt.market(symbol).id;
    const markPrices = await fetchHourlyMarkPrices(ccxt, contract, { from, to });
    const rates = await Promise.all(
      rangesOf({ from, to }).map(async (range) => {
        const params = { settle, contract, limit: 1_000, ...secondsBetween(range.from, range.to) };
        const response = await callEndpoint(ccxt, 'publicFuturesGetSettleFundingRate', params);
        return parseResponse(z.array(rateRecord), response)
          .filter(({ t }) => t >= range.from && t < range.to)
          .reverse();
      }),
    );
    return rates.flat().map(({ t: at, r: rate }) => {
      return { symbol, rate, markPrice: markPrices.get(at.getTime()), at };
    });
  },
};

async function fetchPositions(ccxt: CcxtClient): Promise<readonly VenuePosition[]> {
  const request = { params: { settle, holding: true }, limit: RECORDS_PER_PAGE, paging: 'OFFSET' } as const;
  const records = await fetchList(ccxt, 'privateFuturesGetSettlePositions', request);
  const positions = records.map((record) => toPosition(ccxt, parsePosition(record)));
  return positions.filter(({ amount: held }) => held !== '0');
}

const sumOf = (values: readonly (Decimal | undefined)[]): Decimal =>
  values.reduce<Decimal>((sum, value) => (value === undefined ? sum : add(sum, value)), '0');

function settingsOf(ccxt: CcxtClient, symbol: string, position: FuturesPosition): LeverageSettings {
  return { ...leverageOf(position), maxLeverage: ccxt.market(symbol).limits?.leverage?.max };
}

function fundingOf(ccxt: CcxtClient, record: unknown): readonly FundingPayment[] {
  const { id, time: paidAt, change, contract } = parseResponse(fundingRecord, record);
  const symbol = symbolOfMarketId(ccxt, contract);
  if (symbol === undefined) return [];
  // Funding is paid once at a time for each contract.
  const key = id ?? `${contract}-${paidAt.getTime()}`;
  return [{ id: key, symbol, amount: change, currency: SETTLE, paidAt }];
}

interface TimeRange {
  readonly from: Date;
  readonly to: Date;
}

/** Splits a range whose end is exclusive. */
function rangesOf({ from, to }: TimeRange): readonly TimeRange[] {
  const ranges: TimeRange[] = [];
  for (let start = from.getTime(); start < to.getTime(); start += PAGE_MS)
    ranges.push({ from: new Date(start), to: new Date(Math.min(to.getTime(), start + PAGE_MS)) });
  return ranges;
}

/** Returns the mark price at the start of each hour. Funding is paid at the start of an hour. */
async function fetchHourlyMarkPrices(
  ccxt: CcxtClient,
  contract: string,
  range: TimeRange,
): Promise<ReadonlyMap<number, Decimal>> {
  const prices = new Map<number, Decimal>();
  for (const { from, to } of rangesOf(range)) {
    const params = { settle, contract: `mark_${contract}`, interval: '1h', ...secondsBetween(from, to) };
    const response = await callEndpoint(ccxt, 'publicFuturesGetSettleCandlesticks', params);
    for (const { t, o } of parseResponse(z.array(markCandle), response)) prices.set(t.getTime(), o);
  }
  return prices;
}
