import type { Decimal } from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';

/** By account, then by asset. */
export type FreeBalances = ReadonlyMap<string, ReadonlyMap<string, Decimal>>;

/**
 * What can be spent of each asset of each account: what was free when its balances were read, less what orders have
 * taken since; never below zero. The caller holds the accounts' locks.
 */
export async function freeOf(
  tx: Tx,
  accountIds: readonly string[],
  assets: readonly string[],
): Promise<FreeBalances> {
  const rows = await queryPrepared<{ id: string; asset: string; free: Decimal }>(tx, FREE, [
    accountIds,
    assets,
  ]);
  const free = new Map<string, Map<string, Decimal>>();
  for (const row of rows) {
    const ofAccount = free.get(row.id) ?? new Map<string, Decimal>();
    ofAccount.set(row.asset, row.free);
    free.set(row.id, ofAccount);
  }
  return free;
}

/** An order that was told of before the balances were read is in them; one that came to nothing takes nothing. */
const FREE = `SELECT a.id, s.asset,
    trim_scale(greatest(0, coalesce((a.balances -> s.asset ->> 'free')::numeric, 0) - coalesce(r.reserved, 0)))::text
      AS free
  FROM exchange_accounts a CROSS JOIN unnest($2::text[]) AS s (asset)
  LEFT JOIN (
    SELECT t.exchange_account_id, t.reserved_asset, sum(t.reserved_amount) AS reserved
    FROM trades t JOIN exchange_accounts b ON b.id = t.exchange_account_id
    WHERE t.exchange_account_id = ANY ($1) AND t.reserved_asset = ANY ($2) AND t.reserved_amount > 0
      AND t.status <> 'FAILED' AND NOT (t.status = 'CANCELLED' AND t.filled_amount = 0)
      AND (t.acknowledged_at IS NULL OR t.acknowledged_at >= b.balances_taken_at)
    GROUP BY 1, 2
  ) r ON r.exchange_account_id = a.id AND r.reserved_asset = s.asset
  WHERE a.id = ANY ($1)`;
