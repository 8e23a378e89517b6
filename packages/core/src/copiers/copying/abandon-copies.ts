/** What stopped copiers give up. */
import type { CopierStatus } from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import { cancelCopies } from '../../trades/index.js';

/** Has copiers that were paused give up the exits, too, that they still owe: nothing more is ordered for them. */
export async function abandonDecisions(tx: Tx, copierIds: readonly string[]): Promise<void> {
  await queryPrepared(
    tx,
    `UPDATE decisions SET is_abandoned = true, look_at = clock_timestamp()
     WHERE id IN (SELECT id FROM decisions WHERE copier_id = ANY ($1) AND settled_at IS NULL
                  ORDER BY id FOR NO KEY UPDATE)`,
    [copierIds],
  );
}

/**
 * Ends the working orders of copiers that were stopped, those of exits where they are paused alone. What was not sent
 * never is; what an exchange has of them is cancelled there.
 */
export async function cancelOrdersOf(
  tx: Tx,
  copierIds: readonly string[],
  status: Exclude<CopierStatus, 'ACTIVE'>,
): Promise<void> {
  await cancelCopies(tx, copierIds, { entriesOnly: status === 'CLOSE_ONLY' });
}
