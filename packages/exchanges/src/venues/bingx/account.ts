/** BingX's accounts: https://bingx-api.github.io/docs-v3/#/en/Spot/Account%20Endpoints/Query%20Assets */
import { z } from 'zod';
import { currentCredentials } from '../../ccxt/call.js';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import { jsonDecimal, parseResponse } from '../../ccxt/parse-response.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import type { AssetBalance, BalanceReport, CredentialsReport } from '../../port.js';
import { identifier } from './fields.js';

const user = z.object({ data: z.object({ uid: identifier }) });
const keys = z.object({
  data: z.object({
    apiInfos: z.array(z.object({ apiKey: z.string(), permissions: z.array(z.coerce.number()) })),
  }),
});

const SPOT_TRADING = 1;
const READ = 2;
/** Trading of contracts, transfers between own accounts, and transfers between sub-accounts. */
const HARMLESS: ReadonlySet<number> = new Set([SPOT_TRADING, READ, 3, 4, 7]);

/** Returns the id of the user. The call is signed, so it checks the secret. */
export async function fetchUserId(ccxt: CcxtClient): Promise<string> {
  return parseResponse(user, await callEndpoint(ccxt, 'accountV1PrivateGetUid', {})).data.uid;
}

export async function inspectBingx(ccxt: CcxtClient): Promise<CredentialsReport> {
  const uid = await fetchUserId(ccxt);
  const { apiKey = '' } = currentCredentials() ?? {};
  const response = await callEndpoint(ccxt, 'accountV1PrivateGetApiKeyQuery', { uid, apiKey });
  const own = parseResponse(keys, response).data.apiInfos.filter((each) => isMaskOf(each.apiKey, apiKey));
  const isKnown = own.length > 0;
  const permissions = own.map((each) => each.permissions);
  return {
    tradingTypes: ['spot'],
    canTrade: isKnown && permissions.every((each) => each.includes(SPOT_TRADING) && each.includes(READ)),
    // Permission 5 is that to withdraw. Those that the exchange does not document may be more than harmless.
    canWithdraw: !isKnown || permissions.flat().some((each) => !HARMLESS.has(each)),
    venueAccountId: uid,
  };
}

/** The exchange hides the middle of a key: `zF*******zQ`. */
function isMaskOf(mask: string, apiKey: string): boolean {
  const [head = '', tail = ''] = mask.split(/\*+/);
  return mask === apiKey || (mask.includes('*') && apiKey.startsWith(head) && apiKey.endsWith(tail));
}

const balances = z.object({
  data: z.object({
    balances: z
      .array(z.object({ asset: z.string().min(1), free: jsonDecimal, locked: jsonDecimal }))
      .nullish()
      .transform((list) => list ?? []),
  }),
});

/** Fetches balances between two readings of the exchange's clock. Omits assets without a balance. */
export async function fetchBingxBalances(ccxt: CcxtClient): Promise<BalanceReport> {
  const at = venueTime(ccxt);
  const response = await callEndpoint(ccxt, 'spotV1PrivateGetAccountBalance', {});
  const held = parseResponse(balances, response)
    .data.balances.filter(({ free, locked }) => free !== '0' || locked !== '0')
    .map(({ asset, free, locked }): [string, AssetBalance] => [
      ccxt.safeCurrencyCode(asset),
      { free, locked },
    ]);
  return { balances: Object.fromEntries(held), at, until: venueTime(ccxt) };
}
