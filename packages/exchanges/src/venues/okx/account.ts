/** OKX's account: permissions, balances and loans. https://www.okx.com/docs-v5/en/#trading-account-rest-api */
import type { Decimal, TradingType } from '@trading-automation/contracts';
import { z } from 'zod';
import { add, larger, smaller, subtract } from '../../ccxt/amounts.js';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type { LoanCalls } from '../../ccxt/declaration.js';
import { allPages } from '../../ccxt/pages.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import type {
  AccountMargin,
  AssetBalance,
  BalanceReport,
  Balances,
  CredentialsReport,
  InterestCharge,
  UnsupportedAccount,
} from '../../port.js';

const configuration = z.object({
  acctLv: z.enum(['1', '2', '3', '4']),
  posMode: z.string(),
  autoLoan: z.boolean(),
  uid: z.string().min(1),
  perm: z.string(),
});
type Configuration = z.output<typeof configuration>;
const configurations = z.object({ data: z.array(configuration).length(1) });

export async function inspectOkx(ccxt: CcxtClient, type: TradingType): Promise<CredentialsReport> {
  const response = await callEndpoint(ccxt, 'privateGetAccountConfig', {});
  const config = parseResponse(configurations, response).data[0]!;
  const permissions = config.perm.split(',');
  return {
    tradingTypes: [type],
    canTrade: permissions.includes('trade'),
    canWithdraw: permissions.includes('withdraw'),
    venueAccountId: config.uid,
    isUnified: true,
    unsupported: unsupportedOf(type, config),
  };
}

/**
 * The account modes in which a trading type works: 1 spot, 2 futures, 3 multi-currency margin. In the mode 3 the exchange
 * refuses orders of spot without margin. In the mode 2 its cross margin consists of positions instead of loans.
 */
const MODES: Readonly<Record<TradingType, readonly Configuration['acctLv'][]>> = {
  spot: ['1', '2'],
  margin: ['3'],
  perpetual: ['2', '3'],
};

function unsupportedOf(
  type: TradingType,
  { acctLv, autoLoan, posMode }: Configuration,
): UnsupportedAccount | undefined {
  if (acctLv === '4') return 'PORTFOLIO_MARGIN';
  if (!MODES[type].includes(acctLv)) return 'ACCOUNT_TYPE';
  // Without this setting, the account cannot borrow.
  if (type === 'margin' && !autoLoan) return 'ACCOUNT_TYPE';
  return type === 'perpetual' && posMode !== 'net_mode' ? 'HEDGE_MODE' : undefined;
}

/** Amounts that do not apply are empty. */
const amount = z.union([exactDecimal, z.literal('').transform((): Decimal => '0')]);
const detail = z.object({
  ccy: z.string().min(1),
  availBal: amount,
  frozenBal: amount,
  cashBal: amount,
  stgyEq: amount,
  isoEq: amount,
  imr: amount,
  upl: amount,
  liab: amount,
  interest: amount,
  eq: amount,
  availEq: amount,
  mmr: amount,
});
export const wallet = z.object({
  adjEq: z.string(),
  imr: amount,
  mmr: amount,
  uTime: z.coerce.number(),
  details: z.array(detail),
});
type Wallet = z.output<typeof wallet>;
type Detail = z.output<typeof detail>;

/** The currencies that settle contracts and are worth as much as USD. */
const DOLLARS = new Set(['USDT', 'USDC']);
const wallets = z.object({ data: z.array(wallet).length(1) });

async function fetchWallet(ccxt: CcxtClient, params: { readonly ccy?: string } = {}): Promise<Wallet> {
  return parseResponse(wallets, await callEndpoint(ccxt, 'privateGetAccountBalance', params)).data[0]!;
}

/** Returns the balances of currencies; zeros are included. */
export function balancesOf(ccxt: CcxtClient, { details, imr, adjEq }: Wallet): Balances {
  const balances: Record<string, AssetBalance> = {};
  // The balance of a currency that the account owes may be negative.
  for (const each of details) {
    const deducted = marginDeductedOf(each, adjEq === '' ? undefined : imr);
    balances[ccxt.safeCurrencyCode(each.ccy)] = {
      free: each.availBal.startsWith('-') ? '0' : each.availBal,
      locked: each.frozenBal,
      ...(deducted !== '0' && { marginDeducted: deducted }),
    };
  }
  return balances;
}

/**
 * What the available balance of a currency lacks of the margins less the open result. The frozen balance contains the margins,
 * beside what orders on spot lock.
 *
 * @param imr the initial margins of the account in USD; undefined in a mode where each currency has its own
 */
