/**
 * Decides which queued attempts may be sent now.
 *
 * 1. A claim is granted once: the UPDATE compares the delivery's state, attempt count and lease.
 * 2. Limits hold over all dispatchers: claims of one user are decided serially, under an advisory lock that is taken
 *    before the attempts in flight are counted. Claims skip rows that another transaction has locked; the dispatcher
 *    claims such a row again later.
 * 3. A claim that exceeds a limit parks the delivery: it stays due, without a job, until a slot is free
 *    (admission.queries.ts).
 * 4. A claim need not be flushed to disk. A crash that loses a claim also loses the record of its result, and the attempt
 *    is repeated, as after any crash.
 */
import { type Database, newUuid, queryPrepared, type Tx } from '@trading-automation/persistence';
import type { ClaimedAttempt, DeliveryRef, Lane } from './delivery.queries.js';
import { type DeliveryLimits, FAILING_WEBHOOK_MAX, SLOW_FROM_FAILURES } from './delivery.rules.js';
import { leaseExpiredSql } from './lease.queries.js';

export interface ClaimRequest extends DeliveryRef {
  readonly lane: Lane;
}

export type ClaimDecision =
  | { readonly kind: 'send'; readonly attempt: ClaimedAttempt }
  /** The delivery waits for a free slot, without a job. */
  | { readonly kind: 'parked'; readonly userId: string }
  /** The webhook keeps failing, so the slow lane serves the delivery. */
  | { readonly kind: 'slow' };

export interface Claimant {
  readonly holderId: string;
  readonly leaseMs: number;
  readonly limits: DeliveryLimits;
}

interface ClaimRow {
  readonly id: string;
  readonly kind: 'send' | 'parked' | 'slow';
  readonly user_id: string;
  readonly webhook_id: string;
  readonly event_id: string;
  readonly url: string;
  readonly secret_sealed: string;
  readonly payload: Buffer;
  readonly lease_id: string;
  readonly claims: number;
  readonly attempted_at: Date;
  readonly event_age_ms: number | null;
}

/**
 * Decides on all `requests` together. A delivery that is missing from the result could not be claimed;
 * `readDeliveryStates` returns the reason. Each delivery may occur once in `requests`.
 */
export async function claimAttempts(
  database: Database,
  requests: readonly ClaimRequest[],
  { holderId, leaseMs, limits }: Claimant,
): Promise<ReadonlyMap<string, ClaimDecision>> {
  const ids = requests.map(({ deliveryId }) => deliveryId);
  const rows = await queryPrepared<ClaimRow>(database.manager, CLAIM, [
    ids,
    requests.map(({ attempt }) => attempt),
    requests.map(({ lane }) => lane),
    requests.map(() => newUuid()),
    holderId,
    leaseMs,
    limits.heartbeatTimeoutMs,
    limits.perWebhookMax,
    limits.perUserMax,
  ]);
  const attempts = new Map(requests.map(({ deliveryId, attempt }) => [deliveryId, attempt]));
  return new Map(rows.map((row) => [row.id, toDecision(row, attempts.get(row.id) ?? 1)]));
}

function toDecision(row: ClaimRow, attempt: number): ClaimDecision {
  if (row.kind === 'slow') return { kind: 'slow' };
  if (row.kind === 'parked') return { kind: 'parked', userId: row.user_id };
  return {
    kind: 'send',
    attempt: {
      deliveryId: row.id,
      leaseId: row.lease_id,
      attempt,
      claims: row.claims,
      userId: row.user_id,
      eventId: row.event_id,
      webhookId: row.webhook_id,
      url: row.url,
      secretSealed: row.secret_sealed,
      payload: row.payload,
      attemptedAt: row.attempted_at,
      eventAgeMs: row.event_age_ms,
    },
  };
}

/**
 * Claims in one statement, because claims run more often than any other statement.
 *
 * 1. The users' locks come first, in one order everywhere. The same step disables the synchronous commit.
 * 2. Rows are found and locked by their ids only, and all other conditions apply to the locked rows. A condition on
 *    status next to the ids would tempt the planner to read the due deliveries of all users. FOR UPDATE returns the
 *    current versions of the rows in `held`, so that these conditions see concurrent changes.
 * 3. A function counts the attempts in flight. The statement itself sees only rows that were committed before it
 *    began. A volatile function takes a new snapshot, so it also sees rows that were committed during the wait for the
 *    locks.
 */
