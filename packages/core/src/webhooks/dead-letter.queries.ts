/**
 * Reads and resolves dead letters: PENDING -> RETRIED | DISCARDED, by compare-and-set, so that only one of several
 * concurrent changes applies. A retry creates a new delivery, which is the event's next run. That delivery succeeds or
 * becomes another dead letter. Bulk retries follow the same rules.
 */
import type { DeadLetterStats, DeadLetterStatus, EventType } from '@trading-automation/contracts';
import { type Database, newUuid, type Tx } from '@trading-automation/persistence';
import { DELIVERY_LIMITS } from './delivery.rules.js';
import { notifyDue, notifyParked } from './fan-out.queries.js';
import type { DeadLetterDetailRow } from './webhook.view.js';

export const DEAD_LETTER_SELECT = `l.id, d.event_id, l.event_type, d.run, l.status, l.attempts, l.last_status_code,
  l.last_error, l.last_error_reason, l.resolved_at, l.created_at, l.updated_at`;
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
 * Creates the next run of a pending dead letter's event, due now. The caller holds the webhook's lock, so that runs are
 * numbered serially and a concurrent deactivation cannot miss the new delivery.
 *
 * @returns false if the dead letter is not pending, or does not belong to the webhook
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

/** Selects pending dead letters created since `from` and before `to`. An undefined property does not filter. */
export interface DeadLetterFilter {
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  readonly eventType: EventType | undefined;
}

const PENDING_CONDITION = `l.webhook_id = $1 AND l.status = 'PENDING' AND ($2::timestamptz IS NULL OR l.created_at >= $2)
  AND ($3::timestamptz IS NULL OR l.created_at < $3) AND ($4::text IS NULL OR l.event_type = $4)`;
const filterParams = (webhookId: string, { from, to, eventType }: DeadLetterFilter): unknown[] => [
  webhookId,
  from ?? null,
  to ?? null,
  eventType ?? null,
];

/** The number of dead letters per statement. A batch takes far less time than the statement timeout. */
const RETRY_BATCH_SIZE = 2_500;

interface WebhookRef {
  readonly id: string;
  readonly userId: string;
}

/**
 * Retries the oldest dead letters, at most `limit`, each like {@link retryDeadLetter}. Dead letters of the same event
 * become separate runs. Deliveries above the in-flight limit are parked.
 *
 * @returns the number of retried dead letters
 */
export async function retryDeadLetters(
  tx: Tx,
  webhook: WebhookRef,
  filter: DeadLetterFilter,
  limit: number,
): Promise<number> {
  let retried = 0;
  while (retried < limit) {
    // A partial batch is not necessarily the last one: some rows may have been discarded concurrently.
    const count = await retryBatch(tx, webhook, filter, Math.min(RETRY_BATCH_SIZE, limit - retried));
    if (count === 0) break;
    retried += count;
  }
  return retried;
}

async function retryBatch(
  tx: Tx,
  webhook: WebhookRef,
  filter: DeadLetterFilter,
  limit: number,
): Promise<number> {
  const chosen = await markRetried(tx, webhook.id, filter, limit);
  if (chosen.length === 0) return 0;
  const inserted: { id: string; isParked: boolean }[] = await tx.query(
    `INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, payload, run, status, next_at, is_parked)
     SELECT t.id, d.webhook_id, d.event_id, d.event_type, d.payload,
       (SELECT max(r.run) FROM webhook_deliveries r WHERE r.webhook_id = $1 AND r.event_id = d.event_id)
         + row_number() OVER (PARTITION BY d.event_id ORDER BY t.place),
       'DUE', clock_timestamp(),
       t.place > $4 OR EXISTS (SELECT FROM webhook_deliveries w
                               WHERE w.webhook_id = $1 AND w.status = 'DUE' AND w.is_parked)
     FROM unnest($2::uuid[], $3::uuid[]) WITH ORDINALITY AS t (dead_id, id, place)
     JOIN webhook_deliveries d ON d.id = t.dead_id
     WHERE d.id = ANY($2) ORDER BY t.place
     RETURNING id, is_parked AS "isParked"`,
    [webhook.id, chosen, chosen.map(() => newUuid()), DELIVERY_LIMITS.perWebhookMax],
  );
  await notifyDue(
    tx,
    inserted.filter(({ isParked }) => !isParked).map(({ id }) => id),
  );
  if (inserted.some(({ isParked }) => isParked)) await notifyParked(tx, [webhook.userId]);
  return inserted.length;
}

/**
 * Marks the oldest dead letters as RETRIED and returns their ids. Omits dead letters that a concurrent
 * request resolved.
 */
async function markRetried(
  tx: Tx,
  webhookId: string,
  filter: DeadLetterFilter,
  limit: number,
): Promise<string[]> {
  const rows: { id: string }[] = await tx.query(
    `WITH chosen AS (
       SELECT l.id FROM webhook_dead_letters l WHERE ${PENDING_CONDITION}
       ORDER BY l.created_at, l.id LIMIT $5 FOR NO KEY UPDATE
     ), retried AS (
       UPDATE webhook_dead_letters l SET status = 'RETRIED', resolved_at = clock_timestamp(),
         updated_at = clock_timestamp()
       FROM chosen WHERE l.id = chosen.id AND l.status = 'PENDING' RETURNING l.id, l.created_at
     )
     SELECT id FROM retried ORDER BY created_at, id`,
    [...filterParams(webhookId, filter), limit],
  );
  return rows.map(({ id }) => id);
}

export async function hasPending(tx: Tx, webhookId: string, filter: DeadLetterFilter): Promise<boolean> {
  const [{ has }] = await tx.query(
    `SELECT EXISTS (SELECT FROM webhook_dead_letters l WHERE ${PENDING_CONDITION}) AS has`,
    filterParams(webhookId, filter),
  );
  return has;
}

/** Marks a dead letter as DISCARDED. @returns false if it is not pending, or does not belong to the webhook */
export async function discardDeadLetter(tx: Tx, webhookId: string, id: string): Promise<boolean> {
  const [, count] = await tx.query(
    `UPDATE webhook_dead_letters SET status = 'DISCARDED', resolved_at = clock_timestamp(),
       updated_at = clock_timestamp()
     WHERE id = $1 AND webhook_id = $2 AND status = 'PENDING'`,
    [id, webhookId],
  );
  return count > 0;
}
