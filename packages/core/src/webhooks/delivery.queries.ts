/**
 * Stores the states of deliveries. Postgres is the only source of truth for due deliveries.
 *
 * DUE -> SENDING -> SUCCEEDED | DUE | DEAD | DISCARDED
 *
 * A test event has one attempt, and its delivery is stored as SUCCEEDED or FAILED.
 *
 * 1. `attempts` counts recorded attempts. A claim compares the count, so that only one of two jobs for an attempt can
 *    send it. An attempt may have two jobs: the sweeper adds one if the queue seems to have lost the first.
 * 2. A claim is a lease by the database's clock. The lease is longer than the longest attempt and its recording. After
 *    the lease has ended, the next claim repeats the attempt with the same number: delivery is at least once.
 * 3. A result is recorded only under its lease. It is dropped if another dispatcher has taken over the lease.
 * 4. A transaction that records a result locks the delivery first, then the webhook. Deactivation and deletion lock the
 *    webhook first. This causes no deadlock: they lock only DUE deliveries, and results belong to SENDING ones.
 */
import { deadLetterFailureOf } from '@trading-automation/contracts';
import { type Database, newUuid, queryPrepared, type Tx } from '@trading-automation/persistence';
import type { WebhookState } from './delivery.rules.js';

/** The data that the sender needs for an attempt. The payload is the same in every attempt. */
export interface OutgoingEvent {
  readonly eventId: string;
  readonly webhookId: string;
  readonly url: string;
  readonly secretSealed: string;
  readonly payload: Uint8Array;
  /** 1 to 5. */
  readonly attempt: number;
  /** The start of the attempt by the database's clock, which all dispatchers share. */
  readonly attemptedAt: Date;
}

export interface ClaimedAttempt extends OutgoingEvent {
  readonly deliveryId: string;
  readonly userId: string;
  readonly leaseId: string;
  /** The number of claims of this attempt, including this one; more than 1 if a dispatcher died during the attempt. */
  readonly claims: number;
  /** The age of the event in ms if this is the first attempt of run 0; null for all other attempts. */
  readonly eventAgeMs: number | null;
}

/** Locks a webhook's row until the transaction ends, and returns its state. */
export async function lockWebhook(tx: Tx, webhookId: string): Promise<WebhookState> {
  const [row] = await tx.query(
    `SELECT is_active AS "isActive", deleted_at IS NOT NULL AS "isDeleted",
       consecutive_failures AS "consecutiveFailures", consecutive_dead_letters AS "consecutiveDeadLetters"
     FROM webhooks WHERE id = $1 FOR NO KEY UPDATE`,
    [webhookId],
  );
  return row;
}

/** The stored data of a successful attempt. */
export interface SuccessRecord {
  readonly attempt: ClaimedAttempt;
  readonly statusCode?: number | undefined;
  readonly responseTimeMs: number;
  readonly responseBody?: string | undefined;
}

/**
 * Records successful attempts. One statement updates the deliveries, inserts the attempts and resets the webhooks'
 * failures, because most attempts succeed. @returns the ids of the deliveries whose lease was still held
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

/** Compares no status, because only SENDING deliveries have a lease. */
const RECORD_SUCCESSES = `
  WITH results AS (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int[], $5::int[], $6::text[], $7::timestamptz[])
      AS results (id, lease_id, attempt_id, status_code, response_time_ms, response_body, attempted_at)
  ), settled AS (
    UPDATE webhook_deliveries d SET status = 'SUCCEEDED', attempts = d.attempts + 1, lease_id = NULL,
      lease_until = NULL, holder_id = NULL, claims = 0, updated_at = clock_timestamp()
    FROM results WHERE d.id = results.id AND d.id = ANY($1::uuid[]) AND d.lease_id = results.lease_id
    RETURNING d.id, d.webhook_id, d.event_type, d.attempts
  ), attempted AS (
    INSERT INTO webhook_attempts (id, delivery_id, webhook_id, event_type, attempt, status, status_code,
      response_time_ms, response_body, attempted_at)
    SELECT results.attempt_id, settled.id, settled.webhook_id, settled.event_type, settled.attempts, 'SUCCEEDED', results.status_code,
      results.response_time_ms, results.response_body, results.attempted_at
    FROM settled JOIN results ON results.id = settled.id
  ), failing AS (
    SELECT w.id FROM webhooks w WHERE w.id = ANY(SELECT webhook_id FROM settled) AND w.consecutive_failures > 0
    ORDER BY w.id FOR NO KEY UPDATE
  ), reset_webhooks AS (
    UPDATE webhooks w SET consecutive_failures = 0, consecutive_dead_letters = 0
    FROM failing WHERE w.id = failing.id
  )
  SELECT id FROM settled`;

