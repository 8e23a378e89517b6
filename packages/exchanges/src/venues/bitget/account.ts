/** Bitget's unified account: permissions, balances and margin. https://www.bitget.com/api-doc/uta/account/Get-Account */
import type { TradingType } from '@trading-automation/contracts';
import errors from 'ccxt/js/src/base/errors';
import { z } from 'zod';
import { subtract } from '../../ccxt/amounts.js';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import type {
  AccountMargin,
  AssetBalance,
  BalanceReport,
  Balances,
  CredentialsReport,
  UnsupportedAccount,
} from '../../port.js';

const settings = z.object({
  data: z.object({
    uid: z.string().min(1),
    accountMode: z.string(),
    accountLevel: z.string().optional(),
    holdMode: z.string(),
    symbolConfigList: z.array(
      z.object({ category: z.string(), symbol: z.string(), marginMode: z.string(), leverage: exactDecimal }),
    ),
  }),
});
type Settings = z.output<typeof settings>['data'];
const keyInfo = z.object({
  data: z.object({ permType: z.string(), permissions: z.array(z.string()) }),
});

export async function fetchSettings(ccxt: CcxtClient): Promise<Settings> {
  return parseResponse(settings, await callEndpoint(ccxt, 'privateUtaGetV3AccountSettings', {})).data;
}

/** The account modes in which the product can trade. Others are the classic account and accounts between two modes. */
const MODES = new Set(['unified', 'hybrid']);

export async function inspectBitget(ccxt: CcxtClient, type: TradingType): Promise<CredentialsReport> {
  const account = await fetchUnifiedSettings(ccxt);
  // A classic account does not report its permissions here, so the key may have all of them.
  if (account === undefined)
    return { tradingTypes: [type], canTrade: true, canWithdraw: true, unsupported: 'ACCOUNT_TYPE' };
  const { data: key } = parseResponse(keyInfo, await callEndpoint(ccxt, 'privateUtaGetV3AccountInfo', {}));
  return {
    tradingTypes: [type],
    canTrade: key.permType === 'read-and-write' && key.permissions.includes('uta_trade'),
    canWithdraw: key.permissions.includes('withdraw'),
    venueAccountId: account.uid,
    isUnified: true,
    unsupported: unsupportedOf(type, account),
  };
}

/** Returns undefined for a classic account. */
async function fetchUnifiedSettings(ccxt: CcxtClient): Promise<Settings | undefined> {
  try {
    return await fetchSettings(ccxt);
  } catch (error) {
    if (error instanceof errors.AccountNotEnabled) return undefined;
    throw error;
  }
}

function unsupportedOf(
  type: TradingType,
  { accountMode, accountLevel, holdMode }: Settings,
): UnsupportedAccount | undefined {
  if (!MODES.has(accountMode)) return 'ACCOUNT_TYPE';
  // The basic mode has no loans.
  if (type === 'margin' && accountLevel === 'basic') return 'ACCOUNT_TYPE';
  return type === 'perpetual' && holdMode !== 'one_way_mode' ? 'HEDGE_MODE' : undefined;
}

const coin = z.object({ coin: z.string().min(1), balance: exactDecimal, locked: exactDecimal });
const ownedCoin = coin.extend({ debt: exactDecimal });
const assets = z.object({
  requestTime: z.number(),
  data: z.object({
    effEquity: exactDecimal,
    imr: exactDecimal,
    mmr: exactDecimal,
    assets: z.array(ownedCoin),
  }),
});
/** The account in a message of the stream. */
export const streamedAccount = z.object({ coin: z.array(coin) });

/** Returns the balances of coins; zeros are included. */
export function balancesOf(ccxt: CcxtClient, coins: readonly z.output<typeof coin>[]): Balances {
  const balances: Record<string, AssetBalance> = {};
  for (const { coin: code, balance, locked } of coins) {
    // The balance of a coin that the account owes is negative.
    const free = subtract(balance, locked);
    balances[ccxt.safeCurrencyCode(code)] = { free: free.startsWith('-') ? '0' : free, locked };
  }
  return balances;
}

export async function fetchAssets(ccxt: CcxtClient): Promise<z.output<typeof assets>> {
  return parseResponse(assets, await callEndpoint(ccxt, 'privateUtaGetV3AccountAssets', {}));
}

export async function fetchBitgetBalances(ccxt: CcxtClient): Promise<BalanceReport> {
  const { requestTime, data } = await fetchAssets(ccxt);
  const held = Object.entries(balancesOf(ccxt, data.assets)).filter(
    ([, { free, locked }]) => free !== '0' || locked !== '0',
  );
  // The exchange states when it received the request.
  const until = Math.max(requestTime, venueTime(ccxt).getTime());
  return { balances: Object.fromEntries(held), at: new Date(requestTime), until: new Date(until) };
}

export async function fetchBitgetMargin(ccxt: CcxtClient): Promise<AccountMargin> {
  const { effEquity, imr, mmr } = (await fetchAssets(ccxt)).data;
  return {
    currency: 'USD',
    equity: effEquity,
    available: subtract(effEquity, imr),
    maintenanceMargin: mmr,
  };
}
