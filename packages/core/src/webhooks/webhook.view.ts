import {
  type DeadLetter,
  type DeadLetterDetail,
  type Delivery,
  deadLetterFailureOf,
  deliveryFailureOf,
  encodeId,
  StoredJson,
  type Webhook,
} from '@trading-automation/contracts';
import { HIDDEN_SIGNATURE, requestHeadersOf } from './request-headers.js';
import type { WebhookEntity } from './webhook.entity.js';

/** Returns the webhook as the API shows it, without its secret. */
export function webhookView(webhook: WebhookEntity): Webhook {
  const { deactivatedAt, deactivationReason } = webhook;
  return {
    id: encodeId('whk', webhook.id),
    url: webhook.url,
    events: webhook.events,
    description: webhook.description,
    is_active: webhook.isActive,
    consecutive_failures: webhook.consecutiveFailures,
    ...(deactivatedAt === null ? {} : { deactivated_at: deactivatedAt.toISOString() }),
    ...(deactivationReason === null ? {} : { deactivation_reason: deactivationReason }),
    secret_last_rotated_at: webhook.secretLastRotatedAt.toISOString(),
    created_at: webhook.createdAt.toISOString(),
    updated_at: webhook.updatedAt.toISOString(),
  };
}

/** An attempt joined with its delivery: the columns of `ATTEMPT_SELECT`. */
export type AttemptRow = {
  readonly id: string;
  readonly webhook_id: string;
  readonly event_id: string;
  readonly event_type: Delivery['event_type'];
  readonly run: number;
  readonly attempt: number;
  readonly status: Delivery['status'];
  readonly status_code: number | null;
  /** The class of the failure. */
  readonly error: string | null;
  /** From which the API's three fields of the failure are derived. Null if the previous release wrote the row. */
  readonly error_reason: string | null;
  readonly response_time_ms: number;
  readonly response_body: string | null;
  readonly attempted_at: Date;
  readonly next_attempt_at: Date | null;
  readonly created_at: Date;
};

export const ATTEMPT_SELECT = `a.id, a.webhook_id, d.event_id, d.event_type, d.run, a.attempt, a.status, a.status_code, a.error, a.error_reason,
  a.response_time_ms, a.response_body, a.attempted_at, a.next_attempt_at, a.created_at`;
export const ATTEMPT_FROM = 'webhook_attempts a JOIN webhook_deliveries d ON d.id = a.delivery_id';

/** Explains a failure by its reason. A reason that only a later release knows is replaced by its class. */
function firstKnown<F>(
  explain: (reason: string) => F | undefined,
  reason: string | null,
  errorClass: string | null,
): F | undefined {
  for (const known of [reason, errorClass]) {
    const failure = known === null ? undefined : explain(known);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

/** Returns an attempt as the API shows it. The API calls an attempt a delivery. */
export function deliveryView(row: AttemptRow): Delivery {
  return {
    id: encodeId('dlv', row.id),
    event_id: encodeId('evt', row.event_id),
    event_type: row.event_type,
    run: row.run,
    attempt: row.attempt,
    status: row.status,
    ...(row.status_code === null ? {} : { status_code: row.status_code }),
    ...firstKnown(deliveryFailureOf, row.error_reason, row.error),
    request_headers: shownHeadersOf(row),
    response_time_ms: row.response_time_ms,
    response_body: row.response_body,
    attempted_at: row.attempted_at.toISOString(),
    ...(row.next_attempt_at === null ? {} : { next_attempt_at: row.next_attempt_at.toISOString() }),
    created_at: row.created_at.toISOString(),
  };
}

function shownHeadersOf({
  event_id,
  webhook_id,
  attempt,
  attempted_at,
}: AttemptRow): Delivery['request_headers'] {
  const headers = requestHeadersOf(
    { eventId: event_id, webhookId: webhook_id, attempt, attemptedAt: attempted_at },
    HIDDEN_SIGNATURE,
  );
  return Object.entries(headers).map(([name, value]) => ({ name, value }));
}

/** A dead letter joined with its delivery: the columns of `DEAD_LETTER_SELECT`. */
export type DeadLetterRow = {
  readonly id: string;
  readonly event_id: string;
  readonly event_type: DeadLetter['event_type'];
  readonly run: number;
  readonly status: DeadLetter['status'];
  readonly attempts: number;
  readonly last_status_code: number | null;
  readonly last_error: string | null;
  /** As in `AttemptRow`. */
  readonly last_error_reason: string | null;
  readonly resolved_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
};
export type DeadLetterDetailRow = DeadLetterRow & { readonly payload: Uint8Array };

export function deadLetterView(row: DeadLetterRow): DeadLetter {
  return {
    id: encodeId('dlq', row.id),
    event_id: encodeId('evt', row.event_id),
    event_type: row.event_type,
    run: row.run,
    status: row.status,
    attempts: row.attempts,
    ...(row.last_status_code === null ? {} : { last_status_code: row.last_status_code }),
    ...firstKnown(deadLetterFailureOf, row.last_error_reason, row.last_error),
    ...(row.resolved_at === null ? {} : { resolved_at: row.resolved_at.toISOString() }),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

export function deadLetterDetailView(row: DeadLetterDetailRow): DeadLetterDetail {
  return { ...deadLetterView(row), payload: StoredJson.of(Buffer.from(row.payload).toString()) };
}
