/**
 * The states of a delivery in Postgres, the only truth about what is owed.
 *
 *   DUE -> SENDING -> SUCCEEDED | DUE | DEAD | DISCARDED        (FAILED: a test event's, which has one attempt)
 *
 * 1. `attempts` counts attempts whose end is recorded. A claim compares it: two jobs of one attempt, from a queue
 *    that lost its memory or a sweeper that was hasty, can't both send.
 * 2. A claim is a lease by the database's clock, longer than an attempt may take and be recorded. After it, whoever
 *    claims next makes the same attempt again, with the same number: at least once.
 * 3. A result is recorded under its lease alone: one that comes after the lease was given to another is dropped.
 * 4. Locks are taken in the order delivery, webhook; what deactivation and deletion move are DUE rows, which no
 *    running attempt holds.
 */
import { type Database, newUuid, type Tx } from '@trading-automation/persistence';
import type { WebhookStanding } from './delivery.rules.js';

/** What an attempt needs to be sent. The bytes are those of every other attempt. */
export interface OutgoingEvent {
  readonly eventId: string;
  readonly webhookId: string;
  readonly url: string;
  readonly secretSealed: string;
  readonly payload: Uint8Array;
  /** 1 to 5. */
  readonly attempt: number;
}

export interface ClaimedAttempt extends OutgoingEvent {
  readonly deliveryId: string;
  readonly leaseId: string;
  readonly attemptedAt: Date;
}

/** Takes the attempt where it is due and its webhook is active; undefined where anything speaks against it. */
export async function claimAttempt(
  database: Database,
  deliveryId: string,
  attempt: number,
  leaseMs: number,
): Promise<ClaimedAttempt | undefined> {
  const leaseId = newUuid();
  const [[row]] = await database.query(
    `UPDATE webhook_deliveries d SET status = 'SENDING', next_at = NULL, lease_id = $3, updated_at = clock_timestamp(),
       lease_until = clock_timestamp() + $4 * interval '1 millisecond'
     FROM webhooks w
     WHERE d.id = $1 AND d.attempts = $2 - 1 AND w.id = d.webhook_id AND w.is_active AND w.deleted_at IS NULL
       AND (d.status = 'DUE' AND d.next_at <= clock_timestamp()
            OR d.status = 'SENDING' AND d.lease_until < clock_timestamp())
     RETURNING d.event_id, w.id AS webhook_id, w.url, w.secret_sealed, clock_timestamp() AS attempted_at,
       coalesce(d.payload, (SELECT e.payload FROM outbox_events e WHERE e.id = d.event_id)) AS payload`,
    [deliveryId, attempt, leaseId, leaseMs],
  );
  if (row === undefined) return undefined;
  return {
    deliveryId,
    leaseId,
    attempt,
    eventId: row.event_id,
    webhookId: row.webhook_id,
    url: row.url,
    secretSealed: row.secret_sealed,
    payload: row.payload,
    attemptedAt: row.attempted_at,
  };
}

export interface DeliveryStanding {
  readonly isOpen: boolean;
  readonly isLeased: boolean;
  readonly attempts: number;
  readonly isActive: boolean;
  readonly isDeleted: boolean;
  /** Until it is due, or its lease ends. */
  readonly waitMs: number;
}

/** Why a claim got nothing. */
export async function lookAtDelivery(
  database: Database,
  deliveryId: string,
): Promise<DeliveryStanding | undefined> {
  const [row] = await database.query(
    `SELECT d.status IN ('DUE', 'SENDING') AS "isOpen", d.attempts, w.is_active AS "isActive",
       w.deleted_at IS NOT NULL AS "isDeleted",
       d.status = 'SENDING' AND d.lease_until >= clock_timestamp() AS "isLeased",
       ceil(greatest(0, extract(epoch FROM coalesce(d.next_at, d.lease_until) - clock_timestamp()) * 1000))::int
         AS "waitMs"
     FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE d.id = $1`,
    [deliveryId],
  );
  return row;
}

