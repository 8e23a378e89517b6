import type { Tx } from '@trading-automation/persistence';

/**
 * Locks a user until the transaction ends, so that a count taken under the lock stays true until the commit.
 * Statements that only reference the user do not wait.
 */
export async function lockUser(tx: Tx, userId: string): Promise<void> {
  await tx.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
}
