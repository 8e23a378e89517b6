/** Records many failed attempts in one transaction, because an outage of a receiver ends many attempts concurrently. */
import { newUuid, queryPrepared, type Tx } from '@trading-automation/persistence';
import { type ClaimedAttempt, classOf } from './delivery.queries.js';
import type { FailureOutcome, WebhookState } from './delivery.rules.js';

/** Locks the deliveries whose lease the attempts still hold, until the transaction ends, and returns their ids. */
export async function lockLeases(tx: Tx, attempts: readonly ClaimedAttempt[]): Promise<ReadonlySet<string>> {
  const rows = await queryPrepared<{ id: string }>(tx, LOCK_LEASES, [
    attempts.map(({ deliveryId }) => deliveryId),
    attempts.map(({ leaseId }) => leaseId),
  ]);
  return new Set(rows.map(({ id }) => id));
}

/** Compares no status, because only SENDING deliveries have a lease. */
const LOCK_LEASES = `
  SELECT d.id FROM webhook_deliveries d JOIN unnest($1::uuid[], $2::uuid[]) AS held (id, lease_id) ON held.id = d.id
  WHERE d.id = ANY($1::uuid[]) AND d.lease_id = held.lease_id ORDER BY d.id FOR UPDATE OF d`;

/** Locks webhooks until the transaction ends, and returns their states. The order by id prevents deadlocks. */
export async function lockWebhooks(
  tx: Tx,
  webhookIds: readonly string[],
): Promise<Map<string, WebhookState>> {
  const rows = await queryPrepared<WebhookState & { readonly id: string }>(tx, LOCK_WEBHOOKS, [webhookIds]);
  return new Map(rows.map(({ id, ...state }) => [id, state]));
}

const LOCK_WEBHOOKS = `
  SELECT id, is_active AS "isActive", deleted_at IS NOT NULL AS "isDeleted",
    consecutive_failures AS "consecutiveFailures", consecutive_dead_letters AS "consecutiveDeadLetters"
  FROM webhooks WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE`;

/** A failed attempt and its consequence. */
export interface FailureRecord {
  readonly attempt: ClaimedAttempt;
  readonly statusCode?: number | undefined;
  /** The reason of the failure. */
  readonly error: string;
  readonly responseTimeMs: number;
  readonly responseBody?: string | undefined;
  readonly delivery: FailureOutcome['delivery'];
  /** The delay in ms from now to the next attempt; null if no attempt follows. */
  readonly delayMs: number | null;
}

/** Ends the attempts and inserts their rows; a delivery with a delay becomes due again after the delay. */
export async function settleFailures(tx: Tx, failures: readonly FailureRecord[]): Promise<void> {
  await queryPrepared(tx, SETTLE, [
    failures.map(({ attempt }) => attempt.deliveryId),
    failures.map(({ delivery }) => delivery),
    failures.map(({ delayMs }) => delayMs),
    failures.map(() => newUuid()),
    failures.map(({ statusCode }) => statusCode ?? null),
    failures.map(({ error }) => classOf(error)),
    failures.map(({ responseTimeMs }) => responseTimeMs),
    failures.map(({ responseBody }) => responseBody ?? null),
    failures.map(({ attempt }) => attempt.attemptedAt),
    failures.map(({ error }) => error),
  ]);
}

const SETTLE = `
  WITH failed AS (
    SELECT * FROM unnest($1::uuid[], $2::text[], $3::float8[], $4::uuid[], $5::int[], $6::text[], $7::int[], $8::text[],
      $9::timestamptz[], $10::text[]) AS failed (id, status, delay_ms, attempt_id, status_code, error, response_time_ms,
      response_body, attempted_at, error_reason)
  ), settled AS (
    UPDATE webhook_deliveries d SET status = failed.status, attempts = d.attempts + 1, lease_id = NULL,
      lease_until = NULL, holder_id = NULL, claims = 0, is_parked = false,
      next_at = clock_timestamp() + failed.delay_ms * interval '1 millisecond', updated_at = clock_timestamp()
    FROM failed WHERE d.id = failed.id AND d.id = ANY($1::uuid[])
    RETURNING d.id, d.webhook_id, d.event_type, d.attempts, d.next_at
  )
  INSERT INTO webhook_attempts (id, delivery_id, webhook_id, event_type, attempt, status, status_code, error, response_time_ms,
    response_body, attempted_at, next_attempt_at, error_reason)
  SELECT failed.attempt_id, settled.id, settled.webhook_id, settled.event_type, settled.attempts, 'FAILED', failed.status_code, failed.error,
    failed.response_time_ms, failed.response_body, failed.attempted_at, settled.next_at, failed.error_reason
  FROM settled JOIN failed ON failed.id = settled.id`;

/** Stores the state of webhooks after failures, and deactivates those in `deactivated`. */
export async function storeWebhookStates(
  tx: Tx,
  states: ReadonlyMap<string, WebhookState>,
  deactivated: ReadonlySet<string>,
): Promise<void> {
  await queryPrepared(tx, STORE_STATES, [
    [...states.keys()],
    [...states.values()].map(({ consecutiveFailures }) => consecutiveFailures),
    [...states.values()].map(({ consecutiveDeadLetters }) => consecutiveDeadLetters),
    [...states.keys()].map((id) => deactivated.has(id)),
  ]);
}

const STORE_STATES = `
  UPDATE webhooks w SET consecutive_failures = now.failures, consecutive_dead_letters = now.dead_letters,
    is_active = w.is_active AND NOT now.is_deactivated,
    deactivated_at = CASE WHEN now.is_deactivated THEN clock_timestamp() ELSE w.deactivated_at END,
    deactivation_reason = CASE WHEN now.is_deactivated THEN 'consecutive_failures' ELSE w.deactivation_reason END,
    updated_at = CASE WHEN now.is_deactivated THEN clock_timestamp() ELSE w.updated_at END
  FROM unnest($1::uuid[], $2::int[], $3::int[], $4::boolean[]) AS now (id, failures, dead_letters, is_deactivated)
  WHERE w.id = now.id AND w.id = ANY($1::uuid[])`;
