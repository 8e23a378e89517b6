/**
 * Stores dispatchers and decides whether their leases are valid.
 *
 * 1. A lease ends at its `lease_until`, or when its holder has sent no heartbeat for the heartbeat timeout.
 * 2. A missed heartbeat counts only if another dispatcher, the witness, has sent heartbeats without a gap for one
 *    heartbeat timeout. Thus every live dispatcher has time to send a heartbeat after an outage of Postgres. The
 *    dispatcher that checks a lease need not be the witness: it may have just started.
 * 3. Leases without a holder come from a release that recorded no holders. They end only at their `lease_until`.
 */
import { type Database, queryPrepared } from '@trading-automation/persistence';

/**
 * Returns the SQL condition that the lease of `d` has ended. @param heartbeatTimeoutMs the placeholder of the timeout,
 * such as `$5`
 */
export function leaseExpiredSql(heartbeatTimeoutMs: string): string {
  return `(d.lease_until < clock_timestamp() OR d.holder_id IS NOT NULL
    AND EXISTS (SELECT FROM webhook_dispatchers witness
      WHERE witness.since < clock_timestamp() - ${heartbeatTimeoutMs}::int * interval '1 millisecond'
        AND witness.seen_at > clock_timestamp() - ${heartbeatTimeoutMs}::int * interval '1 millisecond')
    AND NOT EXISTS (SELECT FROM webhook_dispatchers h WHERE h.id = d.holder_id
      AND h.seen_at > clock_timestamp() - ${heartbeatTimeoutMs}::int * interval '1 millisecond'))`;
}

/**
 * Records a heartbeat. `since` is the time since which the dispatcher has sent heartbeats without a gap. It is reset if
 * the previous heartbeat is older than the timeout.
 */
export async function recordDispatcherHeartbeat(
  database: Database,
  holderId: string,
  heartbeatTimeoutMs: number,
): Promise<void> {
  await queryPrepared(database.manager, RECORD_HEARTBEAT, [holderId, heartbeatTimeoutMs]);
}

const RECORD_HEARTBEAT = `
  INSERT INTO webhook_dispatchers AS w (id, since, seen_at) VALUES ($1, clock_timestamp(), clock_timestamp())
  ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at,
    since = CASE WHEN w.seen_at < excluded.seen_at - $2::int * interval '1 millisecond' THEN excluded.since ELSE w.since END`;

/**
 * Removes a dispatcher that no longer sends events, so that its leases end immediately. Also deletes dispatchers that
 * have sent no heartbeat for a day.
 */
export async function removeDispatcher(database: Database, holderId: string): Promise<void> {
  await database.query(
    "DELETE FROM webhook_dispatchers WHERE id = $1 OR seen_at < clock_timestamp() - interval '1 day'",
    [holderId],
  );
}
