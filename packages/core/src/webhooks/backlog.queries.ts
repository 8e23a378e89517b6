/**
 * Measures the backlog of deliveries. Each scrape of the metrics runs this one statement. The statement reads only
 * ranges of partial indexes, so its cost depends only on undelivered rows.
 *
 * Parked deliveries count like all others. Otherwise the backlog would look small exactly when deliveries cannot
 * be sent.
 */
import { queryPrepared, type Tx } from '@trading-automation/persistence';

/** The fan-out's consumer name in `outbox_progress`. */
const FAN_OUT_CONSUMER = 'webhook-dispatcher';

/** The current backlog. Ages use the database's clock; an age is 0 if no row matches. */
export interface Backlog {
  /** Age of the oldest event that at least one webhook has not received yet or that is not fanned out. */
  readonly oldestUndeliveredAgeSeconds: number;
  /** Time since the earliest due time of all deliveries, including parked deliveries. */
  readonly oldestDueAgeSeconds: number;
  /** Age of the oldest event that is not fanned out. */
  readonly oldestUnrelayedAgeSeconds: number;
  /** Deliveries that are due and not parked. */
  readonly due: number;
  /** Deliveries that the in-flight limit of their webhook or user has parked. */
  readonly parked: number;
  /** Deliveries that wait for their next attempt. */
  readonly waiting: number;
  /** Deliveries in flight under a valid lease. */
  readonly sending: number;
  /** Deliveries in flight under an expired lease: their dispatcher is dead or stuck. */
  readonly overrun: number;
}

const ageSeconds = (instant: string) =>
  `greatest(0, coalesce(extract(epoch FROM now() - ${instant}), 0))::float8`;

/**
 * Event ids ascend with creation time, so the smallest id is the oldest event, and one row of the outbox gives its
 * age. The age of a later run or of a test event counts from the request for it.
 */
const BACKLOG = `
  WITH due AS (
    SELECT count(*) FILTER (WHERE is_parked) AS parked,
      count(*) FILTER (WHERE NOT is_parked AND next_at <= now()) AS due,
      count(*) FILTER (WHERE NOT is_parked AND next_at > now()) AS waiting,
      min(next_at) AS next_at,
      min(event_id::text COLLATE "C") FILTER (WHERE run = 0) AS event_id,
      min(created_at) FILTER (WHERE run > 0) AS requested_at
    FROM webhook_deliveries WHERE status = 'DUE'
  ), sending AS (
    SELECT count(*) FILTER (WHERE lease_until >= now()) AS sending,
      count(*) FILTER (WHERE lease_until < now()) AS overrun,
      min(event_id::text COLLATE "C") FILTER (WHERE run = 0 AND payload IS NULL) AS event_id,
      min(created_at) FILTER (WHERE run > 0 OR payload IS NOT NULL) AS requested_at
    FROM webhook_deliveries WHERE status = 'SENDING'
  ), unrelayed AS (
    SELECT least(
      (SELECT min(created_at) FROM outbox_events WHERE position IS NULL),
      (SELECT created_at FROM outbox_events
       WHERE position > coalesce((SELECT position FROM outbox_progress WHERE consumer = $1), 0)
       ORDER BY position LIMIT 1)) AS at
  ), undelivered AS (
    SELECT least(due.requested_at, sending.requested_at, unrelayed.at,
      (SELECT created_at FROM outbox_events WHERE id = least(due.event_id, sending.event_id)::uuid)) AS at
    FROM due, sending, unrelayed
  )
  SELECT parked::int, due::int, waiting::int, sending::int, overrun::int,
    ${ageSeconds('undelivered.at')} AS "oldestUndeliveredAgeSeconds",
    ${ageSeconds('due.next_at')} AS "oldestDueAgeSeconds",
    ${ageSeconds('unrelayed.at')} AS "oldestUnrelayedAgeSeconds"
  FROM due, sending, unrelayed, undelivered`;

export async function readBacklog(tx: Tx): Promise<Backlog> {
  const [row] = await queryPrepared<Backlog>(tx, BACKLOG, [FAN_OUT_CONSUMER]);
  return row!;
}