/**
 * Returns the class of a reason. Classes are stored beside reasons, because the previous release, which runs during a
 * rollout, knows only classes.
 */
export function classOf(reason: string): string {
  return deadLetterFailureOf(reason)?.last_error ?? reason;
}

export interface AttemptRecord {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly attempt: number;
  readonly statusCode?: number | undefined;
  /** The reason of the failure; absent if the attempt succeeded. */
  readonly error?: string | undefined;
  readonly responseTimeMs: number;
  readonly responseBody?: string | undefined;
  readonly attemptedAt: Date;
  readonly nextAttemptAt?: Date | null;
}

/** Inserts an attempt. @returns its id, which is the API's delivery id */
export async function insertAttempt(tx: Tx, record: AttemptRecord): Promise<string> {
  const id = newUuid();
  await tx.query(
    `INSERT INTO webhook_attempts (id, delivery_id, webhook_id, attempt, status, status_code, error, error_reason,
       response_time_ms, response_body, attempted_at, next_attempt_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      id,
      record.deliveryId,
      record.webhookId,
      record.attempt,
      record.error === undefined ? 'SUCCEEDED' : 'FAILED',
      record.statusCode,
      record.error === undefined ? undefined : classOf(record.error),
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
  /** The reason of the last attempt's failure, or `WEBHOOK_INACTIVE`. */
  readonly error: string;
}

/** Inserts dead letters. A dead letter has the id of its delivery, so a delivery becomes a dead letter only once. */
export async function insertDeadLetters(tx: Tx, letters: readonly NewDeadLetter[]): Promise<void> {
  if (letters.length === 0) return;
  await queryPrepared(tx, INSERT_DEAD_LETTERS, [
    letters.map(({ deliveryId }) => deliveryId),
    letters.map(({ statusCode }) => statusCode ?? null),
    letters.map(({ error }) => classOf(error)),
    letters.map(({ error }) => error),
  ]);
}

const INSERT_DEAD_LETTERS = `
  INSERT INTO webhook_dead_letters (id, webhook_id, event_type, attempts, last_status_code, last_error, last_error_reason)
  SELECT d.id, d.webhook_id, d.event_type, d.attempts, letter.status_code, letter.error, letter.reason
  FROM unnest($1::uuid[], $2::int[], $3::text[], $4::text[]) AS letter (id, status_code, error, reason)
    JOIN webhook_deliveries d ON d.id = letter.id
  WHERE d.id = ANY($1::uuid[])`;

/** The error of a delivery that became a dead letter because its webhook is inactive. */
export const WEBHOOK_INACTIVE = 'webhook_inactive';

/** Moves all due deliveries of a deactivated webhook to the dead letters; deliveries in flight do not change. */
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

/** `slow` serves webhooks that keep failing, so that they do not delay other webhooks. */
export type Lane = 'main' | 'slow';

/** An attempt for which a queue should hold a job. */
export interface DeliveryRef {
  readonly deliveryId: string;
  readonly attempt: number;
}

export interface LanedDelivery extends DeliveryRef {
  readonly lane: Lane;
}
