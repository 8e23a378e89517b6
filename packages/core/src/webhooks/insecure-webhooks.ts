/**
 * Deactivates the webhooks whose URL is not `https`. The migrator of the live world runs it. Users may have created such
 * webhooks in an earlier release.
 */
import { type Database, inTransaction } from '@trading-automation/persistence';
import { completeDeactivation } from './record-failures.js';

/** An `https` URL, as a user may have written it. Any other active webhook is sent in plain text. */
const HTTPS_PATTERN = '^https:';

/**
 * Deactivates all active webhooks without `https`, each in a transaction of its own, with the reason `insecure_url`.
 * The event `webhook.deactivated` notifies their owners. Returns the number of deactivated webhooks.
 */
export async function deactivateInsecureWebhooks(database: Database): Promise<number> {
  const rows: { id: string }[] = await database.query(
    'SELECT id FROM webhooks WHERE is_active AND deleted_at IS NULL AND url !~* $1 ORDER BY id',
    [HTTPS_PATTERN],
  );
  let count = 0;
  for (const { id } of rows) {
    const isDeactivated = await inTransaction(database, async (tx) => {
      const [deactivated] = await tx.query(
        `UPDATE webhooks SET is_active = false, deactivated_at = clock_timestamp(), deactivation_reason = 'insecure_url',
           updated_at = clock_timestamp()
         WHERE id = $1 AND is_active AND deleted_at IS NULL AND url !~* $2 RETURNING id`,
        [id, HTTPS_PATTERN],
      );
      if (deactivated.length > 0) await completeDeactivation(tx, id);
      return deactivated.length > 0;
    });
    if (isDeactivated) count += 1;
  }
  return count;
}
