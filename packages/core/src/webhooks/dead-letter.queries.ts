/**
 * Dead letters: PENDING -> RETRIED | DISCARDED, each by a compare-and-set, so that of several at once one takes effect.
 * What comes of a retry is a delivery of its own, the event's next run: it succeeds, or dies as another dead letter.
 */
import type { DeadLetterStats, DeadLetterStatus } from '@trading-automation/contracts';
import { type Database, newUuid, type Tx } from '@trading-automation/persistence';
import { notifyDue } from './fan-out.queries.js';
import type { DeadLetterDetailRow } from './webhook.view.js';

export const DEAD_LETTER_SELECT = `l.id, d.event_id, l.event_type, d.run, l.status, l.attempts, l.last_status_code,
  l.last_error, l.resolved_at, l.created_at, l.updated_at`;
export const DEAD_LETTER_FROM = 'webhook_dead_letters l JOIN webhook_deliveries d ON d.id = l.id';

export async function readDeadLetter(
  tx: Tx,
  webhookId: string,
  id: string,
): Promise<DeadLetterDetailRow | undefined> {
  const [row] = await tx.query(
    `SELECT ${DEAD_LETTER_SELECT},
       coalesce(d.payload, (SELECT e.payload FROM outbox_events e WHERE e.id = d.event_id)) AS payload
     FROM ${DEAD_LETTER_FROM} WHERE l.id = $1 AND l.webhook_id = $2`,
    [id, webhookId],
  );
  return row;
}

export async function countDeadLetters(database: Database, webhookId: string): Promise<DeadLetterStats> {
  const [stats] = await database.query(
    `SELECT count(*) FILTER (WHERE status = 'PENDING')::int AS pending,
       count(*) FILTER (WHERE status = 'RETRIED')::int AS retried,
       count(*) FILTER (WHERE status = 'DISCARDED')::int AS discarded
     FROM webhook_dead_letters WHERE webhook_id = $1`,
    [webhookId],
  );
  return stats;
}

export async function deadLetterStatus(
  tx: Tx,
  webhookId: string,
  id: string,
): Promise<DeadLetterStatus | undefined> {
  const [row] = await tx.query('SELECT status FROM webhook_dead_letters WHERE id = $1 AND webhook_id = $2', [
    id,
    webhookId,
  ]);
  return row?.status;
}

/**
 * Owes a pending dead letter's event to its webhook anew, due now. The caller holds the webhook's lock: runs are
 * numbered one after the other, and a deactivation comes before, or finds what is due.
 *
 * @returns false where the dead letter is not pending, or not the webhook's
 */
export async function retryDeadLetter(tx: Tx, webhookId: string, id: string): Promise<boolean> {
  const rows: { id: string }[] = await tx.query(
    `WITH retried AS (
       UPDATE webhook_dead_letters SET status = 'RETRIED', resolved_at = clock_timestamp(),
         updated_at = clock_timestamp()
       WHERE id = $1 AND webhook_id = $2 AND status = 'PENDING' RETURNING id
     )
     INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, payload, run, status, next_at)
     SELECT $3, d.webhook_id, d.event_id, d.event_type, d.payload,
       (SELECT max(r.run) + 1 FROM webhook_deliveries r
        WHERE r.webhook_id = d.webhook_id AND r.event_id = d.event_id),
       'DUE', clock_timestamp()
     FROM retried JOIN webhook_deliveries d ON d.id = retried.id
     RETURNING id`,
    [id, webhookId, newUuid()],
  );
  await notifyDue(
    tx,
    rows.map((row) => row.id),
  );
  return rows.length > 0;
}

/** @returns false where the dead letter is not pending, or not the webhook's */
export async function discardDeadLetter(tx: Tx, webhookId: string, id: string): Promise<boolean> {
  const [, count] = await tx.query(
    `UPDATE webhook_dead_letters SET status = 'DISCARDED', resolved_at = clock_timestamp(),
       updated_at = clock_timestamp()
     WHERE id = $1 AND webhook_id = $2 AND status = 'PENDING'`,
    [id, webhookId],
  );
  return count > 0;
}
