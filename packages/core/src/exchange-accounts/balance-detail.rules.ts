/** Computes what an account holds and owes of each asset. */
import type { AssetBalance, Decimal, TradingType } from '@trading-automation/contracts';
import { BigDecimal } from '../values/index.js';

/** What an account owes, by asset, as the exchange port reports it. Assets without a loan may be missing. */
export type Loans = Readonly<Record<string, { readonly borrowed: Decimal; readonly interest: Decimal }>>;

interface StoredAmounts {
  readonly tradingType: TradingType;
  /** What the exchange reported. */
  readonly balances: Readonly<Record<string, { readonly locked: Decimal }>>;
  /** Null if the loans were not read yet. */
  readonly loans: Loans | null;
}

/**
 * Returns the details by asset, sorted. An asset that the account only owes is included.
 *
 * @param totals free plus locked, by asset, with the effects of later fills
 */
export function balanceDetail(
  { tradingType, balances, loans }: StoredAmounts,
  totals: Readonly<Record<string, Decimal>>,
): Record<string, AssetBalance> {
  const owed = tradingType === 'margin' ? loans : null;
  const assets = [...new Set([...Object.keys(totals), ...Object.keys(owed ?? {})])].sort();
  return Object.fromEntries(
    assets.map((asset) => {
      const total = new BigDecimal(totals[asset] ?? '0');
      const used = BigDecimal.min(total, balances[asset]?.locked ?? '0');
      const loan = owed === null ? undefined : (owed[asset] ?? { borrowed: '0', interest: '0' });
      return [
        asset,
        { total: total.toString(), free: total.minus(used).toString(), used: used.toString(), ...loan },
      ];
    }),
  );
}

/** Returns what the account holds of each asset less what it borrowed of it: below zero if it owes more. */
export function netOfLoans(
  totals: Readonly<Record<string, Decimal>>,
  loans: Loans,
): Readonly<Record<string, Decimal>> {
  const net = new Map(Object.entries(totals));
  for (const [asset, { borrowed }] of Object.entries(loans))
    net.set(asset, new BigDecimal(net.get(asset) ?? '0').minus(borrowed).toString());
  return Object.fromEntries(net);
}

/** Returns whether the two differ in a borrowed amount. Interest alone accrues all the time and is no change. */
export function haveBorrowedElse(a: Loans, b: Loans): boolean {
  const borrowedOf = (loans: Loans, asset: string) => new BigDecimal(loans[asset]?.borrowed ?? '0');
  return [...Object.keys(a), ...Object.keys(b)].some(
    (asset) => !borrowedOf(a, asset).eq(borrowedOf(b, asset)),
  );
}
