import type { Tx } from '@trading-automation/persistence';
import type { CopierEntity } from './copier.entity.js';

export async function countCopiersOfUser(tx: Tx, userId: string): Promise<number> {
  const [{ count }] = await tx.query(
    'SELECT count(*)::int AS count FROM copiers WHERE user_id = $1 AND deleted_at IS NULL',
    [userId],
  );
  return count;
}

/** Counts the copiers of all users that are linked to the strategy, in any status. */
export async function countCopiersOfStrategy(tx: Tx, strategyId: string): Promise<number> {
  const [{ count }] = await tx.query(
    'SELECT count(*)::int AS count FROM copiers WHERE strategy_id = $1 AND deleted_at IS NULL',
    [strategyId],
  );
  return count;
}

/** Returns true if a copier of any user follows the strategy and is not paused. */
export async function isFollowed(tx: Tx, strategyId: string): Promise<boolean> {
  const rows = await tx.query(
    `SELECT FROM copiers WHERE strategy_id = $1 AND deleted_at IS NULL AND status <> 'PAUSED' LIMIT 1`,
    [strategyId],
  );
  return rows.length > 0;
}

/** Links the copiers to a strategy. They have not followed it yet, so their sequences and drift are reset. */
export async function linkCopiers(tx: Tx, strategyId: string, copierIds: readonly string[]): Promise<void> {
  await tx.query(
    `UPDATE copiers SET strategy_id = $1, followed_sequence = NULL, started_sequence = 0, resumed_sequence = 0,
       drift = '[]', updated_at = clock_timestamp() WHERE id = ANY ($2)`,
    [strategyId, copierIds],
  );
}

/**
 * Starts a copier: it copies the lots that its strategy opens from now on. A copier that was paused skips all signals
 * up to `sequence`.
 *
 * @param sequence - the strategy's last sequence, which the transaction has locked
 */
export async function markStarted(
  tx: Tx,
  id: string,
  sequence: number,
  drift: CopierEntity['drift'],
): Promise<void> {
  await tx.query(
    `UPDATE copiers SET resumed_sequence = CASE WHEN status = 'PAUSED' THEN $2 ELSE resumed_sequence END,
       followed_sequence = coalesce(followed_sequence, $2), started_sequence = $2, drift = $3,
       status = 'ACTIVE', status_reason = NULL, started_at = clock_timestamp(), updated_at = clock_timestamp()
     WHERE id = $1`,
    [id, sequence, JSON.stringify(drift)],
  );
}

/** Returns the account and its duplicate connections; only the account if the exchange does not identify accounts. */
export async function duplicateConnectionsOf(tx: Tx, accountId: string): Promise<ReadonlySet<string>> {
  const rows: { id: string }[] = await tx.query(
    `SELECT b.id FROM exchange_accounts a
     JOIN exchange_accounts b ON b.exchange = a.exchange AND b.venue_account_id = a.venue_account_id
     WHERE a.id = $1`,
    [accountId],
  );
  return new Set([accountId, ...rows.map(({ id }) => id)]);
}

/** Marks a copier as deleted. The row remains, because trades refer to it. */
export async function markDeleted(tx: Tx, id: string): Promise<void> {
  await tx.query(
    'UPDATE copiers SET deleted_at = clock_timestamp(), updated_at = clock_timestamp() WHERE id = $1',
    [id],
  );
}
