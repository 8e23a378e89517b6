import type { Tx } from '@trading-automation/persistence';

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
  await tx.query('UPDATE copiers SET strategy_id = $1, updated_at = clock_timestamp() WHERE id = ANY ($2)', [
    strategyId,
    copierIds,
  ]);
}

/** Starts a copier: what its strategy opens from this moment on is its business. */
export async function markStarted(tx: Tx, id: string): Promise<void> {
  await tx.query(
    `UPDATE copiers SET status = 'ACTIVE', status_reason = NULL, started_at = clock_timestamp(),
       updated_at = clock_timestamp() WHERE id = $1`,
    [id],
  );
}

/** Removes a copier; the row stays for the trades that name it. */
export async function markDeleted(tx: Tx, id: string): Promise<void> {
  await tx.query(
    'UPDATE copiers SET deleted_at = clock_timestamp(), updated_at = clock_timestamp() WHERE id = $1',
    [id],
  );
}
