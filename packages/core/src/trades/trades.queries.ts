import type { Decimal } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';

/**
 * What trades have taken out of the account's free balance since it was read: those that the exchange had not
 * confirmed by then. Those that it had are in the balance already. A trade that came to nothing takes nothing.
 */
export async function reservedSinceBalances(tx: Tx, accountId: string, asset: string): Promise<Decimal> {
  const [{ reserved }] = await tx.query(
    `SELECT coalesce(sum(t.reserved_amount), 0)::text AS reserved
     FROM trades t JOIN exchange_accounts a ON a.id = t.exchange_account_id
     WHERE t.exchange_account_id = $1 AND t.reserved_asset = $2 AND t.reserved_amount > 0
       AND t.status <> 'FAILED' AND NOT (t.status = 'CANCELLED' AND t.filled_amount = 0)
       AND (t.acknowledged_at IS NULL OR t.acknowledged_at >= a.balances_taken_at)`,
    [accountId, asset],
  );
  return reserved;
}

/** Open trades that are due for a look, which nobody else looks at for `leaseMs`. */
export async function takeDueLooks(tx: Tx, leaseMs: number, limit: number): Promise<string[]> {
  const [rows] = await tx.query(
    `UPDATE trades SET look_at = clock_timestamp() + $1 * interval '1 millisecond'
     WHERE id IN (SELECT id FROM trades
                  WHERE status IN ('PENDING', 'PARTIALLY_FILLED') AND look_at <= clock_timestamp()
                  ORDER BY look_at LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING id`,
    [leaseMs, limit],
  );
  return (rows as { id: string }[]).map(({ id }) => id);
}
