/** HTX's accounts: https://huobiapi.github.io/docs/spot/v1/en/#account-3 */
import { z } from 'zod';
import { currentCredentials } from '../../ccxt/call.js';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import { failure } from '../../ccxt/failures.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import type { AssetBalance, BalanceReport, CredentialsReport } from '../../port.js';
import { identifier } from './fields.js';

const accounts = z.object({
  data: z.array(z.object({ id: identifier, type: z.string(), state: z.string() })),
});
type Account = z.output<typeof accounts>['data'][number];

async function findSpotAccount(ccxt: CcxtClient): Promise<Account | undefined> {
  const response = await callEndpoint(ccxt, 'spotPrivateGetV1AccountAccounts', {});
  return parseResponse(accounts, response).data.find(({ type }) => type === 'spot');
}

/** The ids of spot accounts by API key. An id never changes, and every order has to name it. */
const knownIds = new WeakMap<CcxtClient, Map<string, string>>();
const KNOWN_MAX = 10_000;

/** @throws {ExchangeError} `rejected`/`refused` if the key has no spot account */
export async function spotAccountId(ccxt: CcxtClient): Promise<string> {
  const ids = knownIds.get(ccxt) ?? new Map<string, string>();
  knownIds.set(ccxt, ids);
  const { apiKey = '' } = currentCredentials() ?? {};
  const known = ids.get(apiKey);
  if (known !== undefined) return known;
  const account = await findSpotAccount(ccxt);
  if (account === undefined) throw failure(['rejected', 'refused']);
  if (ids.size >= KNOWN_MAX) ids.clear();
  ids.set(apiKey, account.id);
  return account.id;
}

const user = z.object({ data: identifier });
const keys = z.object({ data: z.array(z.object({ accessKey: z.string(), permission: z.string() })) });

/** The exchange reports the permissions of a key to keys of the main account only. */
export async function inspectHtx(ccxt: CcxtClient): Promise<CredentialsReport> {
  const { data: uid } = parseResponse(user, await callEndpoint(ccxt, 'spotPrivateGetV2UserUid', {}));
  const { apiKey: accessKey = '' } = currentCredentials() ?? {};
  const response = await callEndpoint(ccxt, 'spotPrivateGetV2UserApiKey', { uid, accessKey });
  const key = parseResponse(keys, response).data.find((each) => each.accessKey === accessKey);
  const permissions = new Set(key?.permission.split(','));
  const account = await findSpotAccount(ccxt);
  return {
    tradingTypes: ['spot'],
    canTrade: permissions.has('readOnly') && permissions.has('trade') && account?.state === 'working',
    // A key that is missing in the list may have every permission.
    canWithdraw: key === undefined || permissions.has('withdraw'),
    venueAccountId: uid,
    unsupported: account === undefined ? 'ACCOUNT_TYPE' : undefined,
  };
}

const balances = z.object({
  data: z.object({
    list: z.array(z.object({ currency: z.string().min(1), type: z.string(), balance: exactDecimal })),
  }),
});

/** Fetches balances between two readings of the exchange's clock. Omits assets without a balance. */
export async function fetchHtxBalances(ccxt: CcxtClient): Promise<BalanceReport> {
  const params = { 'account-id': await spotAccountId(ccxt) };
  const at = venueTime(ccxt);
  const response = await callEndpoint(ccxt, 'spotPrivateGetV1AccountAccountsAccountIdBalance', params);
  const held: Record<string, AssetBalance> = {};
  for (const { currency, type, balance } of parseResponse(balances, response).data.list) {
    if (balance === '0' || (type !== 'trade' && type !== 'frozen')) continue;
    const asset = ccxt.safeCurrencyCode(currency);
    const { free, locked } = held[asset] ?? { free: '0', locked: '0' };
    held[asset] = type === 'trade' ? { free: balance, locked } : { free, locked: balance };
  }
  return { balances: held, at, until: venueTime(ccxt) };
}
