/** Binance cross margin, which trades the pairs of spot: https://developers.binance.com/docs/margin_trading */
import { z } from 'zod';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type { LoanCalls, OrderCalls, TradingTypeDeclaration } from '../../ccxt/declaration.js';
import { allPages, allRanges } from '../../ccxt/pages.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import { BORROWING_NOT_ALLOWED } from '../../ccxt/rule-messages.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import { unifiedFills } from '../../ccxt/unified-fills.js';
import { unifiedOrders } from '../../ccxt/unified-orders.js';
import type { BalanceReport, CredentialsReport, OrderRequest } from '../../port.js';
import { marginAccountStream } from './margin-stream.js';
import { FILL_PAGES, spot } from './spot.js';

/** Parameters by which every call means the cross margin account. */
const CROSS = { marginMode: 'cross', isIsolated: 'FALSE' };

const keyInfo = z.object({
  enableSpotAndMarginTrading: z.boolean(),
  enableMargin: z.boolean(),
  enableWithdrawals: z.boolean(),
  enablePortfolioMarginTrading: z.boolean(),
});
const userInfo = z.object({ uid: z.union([z.string(), z.number()]).transform(String) });
const asset = z.object({
  asset: z.string().min(1),
  free: exactDecimal,
  locked: exactDecimal,
  borrowed: exactDecimal,
  interest: exactDecimal,
});
const account = z.object({ tradeEnabled: z.boolean(), userAssets: z.array(asset) });
type Account = z.output<typeof account>;

async function fetchAccount(ccxt: CcxtClient): Promise<Account> {
  return parseResponse(account, await callEndpoint(ccxt, 'sapiGetMarginAccount', {}));
}

async function inspect(ccxt: CcxtClient): Promise<CredentialsReport> {
  const key = parseResponse(keyInfo, await callEndpoint(ccxt, 'sapiGetAccountApiRestrictions', {}));
  const user = await callEndpoint(ccxt, 'privateGetAccount', { omitZeroBalances: 'true' });
  const isAllowed = key.enableSpotAndMarginTrading && key.enableMargin;
  return {
    tradingTypes: ['margin'],
    // Only a user with a margin account can allow a key to borrow.
    canTrade: isAllowed && (await fetchAccount(ccxt)).tradeEnabled,
    canWithdraw: key.enableWithdrawals,
    venueAccountId: parseResponse(userInfo, user).uid,
    unsupported: key.enablePortfolioMarginTrading ? 'PORTFOLIO_MARGIN' : undefined,
  };
}

async function fetchBalances(ccxt: CcxtClient): Promise<BalanceReport> {
  const requestedAt = venueTime(ccxt);
  const { userAssets } = await fetchAccount(ccxt);
  const held = userAssets
    .filter(({ free, locked }) => free !== '0' || locked !== '0')
    .map(({ asset: code, free, locked }) => [ccxt.safeCurrencyCode(code), { free, locked }] as const);
  return { balances: Object.fromEntries(held), at: requestedAt, until: venueTime(ccxt) };
}

const charges = z.object({
  rows: z.array(
    z.object({
      txId: z.union([z.number(), z.string()]).transform(String),
      interestAccuredTime: z.number(),
      asset: z.string().min(1),
      interest: exactDecimal,
      /** Of the isolated margin account alone. */
      isolatedSymbol: z.string().optional(),
    }),
  ),
});
type Charge = z.output<typeof charges>['rows'][number];

const DAY_MS = 86_400_000;
/** Interest is listed for 90 days, 30 days at most at once. */
const INTEREST_RANGES = { spanMs: 30 * DAY_MS, historyMs: 89 * DAY_MS };
const CHARGES_PER_PAGE = 100;

function fetchCharges(ccxt: CcxtClient, from: Date, to: Date): Promise<readonly Charge[]> {
  const range = { startTime: from.getTime(), endTime: to.getTime(), size: CHARGES_PER_PAGE };
  return allPages(async (current = '1') => {
    const response = await callEndpoint(ccxt, 'sapiGetMarginInterestHistory', { ...range, current });
    const { rows } = parseResponse(charges, response);
    return { items: rows, next: rows.length < CHARGES_PER_PAGE ? undefined : String(Number(current) + 1) };
  });
}

const loans: LoanCalls = {
  fetchLoans: async ({ ccxt }) => {
    const { userAssets } = await fetchAccount(ccxt);
    const owed = userAssets.filter(({ borrowed, interest }) => borrowed !== '0' || interest !== '0');
    return Object.fromEntries(
      owed.map(({ asset: code, borrowed, interest }) => [
        ccxt.safeCurrencyCode(code),
        { borrowed, interest },
      ]),
    );
  },
  fetchInterest: async ({ ccxt }, since) => {
    const listed = await allRanges(since, INTEREST_RANGES, (from, to) => fetchCharges(ccxt, from, to));
    return listed
      .filter(({ isolatedSymbol }) => isolatedSymbol === undefined)
      .map(({ txId, interestAccuredTime, asset: code, interest }) => ({
        id: txId,
        asset: ccxt.safeCurrencyCode(code),
        amount: interest,
        chargedAt: new Date(interestAccuredTime),
      }))
      .sort((a, b) => a.chargedAt.getTime() - b.chargedAt.getTime());
  },
};

/** What the exchange lends and repays with an order. */
function sideEffectOf({ autoBorrow = false, autoRepay = false }: OrderRequest): { sideEffectType: string } {
  if (autoBorrow) return { sideEffectType: autoRepay ? 'AUTO_BORROW_REPAY' : 'MARGIN_BUY' };
  return { sideEffectType: autoRepay ? 'AUTO_REPAY' : 'NO_SIDE_EFFECT' };
}

const unified = unifiedOrders(true, CROSS, sideEffectOf);

const orders: OrderCalls = {
  ...unified,
  place: async (session, order) => {
    const placed = await unified.place(session, order);
    const { type, stopPrice } = order;
    // The response to a stop order may lack the stop price.
    return stopPrice === undefined ? placed : { ...placed, type, stopPrice };
  },
};

export const margin: TradingTypeDeclaration = {
  ...spot,
  market: 'margin',
  clientOrderId: { ...spot.clientOrderId, lookUp: 'One call.' },
  rejectionPatterns: [
    // Orders that do not borrow are accepted. ccxt reads it as a refusal of the account.
    {
      pattern: /"code"\s*:\s*"?-3014\b/,
      code: 'refused',
      message: BORROWING_NOT_ALLOWED,
      refusesRequestAlone: true,
    },
    // The account, or the exchange, may not lend as much.
    { pattern: /"code"\s*:\s*"?-(?:3006|3045|11008)\b/, code: 'insufficient_balance' },
    // The user has no margin account.
    { pattern: /"code"\s*:\s*"?-3003\b/, code: 'refused' },
    ...spot.rejectionPatterns,
  ],
  orders,
  fills: unifiedFills(FILL_PAGES, CROSS),
  account: {
    inspectCredentials: ({ ccxt }) => inspect(ccxt),
    fetchBalances: ({ ccxt }) => fetchBalances(ccxt),
  },
  loans,
  accountStream: marginAccountStream,
};
