import type { Tx } from '@trading-automation/persistence';
import type { CopierEntity } from './copier.entity.js';

export async function countCopiersOfUser(tx: Tx, userId: string): Promise<number> {
  const [{ count }] = await tx.query(
    'SELECT count(*)::int AS count FROM copiers WHERE user_id = $1 AND deleted_at IS NULL',
    [userId],
  );
  return count;
}

/** How many copiers are linked to the strategy, whosever they are and whatever their state. */
export async function countCopiersOfStrategy(tx: Tx, strategyId: string): Promise<number> {
  const [{ count }] = await tx.query(
    'SELECT count(*)::int AS count FROM copiers WHERE strategy_id = $1 AND deleted_at IS NULL',
    [strategyId],
  );
  return count;
}

/** Whether anybody's copier still follows the strategy's entries or exits. */
export async function isFollowed(tx: Tx, strategyId: string): Promise<boolean> {
  const rows = await tx.query(
    `SELECT FROM copiers WHERE strategy_id = $1 AND deleted_at IS NULL AND status <> 'PAUSED' LIMIT 1`,
    [strategyId],
  );
  return rows.length > 0;
}

export async function linkCopiers(tx: Tx, strategyId: string, copierIds: readonly string[]): Promise<void> {
  await tx.query(
    `UPDATE copiers SET strategy_id = $1, followed_sequence = NULL, started_sequence = 0, resumed_sequence = 0,
       drift = '[]', updated_at = clock_timestamp() WHERE id = ANY ($2)`,
    [strategyId, copierIds],
  );
}

/**
 * Starts a copier: what its strategy opens from this moment on is its business. One that was paused takes up nothing of
 * what was signalled meanwhile.
 *
 * @param sequence - the strategy's last one, which the transaction holds
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

/** The account, and others that are the same one at its exchange, as far as it tells. */
export async function duplicateConnectionsOf(tx: Tx, accountId: string): Promise<ReadonlySet<string>> {
  const rows: { id: string }[] = await tx.query(
    `SELECT b.id FROM exchange_accounts a
     JOIN exchange_accounts b ON b.exchange = a.exchange AND b.venue_account_id = a.venue_account_id
     WHERE a.id = $1`,
    [accountId],
  );
  return new Set([accountId, ...rows.map(({ id }) => id)]);
}

/** Removes a copier; the row stays for the trades that name it. */
export async function markDeleted(tx: Tx, id: string): Promise<void> {
  await tx.query(
    'UPDATE copiers SET deleted_at = clock_timestamp(), updated_at = clock_timestamp() WHERE id = $1',
    [id],
  );
}
