/**
 * Selects the deliveries that need a job: parked deliveries with a free slot, and overdue deliveries whose job was lost.
 * These queries only read. Concurrent callers may get the same deliveries; the claim decides which caller sends one.
 */
import { type Database, queryPrepared } from '@trading-automation/persistence';
import type { LanedDelivery } from './delivery.queries.js';
import { type DeliveryLimits, FAILING_WEBHOOK_MAX, SLOW_FROM_FAILURES } from './delivery.rules.js';
import { leaseExpiredSql } from './lease.queries.js';

type LanedRow = LanedDelivery & Record<string, unknown>;

/**
 * Returns the parked deliveries for which both the webhook and the user have a free slot in the lane. Webhooks take
 * turns: the oldest delivery of each webhook comes first, then the second oldest of each, and so on.
 */
export async function listAdmissible(
  database: Database,
  userIds: readonly string[],
  { perWebhookMax, perUserMax }: DeliveryLimits,
): Promise<readonly LanedDelivery[]> {
  return queryPrepared<LanedRow>(database.manager, ADMISSIBLE, [userIds, perWebhookMax, perUserMax]);
}

const ADMISSIBLE = `
  WITH hooks AS MATERIALIZED (
    SELECT w.id, w.user_id, w.consecutive_failures >= ${SLOW_FROM_FAILURES} AS is_slow,
      CASE WHEN w.consecutive_failures > 0 THEN least(${FAILING_WEBHOOK_MAX}, $2::int) ELSE $2::int END AS cap,
      (SELECT count(*) FROM webhook_deliveries s WHERE s.webhook_id = w.id AND s.status = 'SENDING') AS in_flight
    FROM webhooks w WHERE w.user_id = ANY($1::uuid[]) AND w.is_active AND w.deleted_at IS NULL
  ), waiting AS (
    SELECT hooks.user_id, hooks.is_slow, p.id, p.attempts, p.next_at,
      row_number() OVER (PARTITION BY hooks.id ORDER BY p.next_at, p.id) AS place
    FROM hooks CROSS JOIN LATERAL (
      SELECT id, attempts, next_at FROM webhook_deliveries d WHERE d.webhook_id = hooks.id AND d.status = 'DUE' AND d.is_parked
      ORDER BY d.next_at, d.id LIMIT greatest(0, hooks.cap - hooks.in_flight)) p
  ), ranked AS (
    SELECT id, attempts, next_at, is_slow, place,
      row_number() OVER (PARTITION BY user_id, is_slow ORDER BY place, next_at, id)
      + (SELECT coalesce(sum(in_flight), 0) FROM hooks
         WHERE hooks.user_id = waiting.user_id AND hooks.is_slow = waiting.is_slow) AS rank
    FROM waiting
  )
  SELECT id AS "deliveryId", attempts + 1 AS attempt, CASE WHEN is_slow THEN 'slow' ELSE 'main' END AS lane
  FROM ranked WHERE rank <= $3::int ORDER BY place, next_at, id`;

/**
 * Returns the ids of users with parked deliveries. Ignores inactive webhooks: `listOverdue` returns their deliveries.
 */
export async function listParkedUsers(database: Database): Promise<readonly string[]> {
  const rows: { user_id: string }[] = await database.query(
    `SELECT DISTINCT w.user_id FROM webhooks w
     WHERE w.is_active AND EXISTS (SELECT FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.status = 'DUE' AND d.is_parked)`,
  );
  return rows.map(({ user_id }) => user_id);
}

export interface OverdueDelivery extends LanedDelivery {
  /** The time at which the delivery became due or its lease ended, as Postgres formats a timestamptz. */
  readonly at: string;
  /** The cause: the queue lost the job of a due delivery, or the dispatcher that held the lease died. */
  readonly lost: 'job' | 'dispatcher';
}

/**
 * Returns overdue deliveries that follow `after`, oldest first. A delivery is overdue in three cases: it is not parked
 * and has been due for more than `graceMs`, its lease has ended, or it is parked and its webhook is inactive. In the last
 * case, the job that the caller adds only ends the delivery.
 */
export async function listOverdue(
  database: Database,
  heartbeatTimeoutMs: number,
  { graceMs, limit, after }: OverduePage,
): Promise<readonly OverdueDelivery[]> {
  return database.query(
    `SELECT overdue.id AS "deliveryId", attempts + 1 AS attempt, at::text AS at, lost,
       CASE WHEN w.consecutive_failures >= ${SLOW_FROM_FAILURES} THEN 'slow' ELSE 'main' END AS lane
     FROM (SELECT id, webhook_id, attempts, next_at AS at, 'job' AS lost FROM webhook_deliveries
           WHERE status = 'DUE' AND NOT is_parked AND next_at < clock_timestamp() - $1 * interval '1 millisecond'
           UNION ALL
           SELECT d.id, webhook_id, attempts, next_at, 'job' FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
           WHERE status = 'DUE' AND is_parked AND NOT w.is_active
           UNION ALL
           SELECT id, webhook_id, attempts, lease_until, 'dispatcher' FROM webhook_deliveries d
           WHERE status = 'SENDING' AND ${leaseExpiredSql('$5')}) overdue
       JOIN webhooks w ON w.id = overdue.webhook_id
     WHERE $2::timestamptz IS NULL OR (at, overdue.id) > ($2::timestamptz, $3::uuid)
     ORDER BY overdue.at, overdue.id LIMIT $4`,
    [graceMs, after?.at, after?.deliveryId, limit, heartbeatTimeoutMs],
  );
}

export interface OverduePage {
  /** A delivery without a job counts as overdue only this long after its due time. */
  readonly graceMs: number;
  readonly limit: number;
  readonly after?: OverdueDelivery | undefined;
}
