/** Kraken's spot account: permissions of the key, and balances. */
import { z } from 'zod';
import { subtract } from '../../ccxt/amounts.js';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import { jsonDecimal, parseResponse } from '../../ccxt/parse-response.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import type { AssetBalance, BalanceReport, CredentialsReport } from '../../port.js';

/** `iban`: the number by which the exchange names the account. */
const keyInfo = z.object({
  result: z.object({ iban: z.string().min(1), permissions: z.array(z.string()) }),
});

/** The permissions that trading needs: orders, their look-up, balances, and the stream. */
const NEEDED = [
  'query-funds',
  'query-open-trades',
  'query-closed-trades',
  'modify-trades',
  'close-trades',
  'create-ws-token',
];

export async function inspectSpotKey(ccxt: CcxtClient): Promise<CredentialsReport> {
  const response = await callEndpoint(ccxt, 'privatePostGetApiKeyInfo', {});
  const { iban, permissions } = parseResponse(keyInfo, response).result;
  return {
    tradingTypes: ['spot'],
    canTrade: NEEDED.every((each) => permissions.includes(each)),
    canWithdraw: permissions.includes('withdraw-funds'),
    venueAccountId: iban,
  };
}

const balances = z.object({
  result: z.record(z.string(), z.object({ balance: jsonDecimal, hold_trade: jsonDecimal })),
});

/** Returns the balances by asset; zeros are included. */
export async function fetchSpotBalances(ccxt: CcxtClient): Promise<BalanceReport> {
  const requestedAt = venueTime(ccxt);
  const response = await callEndpoint(ccxt, 'privatePostBalanceEx', {});
  const held = Object.entries(parseResponse(balances, response).result).map(
    ([code, { balance, hold_trade }]): [string, AssetBalance] => [
      ccxt.safeCurrencyCode(code),
      { free: subtract(balance, hold_trade), locked: hold_trade },
    ],
  );
  return { balances: Object.fromEntries(held), at: requestedAt, until: venueTime(ccxt) };
}

export const withoutZeros = ({ balances: all, ...times }: BalanceReport): BalanceReport => ({
  balances: Object.fromEntries(
    Object.entries(all).filter(([, { free, locked }]) => free !== '0' || locked !== '0'),
  ),
  ...times,
});
