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
import { type Database, newUuid, queryPrepared, type Tx } from '@trading-automation/persistence';
import type { WebhookState } from './delivery.rules.js';

/** What an attempt needs to be sent. The bytes are those of every other attempt. */
export interface OutgoingEvent {
  readonly eventId: string;
  readonly webhookId: string;
  readonly url: string;
  readonly secretSealed: string;
  readonly payload: Uint8Array;
  /** 1 to 5. */
  readonly attempt: number;
  /** When it begins, by the database's clock: one clock for all dispatchers, whatever their own say. */
  readonly attemptedAt: Date;
}

export interface ClaimedAttempt extends OutgoingEvent {
  readonly deliveryId: string;
  readonly userId: string;
  readonly leaseId: string;
  /** How often this attempt was begun, this time included: more than once where a dispatcher died over it. */
  readonly claims: number;
  /** Since its event was written; null but for the first attempt of all. */
  readonly eventAgeMs: number | null;
}

export async function lockWebhook(tx: Tx, webhookId: string): Promise<WebhookState> {
  const [row] = await tx.query(
    `SELECT is_active AS "isActive", deleted_at IS NOT NULL AS "isDeleted",
       consecutive_failures AS "consecutiveFailures", consecutive_dead_letters AS "consecutiveDeadLetters"
     FROM webhooks WHERE id = $1 FOR NO KEY UPDATE`,
    [webhookId],
  );
  return row;
}

/** What is kept of an attempt that succeeded. */
export interface SuccessRecord {
  readonly attempt: ClaimedAttempt;
  readonly statusCode?: number | undefined;
  readonly responseTimeMs: number;
  readonly responseBody?: string | undefined;
}

/**
 * Ends attempts that succeeded, many in one statement because most do: the deliveries, their attempts' rows, and the
 * webhooks' failures, which are forgotten. @returns the deliveries whose lease still held
 */
export async function recordSuccesses(
  database: Database,
  records: readonly SuccessRecord[],
): Promise<ReadonlySet<string>> {
  const rows = await queryPrepared<{ id: string }>(database.manager, RECORD_SUCCESSES, [
    records.map(({ attempt }) => attempt.deliveryId),
    records.map(({ attempt }) => attempt.leaseId),
    records.map(() => newUuid()),
    records.map(({ statusCode }) => statusCode ?? null),
    records.map(({ responseTimeMs }) => responseTimeMs),
    records.map(({ responseBody }) => responseBody ?? null),
    records.map(({ attempt }) => attempt.attemptedAt),
  ]);
  return new Set(rows.map(({ id }) => id));
}

/** Only what is SENDING has a lease. */
const RECORD_SUCCESSES = `
  WITH said AS (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int[], $5::int[], $6::text[], $7::timestamptz[])
      AS said (id, lease_id, attempt_id, status_code, response_time_ms, response_body, attempted_at)
  ), settled AS (
    UPDATE webhook_deliveries d SET status = 'SUCCEEDED', attempts = d.attempts + 1, lease_id = NULL,
      lease_until = NULL, holder_id = NULL, claims = 0, updated_at = clock_timestamp()
    FROM said WHERE d.id = said.id AND d.id = ANY($1::uuid[]) AND d.lease_id = said.lease_id
    RETURNING d.id, d.webhook_id, d.event_type, d.attempts
  ), attempted AS (
    INSERT INTO webhook_attempts (id, delivery_id, webhook_id, event_type, attempt, status, status_code,
      response_time_ms, response_body, attempted_at)
    SELECT said.attempt_id, settled.id, settled.webhook_id, settled.event_type, settled.attempts, 'SUCCEEDED', said.status_code,
      said.response_time_ms, said.response_body, said.attempted_at
    FROM settled JOIN said ON said.id = settled.id
  ), failing AS (
    SELECT w.id FROM webhooks w WHERE w.id = ANY(SELECT webhook_id FROM settled) AND w.consecutive_failures > 0
    ORDER BY w.id FOR NO KEY UPDATE
  ), forgotten AS (
    UPDATE webhooks w SET consecutive_failures = 0, consecutive_dead_letters = 0
    FROM failing WHERE w.id = failing.id
  )
  SELECT id FROM settled`;

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

export interface NewDeadLetter {
  readonly deliveryId: string;
  readonly statusCode?: number | undefined;
  readonly error: string;
}

/** A delivery's dead letter has its id: it dies once. */
export async function insertDeadLetters(tx: Tx, letters: readonly NewDeadLetter[]): Promise<void> {
  if (letters.length === 0) return;
  await queryPrepared(tx, INSERT_DEAD_LETTERS, [
    letters.map(({ deliveryId }) => deliveryId),
    letters.map(({ statusCode }) => statusCode ?? null),
    letters.map(({ error }) => error),
  ]);
}

const INSERT_DEAD_LETTERS = `
  INSERT INTO webhook_dead_letters (id, webhook_id, event_type, attempts, last_status_code, last_error)
  SELECT d.id, d.webhook_id, d.event_type, d.attempts, letter.status_code, letter.error
  FROM unnest($1::uuid[], $2::int[], $3::text[]) AS letter (id, status_code, error)
    JOIN webhook_deliveries d ON d.id = letter.id
  WHERE d.id = ANY($1::uuid[])`;

/** Why deliveries of a webhook that is not in use are dead. */
export const WEBHOOK_INACTIVE = 'webhook_inactive';

/** Everything that is owed to a webhook and not on its way, to the dead letters: the webhook was deactivated. */
export async function deadLetterDueDeliveries(tx: Tx, webhookId: string): Promise<void> {
  const [rows]: [{ id: string }[]] = await tx.query(
    `UPDATE webhook_deliveries SET status = 'DEAD', next_at = NULL, is_parked = false, updated_at = clock_timestamp()
     WHERE webhook_id = $1 AND status = 'DUE' RETURNING id`,
    [webhookId],
  );
  await insertDeadLetters(
    tx,
    rows.map(({ id }) => ({ deliveryId: id, error: WEBHOOK_INACTIVE })),
  );
}

/** `slow` serves webhooks that fail again and again, so that they hold up no other. */
export type Lane = 'main' | 'slow';

/** An attempt that some queue should hold a job for. */
export interface DeliveryRef {
  readonly deliveryId: string;
  readonly attempt: number;
}

export interface LanedDelivery extends DeliveryRef {
  readonly lane: Lane;
}
