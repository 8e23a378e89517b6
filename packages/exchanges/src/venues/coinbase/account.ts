/** Coinbase's account: permissions of the key, and balances. */
import { z } from 'zod';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import { allPages } from '../../ccxt/pages.js';
import { jsonDecimal, parseResponse } from '../../ccxt/parse-response.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import type { AssetBalance, BalanceReport, CredentialsReport } from '../../port.js';

const keyInfo = z.object({
  can_view: z.boolean(),
  can_trade: z.boolean(),
  can_transfer: z.boolean(),
  portfolio_uuid: z.string().min(1),
  portfolio_type: z.string(),
});

/** A key belongs to one portfolio. */
export async function inspectCoinbaseKey(ccxt: CcxtClient): Promise<CredentialsReport> {
  const response = await callEndpoint(ccxt, 'v3PrivateGetBrokerageKeyPermissions', {});
  const key = parseResponse(keyInfo, response);
  return {
    tradingTypes: ['spot'],
    canTrade: key.can_view && key.can_trade,
    canWithdraw: key.can_transfer,
    venueAccountId: key.portfolio_uuid,
    // The portfolio of perpetuals has no spot orders.
    unsupported: key.portfolio_type === 'INTX' ? 'ACCOUNT_TYPE' : undefined,
  };
}

const amount = z.object({ value: jsonDecimal });
const page = z.object({
  accounts: z.array(z.object({ currency: z.string(), available_balance: amount, hold: amount })),
  has_next: z.boolean().optional(),
  cursor: z.string().optional(),
});
const PER_PAGE = 250;

/** Returns the balances by asset; zeros are included. */
export async function fetchCoinbaseBalances(ccxt: CcxtClient): Promise<BalanceReport> {
  const at = venueTime(ccxt);
  const accounts = await allPages(async (cursor) => {
    const params = cursor === undefined ? { limit: PER_PAGE } : { limit: PER_PAGE, cursor };
    const response = await callEndpoint(ccxt, 'v3PrivateGetBrokerageAccounts', params);
    const { accounts: items, has_next, cursor: next } = parseResponse(page, response);
    return { items, next: has_next === true ? next : undefined };
  });
  const balances = accounts.map(({ currency, available_balance, hold }): [string, AssetBalance] => [
    ccxt.safeCurrencyCode(currency),
    { free: available_balance.value, locked: hold.value },
  ]);
  return { balances: Object.fromEntries(balances), at, until: venueTime(ccxt) };
}

export const withoutZeros = ({ balances: all, ...times }: BalanceReport): BalanceReport => ({
  balances: Object.fromEntries(
    Object.entries(all).filter(([, { free, locked }]) => free !== '0' || locked !== '0'),
  ),
  ...times,
});
