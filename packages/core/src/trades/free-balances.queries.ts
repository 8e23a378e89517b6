import type { Decimal } from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';

/** Free amounts by account, then by asset. */
export type FreeBalances = ReadonlyMap<string, ReadonlyMap<string, Decimal>>;

/**
 * Returns the free balance of each asset of each account, never below zero. The caller must hold the accounts' locks,
 * so that no other transaction reserves concurrently.
 */
export async function loadFreeBalances(
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
    const freeByAsset = free.get(row.id) ?? new Map<string, Decimal>();
    freeByAsset.set(row.asset, row.free);
    free.set(row.id, freeByAsset);
  }
  return free;
}

/**
 * The free balance that the exchange reported, less later reservations, plus the proceeds of later fills.
 *
 * 1. The proceeds count, so that an asset that was just bought can be sold before the balances are read again.
 * 2. An order that was acknowledged before the balances were read reserves nothing here, because the balances already
 *    account for it. An order that ended without a fill reserves nothing either.
 * 3. A fill that the balances already include may count twice. The exchange then rejects an order that exceeds the real
 *    balance.
 */
const FREE = `
  WITH requested AS (
    SELECT a.id, n.asset, a.balances_taken_at AS taken_at,
      coalesce((a.balances -> n.asset ->> 'free')::numeric, 0) AS free
    FROM exchange_accounts a CROSS JOIN unnest($2::text[]) AS n (asset) WHERE a.id = ANY ($1)),
  reserved AS (
    SELECT t.exchange_account_id AS id, t.reserved_asset AS asset, sum(t.reserved_amount) AS amount
    FROM trades t JOIN exchange_accounts a ON a.id = t.exchange_account_id
    WHERE t.exchange_account_id = ANY ($1) AND t.reserved_asset = ANY ($2) AND t.reserved_amount > 0
      AND t.status <> 'FAILED' AND NOT (t.status = 'CANCELLED' AND t.filled_amount = 0)
      AND (t.acknowledged_at IS NULL OR t.acknowledged_at >= a.balances_taken_at)
    GROUP BY 1, 2),
  proceeds AS (
    SELECT f.exchange_account_id AS id, g.asset, sum(g.amount) AS amount
    FROM fills f
    JOIN exchange_accounts a ON a.id = f.exchange_account_id
    JOIN trades t ON t.id = f.trade_id
    JOIN trade_pairs p ON p.id = t.trade_pair_id
    CROSS JOIN LATERAL (
      SELECT CASE t.side WHEN 'BUY' THEN p.base ELSE p.quote END AS asset,
        CASE t.side WHEN 'BUY' THEN f.amount ELSE f.amount * f.price END AS gross) side
    CROSS JOIN LATERAL (
      SELECT side.asset, side.gross - CASE WHEN f.fee_currency = side.asset THEN f.fee_amount ELSE 0 END AS amount) g
    WHERE f.exchange_account_id = ANY ($1) AND g.asset = ANY ($2)
      AND f.executed_at >= a.balances_taken_at - interval '1 minute' AND f.created_at >= a.balances_taken_at
    GROUP BY 1, 2)
  SELECT requested.id, requested.asset,
    trim_scale(greatest(0, requested.free - coalesce(r.amount, 0) + coalesce(b.amount, 0)))::text AS free
  FROM requested
  LEFT JOIN reserved r ON r.id = requested.id AND r.asset = requested.asset
  LEFT JOIN proceeds b ON b.id = requested.id AND b.asset = requested.asset`;
