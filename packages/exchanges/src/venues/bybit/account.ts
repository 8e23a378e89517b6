/** Bybit's unified trading account: permissions, balances, positions, funding and loans. */
import type { Decimal, TradingType } from '@trading-automation/contracts';
import { z } from 'zod';
import { add, subtract } from '../../ccxt/amounts.js';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type { LoanCalls, PositionCalls } from '../../ccxt/declaration.js';
import { failure } from '../../ccxt/failures.js';
import { symbolOfMarketId } from '../../ccxt/market-ids.js';
import { allRanges } from '../../ccxt/pages.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import type {
  AssetBalance,
  BalanceReport,
  Balances,
  CredentialsReport,
  FundingPayment,
  UnsupportedAccount,
  VenuePosition,
} from '../../port.js';
import { fetchList, RANGES, SETTLE_COINS } from './calls.js';
import { readBybitPosition } from './records.js';

const keyInfo = z.object({
  result: z.object({
    readOnly: z.number(),
    uta: z.number(),
    userID: z.union([z.number(), z.string()]).transform(String),
    permissions: z.record(z.string(), z.array(z.string())),
  }),
});
const accountInfo = z.object({ result: z.object({ marginMode: z.string() }) });

/** The permissions that orders of a trading type need. */
const NEEDED: Readonly<Record<TradingType, readonly [group: string, permission: string]>> = {
  spot: ['Spot', 'SpotTrade'],
  margin: ['Spot', 'SpotTrade'],
  perpetual: ['ContractTrade', 'Order'],
};

export async function inspectBybit(ccxt: CcxtClient, type: TradingType): Promise<CredentialsReport> {
  const { result: key } = parseResponse(keyInfo, await callEndpoint(ccxt, 'privateGetV5UserQueryApi', {}));
  const info = parseResponse(accountInfo, await callEndpoint(ccxt, 'privateGetV5AccountInfo', {}));
  const [group, permission] = NEEDED[type];
  return {
    tradingTypes: [type],
    canTrade: key.readOnly === 0 && key.permissions[group]?.includes(permission) === true,
    canWithdraw: key.permissions.Wallet?.includes('Withdraw') === true,
    venueAccountId: key.userID,
    isUnified: true,
    unsupported: await unsupportedOf(ccxt, type, key.uta, info.result.marginMode),
  };
}

async function unsupportedOf(
  ccxt: CcxtClient,
  type: TradingType,
  uta: number,
  marginMode: string,
): Promise<UnsupportedAccount | undefined> {
  if (uta !== 1) return 'ACCOUNT_TYPE';
  if (marginMode === 'PORTFOLIO_MARGIN') return 'PORTFOLIO_MARGIN';
  // With isolated margin, loans are off, and neither a position nor the wallet reports what a position may lose.
  if (type !== 'spot' && marginMode !== 'REGULAR_MARGIN') return 'ACCOUNT_TYPE';
  if (type !== 'perpetual') return undefined;
  const positions = await fetchPositionRecords(ccxt);
  return positions.some(({ isHedged }) => isHedged) ? 'HEDGE_MODE' : undefined;
}

/** Empty strings stand for amounts that do not apply. */
const amount = z.union([exactDecimal, z.literal('').transform((): Decimal => '0')]);
const coin = z.object({
  coin: z.string().min(1),
  walletBalance: amount,
  /** What open orders on spot lock. Orders and positions on perpetuals lock nothing of the balance; they have margins. */
  locked: amount.optional().transform((value) => value ?? '0'),
  totalOrderIM: amount.optional().transform((value) => value ?? '0'),
  totalPositionIM: amount.optional().transform((value) => value ?? '0'),
  borrowAmount: amount.optional().transform((value) => value ?? '0'),
  accruedInterest: amount.optional().transform((value) => value ?? '0'),
});
export const wallet = z.object({
  totalMarginBalance: amount,
  totalAvailableBalance: amount,
  totalMaintenanceMargin: amount,
  coin: z.array(coin),
});
const wallets = z.object({ result: z.object({ list: z.array(wallet).length(1) }) });

async function fetchWallet(ccxt: CcxtClient): Promise<z.output<typeof wallet>> {
  const params = { accountType: 'UNIFIED' };
  const response = await callEndpoint(ccxt, 'privateGetV5AccountWalletBalance', params);
  return parseResponse(wallets, response).result.list[0]!;
}

