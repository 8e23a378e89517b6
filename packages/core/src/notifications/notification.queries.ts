/** Reads the data of other features for the relay: recipients, their preferences, and the failures of a webhook. */
import {
  NOTIFICATIONS_SETTING,
  type NotificationPreferences,
  notificationPreferences,
} from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import { WAITING_COUNTED_MAX, type WebhookFailureSummary } from './notification-mail.rules.js';

export interface Recipient {
  /** The verified address, or null. */
  readonly email: string | null;
  readonly preferences: NotificationPreferences;
}

/** Returns the recipients by the user's uuid. */
export async function readRecipients(
  tx: Tx,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, Recipient>> {
  const rows = await queryPrepared<{ id: string; email: string | null; chosen: string | null }>(
    tx,
    `SELECT u.id, CASE WHEN u.email_verified_at IS NOT NULL THEN u.email END AS email, s.value::text AS chosen
     FROM users u LEFT JOIN settings s ON s.user_id = u.id AND s.key = $2
     WHERE u.id = ANY($1::uuid[])`,
    [userIds, NOTIFICATIONS_SETTING],
  );
  return new Map(rows.map(({ id, email, chosen }) => [id, { email, preferences: preferencesIn(chosen) }]));
}

/**
 * Returns the stored preferences, or the defaults if the value is invalid. An invalid value may be older than its
 * validation, or come from a newer release.
 */
function preferencesIn(text: string | null): NotificationPreferences {
  if (text === null) return {};
  const parsed = notificationPreferences.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data : {};
}

/**
 * Summarises the failures of a webhook up to the end of the millisecond `until`.
 *
 * @param failures the number of consecutive failed attempts
 */
export async function readWebhookFailureSummary(
  tx: Tx,
  webhookId: string,
  failures: number,
  until: Date,
): Promise<WebhookFailureSummary> {
  const [row] = await tx.query(
    `WITH failed AS (
       SELECT attempted_at, status_code, coalesce(error_reason, error) AS error FROM webhook_attempts
       WHERE webhook_id = $1 AND attempted_at < $3::timestamptz + interval '1 millisecond' AND status = 'FAILED'
         AND event_type <> 'webhook.test'
       ORDER BY attempted_at DESC, id DESC LIMIT greatest(1, $2::int)
     )
     SELECT (SELECT min(attempted_at) FROM failed) AS "failingSince", last.attempted_at AS "lastAttemptAt",
       last.status_code AS "lastStatusCode", last.error AS "lastError",
       (SELECT count(*)::int FROM
          (SELECT FROM webhook_dead_letters WHERE webhook_id = $1 AND status = 'PENDING' LIMIT $4) AS waiting)
         AS waiting
     FROM (SELECT) AS always LEFT JOIN (SELECT * FROM failed ORDER BY attempted_at DESC LIMIT 1) AS last ON true`,
    [webhookId, failures, until, WAITING_COUNTED_MAX],
  );
  return row;
}