const CLAIM = `
  WITH requested AS (
    SELECT * FROM unnest($1::uuid[], $2::int[], $3::text[], $4::uuid[]) WITH ORDINALITY
      AS requested (id, attempt, lane, lease_id, place)
  ), locked AS MATERIALIZED (
    SELECT user_id, set_config('synchronous_commit', 'off', true),
      pg_advisory_xact_lock(hashtextextended('webhook caps ' || user_id, 0))
    FROM (SELECT DISTINCT w.user_id FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
          WHERE d.id = ANY($1::uuid[]) ORDER BY w.user_id) AS users
  ), held AS MATERIALIZED (
    SELECT d.id, d.webhook_id, d.event_id, d.status, d.attempts, d.next_at, d.is_parked, d.lease_id,
      d.lease_until, d.holder_id
    FROM webhook_deliveries d
    WHERE d.id = ANY($1::uuid[]) AND (SELECT count(*) FROM locked) > 0 FOR UPDATE SKIP LOCKED
  ), claimable AS MATERIALIZED (
    SELECT d.id, d.webhook_id, d.event_id, d.status, d.is_parked, d.lease_id AS former_lease_id,
      w.user_id, w.url, w.secret_sealed, requested.lease_id, requested.place, requested.lane,
      w.consecutive_failures > 0 AS is_failing, w.consecutive_failures >= ${SLOW_FROM_FAILURES} AS is_slow
    FROM held d JOIN requested ON requested.id = d.id
      JOIN webhooks w ON w.id = d.webhook_id AND w.is_active AND w.deleted_at IS NULL
    WHERE d.attempts = requested.attempt - 1
      AND (d.status = 'DUE' AND d.next_at <= clock_timestamp()
           OR d.status = 'SENDING' AND ${leaseExpiredSql('$7')})
  ), in_flight_counts AS MATERIALIZED (
    SELECT user_id, webhook_id, consecutive_failures >= ${SLOW_FROM_FAILURES} AS is_slow, in_flight AS count
    FROM webhooks_in_flight(ARRAY(SELECT user_id FROM claimable), ARRAY(SELECT id FROM claimable))
  ), ranked AS (
    SELECT id, webhook_id, status, is_parked, former_lease_id, user_id, lease_id, place, is_failing, is_slow,
      coalesce((SELECT count FROM in_flight_counts WHERE in_flight_counts.webhook_id = claimable.webhook_id), 0)
        + row_number() OVER (PARTITION BY webhook_id ORDER BY place) AS rank_in_webhook
    FROM claimable WHERE NOT (is_slow AND lane = 'main')
  ), within_webhook_limit AS (
    SELECT id, former_lease_id, lease_id,
      coalesce((SELECT sum(count) FROM in_flight_counts
        WHERE in_flight_counts.user_id = ranked.user_id AND in_flight_counts.is_slow = ranked.is_slow), 0)
        + row_number() OVER (PARTITION BY user_id, is_slow ORDER BY place) AS rank_in_user
    FROM ranked WHERE rank_in_webhook <= CASE WHEN is_failing THEN least(${FAILING_WEBHOOK_MAX}, $8::int) ELSE $8::int END
  ), claimed AS (
    UPDATE webhook_deliveries d SET status = 'SENDING', next_at = NULL, is_parked = false, lease_id = within_webhook_limit.lease_id,
      holder_id = $5::uuid, lease_until = clock_timestamp() + $6::int * interval '1 millisecond',
      claims = d.claims + 1, updated_at = clock_timestamp()
    FROM within_webhook_limit
    WHERE d.id = within_webhook_limit.id AND within_webhook_limit.rank_in_user <= $9::int
      AND d.lease_id IS NOT DISTINCT FROM within_webhook_limit.former_lease_id
    RETURNING d.id, d.claims, d.payload, d.outbox_event_id, d.run = 0 AND d.attempts = 0 AS is_first
  ), parked AS (
    UPDATE webhook_deliveries d SET is_parked = true, updated_at = clock_timestamp()
    FROM ranked WHERE d.id = ranked.id AND ranked.status = 'DUE' AND NOT ranked.is_parked
      AND NOT ranked.id = ANY(SELECT id FROM within_webhook_limit WHERE rank_in_user <= $9::int)
  )
  SELECT claimable.id, CASE WHEN claimed.id IS NOT NULL THEN 'send' WHEN claimable.is_slow AND claimable.lane = 'main' THEN 'slow'
      ELSE 'parked' END AS kind,
    claimable.user_id, claimable.webhook_id, claimable.event_id, claimable.url, claimable.secret_sealed, claimable.lease_id,
    coalesce(claimed.payload, e.payload) AS payload,
    CASE WHEN claimed.is_first THEN extract(epoch FROM clock_timestamp() - e.created_at)::float8 * 1000 END AS event_age_ms,
    claimed.claims, clock_timestamp() AS attempted_at
  FROM claimable LEFT JOIN claimed ON claimed.id = claimable.id
    LEFT JOIN LATERAL (SELECT payload, created_at FROM outbox_events WHERE id = claimed.outbox_event_id LIMIT 1) e ON true`;

export interface DeliveryState {
  readonly isUnfinished: boolean;
  readonly isLeased: boolean;
  readonly attempts: number;
  readonly isActive: boolean;
  readonly isDeleted: boolean;
  /** Time until the delivery is due, or its lease ends. */
  readonly waitMs: number;
}

/** Reads why deliveries could not be claimed. */
export async function readDeliveryStates(
  database: Database,
  deliveryIds: readonly string[],
): Promise<ReadonlyMap<string, DeliveryState>> {
  const rows = await queryPrepared<DeliveryState & { readonly id: string }>(database.manager, READ_STATES, [
    deliveryIds,
  ]);
  return new Map(rows.map(({ id, ...state }) => [id, state]));
}

const READ_STATES = `
  SELECT d.id, d.status IN ('DUE', 'SENDING') AS "isUnfinished", d.attempts, w.is_active AS "isActive",
    w.deleted_at IS NOT NULL AS "isDeleted",
    d.status = 'SENDING' AND d.lease_until >= clock_timestamp() AS "isLeased",
    ceil(greatest(0, extract(epoch FROM coalesce(d.next_at, d.lease_until) - clock_timestamp()) * 1000))::int
      AS "waitMs"
  FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE d.id = ANY($1::uuid[])`;

/** Ends a delivery of an inactive or deleted webhook, unless it is being sent. */
export async function abandonDelivery(
  tx: Tx,
  deliveryId: string,
  status: 'DEAD' | 'DISCARDED',
): Promise<boolean> {
  const [rows] = await tx.query(
    `UPDATE webhook_deliveries SET status = $2, next_at = NULL, is_parked = false, lease_id = NULL, lease_until = NULL,
       holder_id = NULL, updated_at = clock_timestamp()
     WHERE id = $1 AND (status = 'DUE' OR status = 'SENDING' AND lease_until < clock_timestamp()) RETURNING id`,
    [deliveryId, status],
  );
  return rows.length > 0;
}