/** Ends a delivery whose webhook takes nothing any more, where nobody is sending it. */
export async function abandonDelivery(
  tx: Tx,
  deliveryId: string,
  status: 'DEAD' | 'DISCARDED',
  error: string,
): Promise<void> {
  const [rows] = await tx.query(
    `UPDATE webhook_deliveries SET status = $2, next_at = NULL, lease_id = NULL, lease_until = NULL,
       updated_at = clock_timestamp()
     WHERE id = $1 AND (status = 'DUE' OR status = 'SENDING' AND lease_until < clock_timestamp()) RETURNING id`,
    [deliveryId, status],
  );
  if (rows.length > 0 && status === 'DEAD') await insertDeadLetters(tx, [deliveryId], { error });
}

/** Whether the lease still holds; locks the delivery until the transaction ends. */
export async function lockLease(tx: Tx, { deliveryId, leaseId }: ClaimedAttempt): Promise<boolean> {
  const rows = await tx.query(
    "SELECT FROM webhook_deliveries WHERE id = $1 AND lease_id = $2 AND status = 'SENDING' FOR UPDATE",
    [deliveryId, leaseId],
  );
  return rows.length > 0;
}

export async function lockWebhook(tx: Tx, webhookId: string): Promise<WebhookStanding> {
  const [row] = await tx.query(
    `SELECT is_active AS "isActive", deleted_at IS NOT NULL AS "isDeleted",
       consecutive_failures AS "consecutiveFailures", consecutive_dead_letters AS "consecutiveDeadLetters"
     FROM webhooks WHERE id = $1 FOR NO KEY UPDATE`,
    [webhookId],
  );
  return row;
}

/** Ends a failed attempt; DUE again in `delayMs` from now where that is given, and tells the instant. */
export async function settleDelivery(
  tx: Tx,
  deliveryId: string,
  status: 'DUE' | 'DEAD' | 'DISCARDED',
  delayMs: number | null,
): Promise<Date | null> {
  const [[row]] = await tx.query(
    `UPDATE webhook_deliveries SET status = $2, attempts = attempts + 1, lease_id = NULL, lease_until = NULL,
       next_at = clock_timestamp() + $3 * interval '1 millisecond', updated_at = clock_timestamp()
     WHERE id = $1 RETURNING next_at`,
    [deliveryId, status, delayMs],
  );
  return row.next_at;
}

/** What is kept of an attempt that succeeded. */
export interface SuccessRecord {
  readonly statusCode?: number | undefined;
  readonly responseTimeMs: number;
  readonly responseBody?: string | undefined;
}

/**
 * Ends an attempt that succeeded, in one statement because most do: the delivery, its attempt's row, and the
 * webhook's failures, which are forgotten. @returns false where the lease had gone to another
 */
export async function recordSuccess(
  database: Database,
  attempt: ClaimedAttempt,
  { statusCode, responseTimeMs, responseBody }: SuccessRecord,
): Promise<boolean> {
  const [{ count }] = await database.query(
    `WITH settled AS (
       UPDATE webhook_deliveries SET status = 'SUCCEEDED', attempts = attempts + 1, lease_id = NULL,
         lease_until = NULL, updated_at = clock_timestamp()
       WHERE id = $1 AND lease_id = $2 AND status = 'SENDING' RETURNING id, webhook_id, attempts
     ), attempt AS (
       INSERT INTO webhook_attempts (id, delivery_id, webhook_id, attempt, status, status_code, response_time_ms,
         response_body, attempted_at)
       SELECT $3, id, webhook_id, attempts, 'SUCCEEDED', $4, $5, $6, $7 FROM settled
     ), forgotten AS (
       UPDATE webhooks w SET consecutive_failures = 0, consecutive_dead_letters = 0
       FROM settled WHERE w.id = settled.webhook_id AND w.consecutive_failures > 0
     )
     SELECT count(*)::int AS count FROM settled`,
    [
      attempt.deliveryId,
      attempt.leaseId,
      newUuid(),
      statusCode,
      responseTimeMs,
      responseBody,
      attempt.attemptedAt,
    ],
  );
  return count === 1;
}

