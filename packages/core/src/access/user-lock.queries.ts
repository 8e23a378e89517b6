import type { Tx } from '@trading-automation/persistence';

/**
 * Until the transaction ends, others that ask for the same user wait: what one of them counted stays true until it
 * commits. Rows that only refer to the user are not held up.
 */
export async function lockUser(tx: Tx, userId: string): Promise<void> {
  await tx.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
}
