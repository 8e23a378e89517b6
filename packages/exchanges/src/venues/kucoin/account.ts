/** KuCoin's accounts: rights of a key, balances and loans. https://www.kucoin.com/docs-new/rest/account-info/introduction */
import type { TradingType } from '@trading-automation/contracts';
import { z } from 'zod';
import { subtract } from '../../ccxt/amounts.js';
import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import type { LoanCalls } from '../../ccxt/declaration.js';
import { allPages } from '../../ccxt/pages.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import type {
  AssetBalance,
  AssetLoan,
  BalanceReport,
  CredentialsReport,
  UnsupportedAccount,
} from '../../port.js';
import { amount, fetchData, identifier } from './lists.js';

const keyInfo = z.object({ uid: identifier, permission: z.string() });
const accountMode = z.object({ selfAccountMode: z.string() });
const positionMode = z.object({ positionMode: z.union([z.number(), z.string()]).transform(String) });

/** The permission that orders of a trading type need. */
const NEEDED: Readonly<Record<TradingType, string>> = {
  spot: 'Spot',
  margin: 'Margin',
  perpetual: 'Futures',
};
/** The permissions with which a key can move assets out of the account. */
const WITHDRAWALS = ['Transfer', 'Withdrawal', 'Withdraw'];
const ONE_WAY = '0';

export async function inspectKucoin(ccxt: CcxtClient, type: TradingType): Promise<CredentialsReport> {
  const { uid, permission } = await fetchData(ccxt, 'privateGetUserApiKey', {}, keyInfo);
  const permissions = permission.split(',').map((each) => each.trim());
  return {
    tradingTypes: [type],
    canTrade: permissions.includes(NEEDED[type]),
    canWithdraw: WITHDRAWALS.some((each) => permissions.includes(each)),
    venueAccountId: uid,
    isUnified: false,
    unsupported: await unsupportedOf(ccxt, type),
  };
}

async function unsupportedOf(ccxt: CcxtClient, type: TradingType): Promise<UnsupportedAccount | undefined> {
  const { selfAccountMode } = await fetchData(ccxt, 'utaPrivateGetAccountMode', {}, accountMode);
  if (selfAccountMode !== 'CLASSIC') return 'ACCOUNT_TYPE';
  if (type !== 'perpetual') return undefined;
  const endpoint = 'futuresPrivateGetPositionGetPositionMode';
  const { positionMode: mode } = await fetchData(ccxt, endpoint, {}, positionMode);
  return mode === ONE_WAY ? undefined : 'HEDGE_MODE';
}

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

const accounts = z.array(
  z.object({ currency: z.string().min(1), type: z.string(), available: amount, holds: amount }),
);

export function fetchSpotBalances(ccxt: CcxtClient): Promise<BalanceReport> {
  return reportOf(ccxt, async () =>
    (await fetchData(ccxt, 'privateGetAccounts', { type: 'trade' }, accounts)).map(
      ({ currency, available, holds }): NamedBalance => {
        return [ccxt.safeCurrencyCode(currency), { free: available, locked: holds }];
      },
    ),
  );
}

const marginAccount = z.object({
  accounts: z.array(
    z.object({
      currency: z.string().min(1),
      available: amount,
      hold: amount,
      liabilityPrincipal: amount,
      liabilityInterest: amount,
    }),
  ),
});

const fetchMarginAccounts = async (ccxt: CcxtClient) => {
  // The account of the high-frequency system.
  const params = { quoteCurrency: 'USDT', queryType: 'MARGIN_V2' };
  return (await fetchData(ccxt, 'privateGetMarginAccounts', params, marginAccount)).accounts;
};

export function fetchMarginBalances(ccxt: CcxtClient): Promise<BalanceReport> {
  return reportOf(ccxt, async () =>
    (await fetchMarginAccounts(ccxt)).map(({ currency, available, hold }): NamedBalance => {
      return [ccxt.safeCurrencyCode(currency), { free: available, locked: hold }];
    }),
  );
}

const overview = z.object({ accountEquity: amount, unrealisedPNL: amount });

/** The wallet of the futures account. Positions and orders use it as margin, and lock no part of it. */
export function fetchFuturesBalances(ccxt: CcxtClient): Promise<BalanceReport> {
  return reportOf(ccxt, async () => {
    const endpoint = 'futuresPrivateGetAccountOverview';
    const { accountEquity, unrealisedPNL } = await fetchData(ccxt, endpoint, { currency: 'USDT' }, overview);
    return [['USDT', { free: subtract(accountEquity, unrealisedPNL), locked: '0' }]];
  });
}

const interestPage = z.object({
  totalPage: z.number(),
  items: z.array(
    z.object({ currency: z.string().min(1), interestAmount: amount, createdTime: z.coerce.number() }),
  ),
});
const RECORDS_PER_PAGE = 500;

export const kucoinLoans: LoanCalls = {
  fetchLoans: async ({ ccxt }) => {
    const loans = (await fetchMarginAccounts(ccxt)).map(
      ({ currency, liabilityPrincipal, liabilityInterest }): readonly [string, AssetLoan] => {
        const loan = { borrowed: liabilityPrincipal, interest: liabilityInterest };
        return [ccxt.safeCurrencyCode(currency), loan];
      },
    );
    return Object.fromEntries(loans.filter(([, loan]) => loan.borrowed !== '0' || loan.interest !== '0'));
  },
  fetchInterest: async ({ ccxt }, since) => {
    const records = await allPages(async (cursor) => {
      const currentPage = Number(cursor ?? 1);
      const range = { startTime: since.getTime(), isIsolated: false };
      const params = { ...range, currentPage, pageSize: RECORDS_PER_PAGE };
      const { items, totalPage } = await fetchData(ccxt, 'privateGetMarginInterest', params, interestPage);
      return { items, next: currentPage < totalPage ? String(currentPage + 1) : undefined };
    });
    return records
      .filter(({ createdTime }) => createdTime >= since.getTime())
      .map(({ currency, interestAmount, createdTime }) => ({
        // The exchange charges each currency once an hour.
        id: `${currency}-${createdTime}`,
        asset: ccxt.safeCurrencyCode(currency),
        amount: interestAmount,
        chargedAt: new Date(createdTime),
      }))
      .sort((a, b) => a.chargedAt.getTime() - b.chargedAt.getTime());
  },
};