/** Returns the balances of coins; zeros are included. */
export function balancesOf(ccxt: CcxtClient, coins: z.output<typeof wallet>['coin']): Balances {
  const balances: Record<string, AssetBalance> = {};
  for (const { coin: code, walletBalance, locked, totalOrderIM, totalPositionIM } of coins) {
    const margin = add(totalOrderIM, totalPositionIM);
    balances[ccxt.safeCurrencyCode(code)] = {
      free: subtract(walletBalance, locked),
      locked,
      ...(margin !== '0' && { margin }),
    };
  }
  return balances;
}

export async function fetchBybitBalances(ccxt: CcxtClient): Promise<BalanceReport> {
  const requestedAt = venueTime(ccxt);
  const { coin: coins } = await fetchWallet(ccxt);
  const held = Object.entries(balancesOf(ccxt, coins)).filter(
    ([, { free, locked }]) => free !== '0' || locked !== '0',
  );
  return { balances: Object.fromEntries(held), at: requestedAt, until: venueTime(ccxt) };
}

const positionMode = z.object({ positionIdx: z.number() });

async function fetchPositionRecords(
  ccxt: CcxtClient,
): Promise<readonly { readonly position: VenuePosition; readonly isHedged: boolean }[]> {
  const lists = SETTLE_COINS.map((settleCoin) =>
    fetchList(ccxt, 'privateGetV5PositionList', { category: 'linear', settleCoin, limit: 200 }),
  );
  return (await Promise.all(lists)).flat().map((record) => ({
    position: readBybitPosition(ccxt, record),
    isHedged: parseResponse(positionMode, record).positionIdx !== 0,
  }));
}

const leverageRecord = z.object({ leverage: exactDecimal });
const fundingRecord = z.object({
  id: z.string().min(1),
  symbol: z.string(),
  funding: exactDecimal,
  currency: z.string(),
  transactionTime: z.coerce.number(),
});
const rateRecord = z.object({ fundingRate: exactDecimal, fundingRateTimestamp: z.coerce.number() });
const tickers = z.object({
  result: z.object({ list: z.array(z.object({ symbol: z.string(), markPrice: exactDecimal })) }),
});
const markCandle = z.tuple([z.coerce.number(), exactDecimal], z.unknown());
const markCandles = z.object({ result: z.object({ list: z.array(markCandle) }) });

const HOUR_MS = 3_600_000;
const CANDLES_PER_PAGE = 1_000;
const RATES_PER_PAGE = 200;

export const bybitPositions: PositionCalls = {
  fetchPositions: async ({ ccxt }) => {
    const requestedAt = venueTime(ccxt);
    const positions = (await fetchPositionRecords(ccxt)).map(({ position }) => position);
    return {
      positions: positions.filter(({ amount: held }) => held !== '0'),
      at: requestedAt,
      until: venueTime(ccxt),
    };
  },
  fetchMargin: async ({ ccxt }) => {
    const { totalMarginBalance, totalAvailableBalance, totalMaintenanceMargin } = await fetchWallet(ccxt);
    return {
      currency: 'USD',
      equity: totalMarginBalance,
      available: totalAvailableBalance,
      maintenanceMargin: totalMaintenanceMargin,
    };
  },
  fetchLeverage: async ({ ccxt }, symbol) => {
    const params = { category: 'linear', symbol: ccxt.market(symbol).id };
    const [record] = await fetchList(ccxt, 'privateGetV5PositionList', params);
    const { leverage } = parseResponse(leverageRecord, record);
    const maxLeverage = ccxt.market(symbol).limits?.leverage?.max;
    // Accounts with isolated margin are refused.
    return { leverage, maxLeverage, marginMode: 'CROSS' };
  },
  setLeverage: async (session, symbol, { leverage, marginMode }) => {
    const { ccxt } = session;
    const before = await bybitPositions.fetchLeverage(session, symbol);
    // The margin mode belongs to the whole account.
    if (marginMode !== undefined && marginMode !== before.marginMode)
      throw failure(['rejected', 'not_supported']);
    if (before.leverage === leverage) return before;
    const values = { buyLeverage: leverage, sellLeverage: leverage };
    const params = { category: 'linear', symbol: ccxt.market(symbol).id, ...values };
    await callEndpoint(ccxt, 'privatePostV5PositionSetLeverage', params);
    return { ...before, leverage };
  },
  fetchFunding: async ({ ccxt }, since) => {
    const records = await allRanges(since, RANGES, (from, to) =>
      fetchList(ccxt, 'privateGetV5AccountTransactionLog', {
        accountType: 'UNIFIED',
        category: 'linear',
        type: 'SETTLEMENT',
        startTime: from.getTime(),
        endTime: to.getTime(),
        limit: 50,
      }),
    );
    return records
      .map((record) => parseResponse(fundingRecord, record))
      .flatMap((record): FundingPayment[] => {
        const symbol = symbolOfMarketId(ccxt, record.symbol);
        if (symbol === undefined) return [];
        const { id, funding, currency, transactionTime } = record;
        const paidAt = new Date(transactionTime);
        return [{ id, symbol, amount: funding, currency: ccxt.safeCurrencyCode(currency), paidAt }];
      })
      .sort((a, b) => a.paidAt.getTime() - b.paidAt.getTime());
  },
  fetchMarkPrices: async ({ ccxt }, symbols) => {
    const response = await callEndpoint(ccxt, 'publicGetV5MarketTickers', { category: 'linear' });
    const { list } = parseResponse(tickers, response).result;
    const byId = new Map(list.map(({ symbol, markPrice }) => [symbol, markPrice]));
    return Object.fromEntries(
      symbols.flatMap((symbol) => {
        const price = byId.get(ccxt.market(symbol).id);
        return price === undefined ? [] : [[symbol, price]];
      }),
    );
  },
  fetchFundingRates: async ({ ccxt }, symbol, { from, to }) => {
    const marketId = ccxt.market(symbol).id;
    const range = { startTime: from.getTime(), endTime: to.getTime() - 1 };
    const params = { category: 'linear', symbol: marketId, limit: RATES_PER_PAGE, ...range };
    const records = await fetchList(ccxt, 'publicGetV5MarketFundingHistory', params);
    const markPrices = await fetchHourlyMarkPrices(ccxt, marketId, { from, to });
    return records
      .map((record) => parseResponse(rateRecord, record))
      .reverse()
      .map(({ fundingRate: rate, fundingRateTimestamp: atMs }) => {
        return { symbol, rate, markPrice: markPrices.get(atMs), at: new Date(atMs) };
      });
  },
};