function marginDeductedOf(each: Detail, imr: Decimal | undefined): Decimal {
  const { ccy, availBal, frozenBal, cashBal, stgyEq, isoEq, upl } = each;
  const cross = imr === undefined ? each.imr : DOLLARS.has(ccy) ? imr : '0';
  const margin = smaller(frozenBal, add(cross, isoEq));
  // Recorded answers show that the available balance contains the open result.
  const surplus = subtract(add(availBal, frozenBal), add(cashBal, stgyEq));
  const isLoss = upl.startsWith('-');
  const result = isLoss ? smaller('0', larger(surplus, upl)) : larger('0', smaller(surplus, upl));
  return subtract(margin, result);
}

export async function fetchOkxBalances(ccxt: CcxtClient): Promise<BalanceReport> {
  const account = await fetchWallet(ccxt);
  const held = Object.entries(balancesOf(ccxt, account)).filter(
    ([, { free, locked }]) => free !== '0' || locked !== '0',
  );
  // The exchange dates its answer as a whole, and each currency by its last change.
  const at = new Date(account.uTime);
  return { balances: Object.fromEntries(held), at, until: at };
}

/** Returns the balance of a currency that the account may spend without a loan. */
export async function fetchAvailable(ccxt: CcxtClient, currency: string): Promise<Decimal> {
  const { details } = await fetchWallet(ccxt, { ccy: currency });
  return details.find(({ ccy }) => ccy === currency)?.availBal ?? '0';
}

/**
 * In the multi-currency mode, one margin in USD covers all positions. In the futures mode, each currency has its own; the
 * one with open positions is returned, or else that of USDT.
 */
export async function fetchOkxMargin(ccxt: CcxtClient): Promise<AccountMargin> {
  const { adjEq, imr, mmr, details } = await fetchWallet(ccxt);
  if (adjEq !== '') {
    const equity = parseResponse(exactDecimal, adjEq);
    return { currency: 'USD', equity, available: subtract(equity, imr), maintenanceMargin: mmr };
  }
  const settled = details.filter(({ ccy }) => ccy === 'USDT' || ccy === 'USDC');
  const used =
    settled.find((each) => each.mmr !== '0') ?? settled.find(({ ccy }) => ccy === 'USDT') ?? settled[0];
  if (used === undefined) return { currency: 'USDT', equity: '0', available: '0', maintenanceMargin: '0' };
  const { ccy: currency, eq: equity, availEq: available, mmr: maintenanceMargin } = used;
  return { currency, equity, available, maintenanceMargin };
}

const charge = z.object({
  ccy: z.string().min(1),
  mgnMode: z.string(),
  instId: z.string(),
  interest: exactDecimal,
  ts: z.coerce.number(),
});
const charges = z.object({ data: z.array(charge) });
const CHARGES_PER_PAGE = 100;

async function fetchCharges(ccxt: CcxtClient, sinceMs: number): Promise<readonly z.output<typeof charge>[]> {
  return allPages(async (after) => {
    // Market loans. The list is paged by time, and the cursor includes its own millisecond.
    const params = { type: '2', limit: CHARGES_PER_PAGE, ...(after === undefined ? {} : { after }) };
    const response = await callEndpoint(ccxt, 'privateGetAccountInterestAccrued', params);
    const { data } = parseResponse(charges, response);
    const items = data.filter(({ ts }) => ts >= sinceMs);
    const oldest = items.at(-1)?.ts;
    const isComplete = items.length < CHARGES_PER_PAGE || oldest === undefined;
    return { items, next: isComplete ? undefined : String(oldest + 1) };
  });
}

export const okxLoans: LoanCalls = {
  fetchLoans: async ({ ccxt }) => {
    const { details } = await fetchWallet(ccxt);
    const owed = details.filter(({ liab, interest }) => liab !== '0' || interest !== '0');
    return Object.fromEntries(
      owed.map(({ ccy, liab, interest }) => [ccxt.safeCurrencyCode(ccy), { borrowed: liab, interest }]),
    );
  },
  fetchInterest: async ({ ccxt }, since) => {
    const byId = new Map<string, InterestCharge>();
    for (const { ccy, mgnMode, instId, interest, ts } of await fetchCharges(ccxt, since.getTime())) {
      // The exchange charges each loan once an hour.
      const id = [ccy, ts, mgnMode, instId].filter((part) => part !== '').join('-');
      byId.set(id, { id, asset: ccxt.safeCurrencyCode(ccy), amount: interest, chargedAt: new Date(ts) });
    }
    return [...byId.values()].sort((a, b) => a.chargedAt.getTime() - b.chargedAt.getTime());
  },
};
