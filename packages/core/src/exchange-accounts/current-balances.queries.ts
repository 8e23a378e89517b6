import type { Decimal } from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';

/** Free and locked amounts together, by asset; assets without a balance are omitted. */
export type CurrentBalances = Readonly<Record<string, Decimal>>;

/** Selects the current balances of the account `a` as an object, as `currentBalances` returns them. */
export const CURRENT_BALANCE = `(
  SELECT coalesce(json_object_agg(b.asset, trim_scale(b.amount)::text ORDER BY b.asset), '{}')
  FROM current_balances(ARRAY[a.id]) AS b WHERE b.amount > 0) AS current_balance`;

/**
 * Returns the balances of accounts: the venue's last report of each asset, with the effects of the fills that are later
 * than the report. Accounts whose balances were never read are left out.
 */
export async function currentBalances(
  tx: Tx,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, CurrentBalances>> {
  if (accountIds.length === 0) return new Map();
  const rows = await queryPrepared<{ id: string; asset: string; amount: Decimal }>(
    tx,
    `SELECT account_id AS id, asset, trim_scale(amount)::text AS amount
     FROM current_balances($1) WHERE amount > 0 ORDER BY account_id, asset`,
    [accountIds],
  );
  const byAccount = new Map<string, Record<string, Decimal>>();
  for (const { id, asset, amount } of rows) byAccount.set(id, { ...byAccount.get(id), [asset]: amount });
  return byAccount;
}
