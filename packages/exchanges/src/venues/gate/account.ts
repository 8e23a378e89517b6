/** Gate's accounts: modes, balances and loans. https://www.gate.com/docs/developers/apiv4/en/#unified */
import type { TradingType } from '@trading-automation/contracts';
import { z } from 'zod';
import { add } from '../../ccxt/amounts.js';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type { LoanCalls } from '../../ccxt/declaration.js';
import { allPages } from '../../ccxt/pages.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import type {
  AssetBalance,
  AssetLoan,
  BalanceReport,
  CredentialsReport,
  UnsupportedAccount,
} from '../../port.js';
import { amount, identifier } from './lists.js';

const accountDetail = z.object({ user_id: identifier });
const unifiedMode = z.object({ mode: z.string() });
const futuresMode = z.object({ in_dual_mode: z.boolean(), position_mode: z.string().optional() });

export async function fetchUserId(ccxt: CcxtClient): Promise<string> {
  return parseResponse(accountDetail, await callEndpoint(ccxt, 'privateAccountGetDetail', {})).user_id;
}

/** The exchange does not report the rights of a key. */
export async function inspectGate(ccxt: CcxtClient, type: TradingType): Promise<CredentialsReport> {
  const userId = await fetchUserId(ccxt);
  const { mode } = parseResponse(unifiedMode, await callEndpoint(ccxt, 'privateUnifiedGetUnifiedMode', {}));
  return {
    tradingTypes: [type],
    canTrade: null,
    canWithdraw: null,
    venueAccountId: userId,
    isUnified: type === 'margin',
    unsupported: unsupportedMode(mode, type) ?? (await unsupportedPositions(ccxt, type)),
  };
}

/** Margin trades in the unified account whose currencies share one margin; spot and futures in separate accounts. */
function unsupportedMode(mode: string, type: TradingType): UnsupportedAccount | undefined {
  if (mode === 'portfolio') return 'PORTFOLIO_MARGIN';
  return mode === (type === 'margin' ? 'multi_currency' : 'classic') ? undefined : 'ACCOUNT_TYPE';
}

async function unsupportedPositions(
  ccxt: CcxtClient,
  type: TradingType,
): Promise<UnsupportedAccount | undefined> {
  if (type !== 'perpetual') return undefined;
  const response = await callEndpoint(ccxt, 'privateFuturesGetSettleAccounts', { settle: 'usdt' });
  const { in_dual_mode: isDual, position_mode: mode = 'single' } = parseResponse(futuresMode, response);
  return isDual || mode !== 'single' ? 'HEDGE_MODE' : undefined;
}

const spotBalances = z.array(
  z.object({ currency: z.string().min(1), available: exactDecimal, locked: exactDecimal }),
);

type NamedBalance = readonly [asset: string, balance: AssetBalance];

/** Fetches balances between two readings of the exchange's clock. Omits assets without a balance. */
async function reportOf(
  ccxt: CcxtClient,
  fetchBalances: () => Promise<readonly NamedBalance[]>,
): Promise<BalanceReport> {
  const at = venueTime(ccxt);
  const held = (await fetchBalances()).filter(([, { free, locked }]) => free !== '0' || locked !== '0');
  return { balances: Object.fromEntries(held), at, until: venueTime(ccxt) };
}

export function fetchSpotBalances(ccxt: CcxtClient): Promise<BalanceReport> {
  return reportOf(ccxt, async () => {
    const records = parseResponse(spotBalances, await callEndpoint(ccxt, 'privateSpotGetAccounts', {}));
    return records.map(({ currency, available, locked }): NamedBalance => {
      return [ccxt.safeCurrencyCode(currency), { free: available, locked }];
    });
  });
}

const unifiedBalance = z.object({
  available: exactDecimal,
  freeze: exactDecimal,
  borrowed: exactDecimal,
  negative_liab: exactDecimal,
});
const unifiedAccount = z.object({ balances: z.record(z.string(), unifiedBalance) });

async function fetchUnified(
  ccxt: CcxtClient,
): Promise<readonly (readonly [asset: string, z.output<typeof unifiedBalance>])[]> {
  const response = await callEndpoint(ccxt, 'privateUnifiedGetAccounts', {});
  const { balances } = parseResponse(unifiedAccount, response);
  return Object.entries(balances).map(([code, balance]) => [ccxt.safeCurrencyCode(code), balance]);
}

export function fetchUnifiedAccountBalances(ccxt: CcxtClient): Promise<BalanceReport> {
  return reportOf(ccxt, async () =>
    (await fetchUnified(ccxt)).map(([asset, { available, freeze }]): NamedBalance => {
      return [asset, { free: available, locked: freeze }];
    }),
  );
}

const futuresWallet = z.object({ total: amount });

/** The wallet of the futures account. Positions and orders use it as margin, and lock no part of it. */
export function fetchFuturesBalances(ccxt: CcxtClient): Promise<BalanceReport> {
  return reportOf(ccxt, async () => {
    const response = await callEndpoint(ccxt, 'privateFuturesGetSettleAccounts', { settle: 'usdt' });
    return [['USDT', { free: parseResponse(futuresWallet, response).total, locked: '0' }]];
  });
}

const interestRecords = z.array(
  z.object({
    currency: z.string().min(1),
    interest: exactDecimal,
    status: z.number(),
    type: z.string(),
    create_time: z.coerce.number(),
  }),
);
const RECORDS_PER_PAGE = 100;
/** Loans of orders, and loans that were taken by hand. */
const LOAN_TYPES = ['margin', 'platform'] as const;
const SUCCEEDED = 1;

export const gateLoans: LoanCalls = {
  fetchLoans: async ({ ccxt }) => {
    const loans = (await fetchUnified(ccxt)).map(([asset, { borrowed, negative_liab: overdraft }]) => {
      // The exchange takes interest from the balance every hour, or else adds it to what was borrowed.
      return [asset, { borrowed: add(borrowed, overdraft), interest: '0' }] as const;
    });
    return Object.fromEntries(
      loans.filter(([, { borrowed }]: readonly [string, AssetLoan]) => borrowed !== '0'),
    );
  },
  fetchInterest: async ({ ccxt }, since) => {
    const lists = await Promise.all(LOAN_TYPES.map((type) => fetchInterestOf(ccxt, type, since)));
    return lists
      .flat()
      .filter(({ status, create_time: at }) => status === SUCCEEDED && at >= since.getTime())
      .map(({ currency, interest, type, create_time: at }) => ({
        // The exchange charges each currency once an hour.
        id: `${type}-${currency}-${at}`,
        asset: ccxt.safeCurrencyCode(currency),
        amount: interest,
        chargedAt: new Date(at),
      }))
      .sort((a, b) => a.chargedAt.getTime() - b.chargedAt.getTime());
  },
};

/** Reads the newest records first, until one is older than `since`. */
function fetchInterestOf(
  ccxt: CcxtClient,
  type: (typeof LOAN_TYPES)[number],
  since: Date,
): Promise<readonly z.output<typeof interestRecords>[number][]> {
  return allPages(async (cursor) => {
    const page = Number(cursor ?? 1);
    const params = { type, page, limit: RECORDS_PER_PAGE };
    const response = await callEndpoint(ccxt, 'privateUnifiedGetInterestRecords', params);
    const items = parseResponse(interestRecords, response);
    const isLast =
      items.length < RECORDS_PER_PAGE || items.some((item) => item.create_time < since.getTime());
    return { items, next: isLast ? undefined : String(page + 1) };
  });
}
