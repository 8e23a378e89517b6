/**
 * Abandons the decisions and cancels the orders of copiers that were stopped. The status of a stopped copier is PAUSED
 * or CLOSE_ONLY.
 */
import type { CopierStatus } from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import { cancelCopies } from '../../trades/index.js';

/**
 * Marks the unsettled decisions of PAUSED copiers as abandoned, including decisions on exits, and makes them due.
 * Settlement then places no further orders for them.
 */
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
 * Cancels the open orders of copiers that were stopped with this status; for CLOSE_ONLY, only the orders of entries. An
 * unsent order is never sent; an order at the exchange is cancelled there.
 */
export async function cancelOrdersOf(
  tx: Tx,
  copierIds: readonly string[],
  status: Exclude<CopierStatus, 'ACTIVE'>,
): Promise<void> {
  await cancelCopies(tx, copierIds, { entriesOnly: status === 'CLOSE_ONLY' });
}
