/** Ends sessions, and notifies the processes that hold long-lived requests of these sessions. */
import type { Tx } from '@trading-automation/persistence';
import { notifyCredentialChange } from '../access/index.js';

export async function endSession(tx: Tx, id: string): Promise<void> {
  await endSessions(tx, 'id = $1', id);
}

/** Ends every session of the user, and deletes their tickets. The caller holds the user's lock. */
export async function endAllSessions(tx: Tx, userId: string): Promise<void> {
  await tx.query('DELETE FROM sign_in_tickets WHERE user_id = $1', [userId]);
  await endSessions(tx, 'user_id = $1', userId);
}

async function endSessions(tx: Tx, condition: string, param: string): Promise<void> {
  await tx.query(
    `UPDATE sessions SET revoked_at = clock_timestamp() WHERE ${condition} AND revoked_at IS NULL`,
    [param],
  );
  await notifyCredentialChange(tx);
}