export interface AttemptRecord {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly attempt: number;
  readonly statusCode?: number | undefined;
  readonly error?: string | undefined;
  readonly responseTimeMs: number;
  readonly responseBody?: string | undefined;
  readonly attemptedAt: Date;
  readonly nextAttemptAt?: Date | null;
}

/** @returns the attempt's id, which the API shows as the delivery's */
export async function insertAttempt(tx: Tx, record: AttemptRecord): Promise<string> {
  const id = newUuid();
  await tx.query(
    `INSERT INTO webhook_attempts (id, delivery_id, webhook_id, attempt, status, status_code, error,
       response_time_ms, response_body, attempted_at, next_attempt_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      id,
      record.deliveryId,
      record.webhookId,
      record.attempt,
      record.error === undefined ? 'SUCCEEDED' : 'FAILED',
      record.statusCode,
      record.error,
      record.responseTimeMs,
      record.responseBody,
      record.attemptedAt,
      record.nextAttemptAt,
    ],
  );
  return id;
}

/** A delivery's dead letter has its id: it dies once. */
export async function insertDeadLetters(
  tx: Tx,
  deliveryIds: readonly string[],
  last: { readonly statusCode?: number | undefined; readonly error: string },
): Promise<void> {
  await tx.query(
    `INSERT INTO webhook_dead_letters (id, webhook_id, event_type, attempts, last_status_code, last_error)
     SELECT id, webhook_id, event_type, attempts, $2, $3 FROM webhook_deliveries WHERE id = ANY($1)`,
    [deliveryIds, last.statusCode, last.error],
  );
}

/** Why deliveries of a webhook that is not in use are dead. */
export const INACTIVE = 'webhook_inactive';

/** Everything that is owed to a webhook and not on its way, to the dead letters: the webhook was deactivated. */
export async function killDueDeliveries(tx: Tx, webhookId: string): Promise<void> {
  const [rows]: [{ id: string }[]] = await tx.query(
    `UPDATE webhook_deliveries SET status = 'DEAD', next_at = NULL, updated_at = clock_timestamp()
     WHERE webhook_id = $1 AND status = 'DUE' RETURNING id`,
    [webhookId],
  );
  await insertDeadLetters(
    tx,
    rows.map(({ id }) => id),
    { error: INACTIVE },
  );
}

/** An attempt that some queue should hold a job for. */
export interface DeliveryRef {
  readonly deliveryId: string;
  readonly attempt: number;
}

export interface OverdueDelivery extends DeliveryRef {
  /** When it fell due, as the database writes it. */
  readonly at: string;
}

/** What should have been begun `graceMs` ago, or whose lease has ended: oldest first, after `after`. */
export async function listOverdue(
  database: Database,
  graceMs: number,
  limit: number,
  after?: OverdueDelivery,
): Promise<readonly OverdueDelivery[]> {
  return database.query(
    `SELECT id AS "deliveryId", attempts + 1 AS attempt, at::text AS at
     FROM (SELECT id, attempts, next_at AS at FROM webhook_deliveries
           WHERE status = 'DUE' AND next_at < clock_timestamp() - $1 * interval '1 millisecond'
           UNION ALL
           SELECT id, attempts, lease_until FROM webhook_deliveries
           WHERE status = 'SENDING' AND lease_until < clock_timestamp()) overdue
     WHERE $2::timestamptz IS NULL OR (at, id) > ($2::timestamptz, $3::uuid)
     ORDER BY overdue.at, id LIMIT $4`,
    [graceMs, after?.at, after?.deliveryId, limit],
  );
}
