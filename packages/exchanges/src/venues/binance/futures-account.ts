/** Accounts of Binance's USD-M futures: https://developers.binance.com/docs/derivatives/usds-margined-futures/account/rest-api */
import type { Decimal } from '@trading-automation/contracts';
import { z } from 'zod';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import type { AccountMargin, AssetBalance, BalanceReport, CredentialsReport } from '../../port.js';

const keyInfo = z.object({
  enableFutures: z.boolean(),
  enableWithdrawals: z.boolean(),
  enablePortfolioMarginTrading: z.boolean(),
});
const userInfo = z.object({ uid: z.union([z.string(), z.number()]).transform(String) });
const configuration = z.object({
  canTrade: z.boolean(),
  dualSidePosition: z.boolean(),
  multiAssetsMargin: z.boolean(),
});

async function fetchConfiguration(ccxt: CcxtClient): Promise<z.output<typeof configuration>> {
  return parseResponse(configuration, await callEndpoint(ccxt, 'fapiPrivateGetAccountConfig', {}));
}

export async function inspectFutures(ccxt: CcxtClient): Promise<CredentialsReport> {
  const key = parseResponse(keyInfo, await callEndpoint(ccxt, 'sapiGetAccountApiRestrictions', {}));
  const report = {
    tradingTypes: ['perpetual'],
    canWithdraw: key.enableWithdrawals,
    // The account of spot has the id of the user, which the futures account lacks.
    venueAccountId: parseResponse(
      userInfo,
      await callEndpoint(ccxt, 'privateGetAccount', { omitZeroBalances: 'true' }),
    ).uid,
  } as const;
  // An account with portfolio margin trades by other calls.
  if (key.enablePortfolioMarginTrading)
    return { ...report, canTrade: key.enableFutures, unsupported: 'PORTFOLIO_MARGIN' };
  const { canTrade, dualSidePosition } = await fetchConfiguration(ccxt);
  return {
    ...report,
    canTrade: canTrade && key.enableFutures,
    unsupported: dualSidePosition ? 'HEDGE_MODE' : undefined,
  };
}

const walletBalances = z.array(z.object({ asset: z.string().min(1), balance: exactDecimal }));

/** Returns a balance of the wallet. Orders and positions use it as margin and lock none of it. */
export function walletBalance(balance: Decimal): AssetBalance {
  return { free: balance, locked: '0' };
}

export async function fetchFuturesBalances(ccxt: CcxtClient): Promise<BalanceReport> {
  const requestedAt = venueTime(ccxt);
  const response = await callEndpoint(ccxt, 'fapiPrivateV3GetBalance', {});
  const held = parseResponse(walletBalances, response)
    .filter(({ balance }) => balance !== '0')
    .map(({ asset, balance }) => [ccxt.safeCurrencyCode(asset), walletBalance(balance)] as const);
  return { balances: Object.fromEntries(held), at: requestedAt, until: venueTime(ccxt) };
}

const account = z.object({
  totalMarginBalance: exactDecimal,
  availableBalance: exactDecimal,
  totalMaintMargin: exactDecimal,
});

/** The totals are in USD if the account uses several assets as margin, and otherwise those of USDT alone. */
export async function fetchFuturesMargin(ccxt: CcxtClient): Promise<AccountMargin> {
  const [response, { multiAssetsMargin }] = await Promise.all([
    callEndpoint(ccxt, 'fapiPrivateV3GetAccount', {}),
    fetchConfiguration(ccxt),
  ]);
  const { totalMarginBalance, availableBalance, totalMaintMargin } = parseResponse(account, response);
  return {
    currency: multiAssetsMargin ? 'USD' : 'USDT',
    equity: totalMarginBalance,
    available: availableBalance,
    maintenanceMargin: totalMaintMargin,
  };
}