/** Returns the mark price at the start of each hour. Funding is paid at the start of an hour. */
async function fetchHourlyMarkPrices(
  ccxt: CcxtClient,
  marketId: string,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<ReadonlyMap<number, Decimal>> {
  const prices = new Map<number, Decimal>();
  const pageMs = CANDLES_PER_PAGE * HOUR_MS;
  for (let start = from.getTime(); start < to.getTime(); start += pageMs) {
    const range = { start, end: Math.min(to.getTime(), start + pageMs) - 1, limit: CANDLES_PER_PAGE };
    const params = { category: 'linear', symbol: marketId, interval: '60', ...range };
    const response = await callEndpoint(ccxt, 'publicGetV5MarketMarkPriceKline', params);
    for (const [openedAt, open] of parseResponse(markCandles, response).result.list)
      prices.set(openedAt, open);
  }
  return prices;
}

const interestRecord = z.object({
  currency: z.string(),
  createdTime: z.coerce.number(),
  borrowCost: exactDecimal,
});
/** The list of interest reaches back 30 days by time. */
const INTEREST_RANGES = { spanMs: 30 * 86_400_000, historyMs: 729 * 86_400_000 };

export const bybitLoans: LoanCalls = {
  fetchLoans: async ({ ccxt }) => {
    const { coin: coins } = await fetchWallet(ccxt);
    const owed = coins.filter(
      ({ borrowAmount, accruedInterest }) => borrowAmount !== '0' || accruedInterest !== '0',
    );
    return Object.fromEntries(
      owed.map(({ coin: code, borrowAmount, accruedInterest }) => [
        ccxt.safeCurrencyCode(code),
        { borrowed: borrowAmount, interest: accruedInterest },
      ]),
    );
  },
  fetchInterest: async ({ ccxt }, since) => {
    const records = await allRanges(since, INTEREST_RANGES, (from, to) =>
      fetchList(ccxt, 'privateGetV5AccountBorrowHistory', {
        startTime: from.getTime(),
        endTime: to.getTime(),
        limit: 50,
      }),
    );
    return records
      .map((record) => parseResponse(interestRecord, record))
      .map(({ currency, createdTime, borrowCost }) => ({
        // The exchange charges each currency once an hour.
        id: `${currency}-${createdTime}`,
        asset: ccxt.safeCurrencyCode(currency),
        amount: borrowCost,
        chargedAt: new Date(createdTime),
      }))
      .sort((a, b) => a.chargedAt.getTime() - b.chargedAt.getTime());
  },
};
