/**
 * How far behind the delivery of events is. One statement, run whenever metrics are read: each part of it is a range
 * of a partial index, so that it costs as much as is owed, whatever was delivered in the past.
 *
 * What waits because its webhook or its user has all it may have in flight counts like everything else: a figure
 * that left it out would look its best while deliveries hang.
 */
import { queryPrepared, type Tx } from '@trading-automation/persistence';

/** The consumer of the outbox that makes deliveries of events, as `outbox_progress` knows it. */
const FAN_OUT_CONSUMER = 'webhook-dispatcher';

/** What is owed now. Ages are by the database's clock, and 0 where there is nothing. */
export interface Backlog {
  /** Of the oldest event that some webhook is still owed, or that is not fanned out. */
  readonly oldestUndeliveredAgeSeconds: number;
  /** Since the delivery that could have been sent first fell due, parked ones included. */
  readonly oldestDueAgeSeconds: number;
  /** Of the oldest event that is not fanned out. */
  readonly oldestUnrelayedAgeSeconds: number;
  /** Due, and free to be sent. */
  readonly due: number;
  /** Due, and held back for what its webhook or its user has in flight. */
  readonly parked: number;
  /** Between two attempts. */
  readonly waiting: number;
  /** On their way under a lease. */
  readonly sending: number;
  /** On their way by a lease that has run out: their dispatcher is dead or stuck. */
  readonly overrun: number;
}

const ageSeconds = (instant: string) =>
  `greatest(0, coalesce(extract(epoch FROM now() - ${instant}), 0))::float8`;

/**
 * Ids of events ascend with the time of their making, so that the least of them names the oldest event, and one row
 * of the outbox tells its age. A run that was asked for later, and a test event, count from when it was asked for.
 */
const BACKLOG = `
  WITH due AS (
    SELECT count(*) FILTER (WHERE is_parked) AS parked,
      count(*) FILTER (WHERE NOT is_parked AND next_at <= now()) AS due,
      count(*) FILTER (WHERE NOT is_parked AND next_at > now()) AS waiting,
      min(next_at) AS next_at,
      min(event_id::text COLLATE "C") FILTER (WHERE run = 0) AS event_id,
      min(created_at) FILTER (WHERE run > 0) AS asked_at
    FROM webhook_deliveries WHERE status = 'DUE'
  ), sending AS (
    SELECT count(*) FILTER (WHERE lease_until >= now()) AS sending,
      count(*) FILTER (WHERE lease_until < now()) AS overrun,
      min(event_id::text COLLATE "C") FILTER (WHERE run = 0 AND payload IS NULL) AS event_id,
      min(created_at) FILTER (WHERE run > 0 OR payload IS NOT NULL) AS asked_at
    FROM webhook_deliveries WHERE status = 'SENDING'
  ), unrelayed AS (
    SELECT least(
      (SELECT min(created_at) FROM outbox_events WHERE position IS NULL),
      (SELECT created_at FROM outbox_events
       WHERE position > coalesce((SELECT position FROM outbox_progress WHERE consumer = $1), 0)
       ORDER BY position LIMIT 1)) AS at
  ), owed AS (
    SELECT least(due.asked_at, sending.asked_at, unrelayed.at,
      (SELECT created_at FROM outbox_events WHERE id = least(due.event_id, sending.event_id)::uuid)) AS at
    FROM due, sending, unrelayed
  )
  SELECT parked::int, due::int, waiting::int, sending::int, overrun::int,
    ${ageSeconds('owed.at')} AS "oldestUndeliveredAgeSeconds",
    ${ageSeconds('due.next_at')} AS "oldestDueAgeSeconds",
    ${ageSeconds('unrelayed.at')} AS "oldestUnrelayedAgeSeconds"
  FROM due, sending, unrelayed, owed`;

export async function readBacklog(tx: Tx): Promise<Backlog> {
  const [row] = await queryPrepared<Backlog>(tx, BACKLOG, [FAN_OUT_CONSUMER]);
  return row!;
}
