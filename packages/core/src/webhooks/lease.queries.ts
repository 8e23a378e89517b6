/**
 * Dispatchers and the validity of their leases.
 *
 * 1. A lease ends at its time, or when its holder has missed its heartbeat timeout.
 * 2. A missed heartbeat counts only if another dispatcher has sent heartbeats for that long. After an outage of
 *    Postgres, every live dispatcher thus has time to send one first. The dispatcher that checks may itself be
 *    younger.
 * 3. Leases without a holder come from a release that recorded none; they end only at their time.
 */
import { type Database, queryPrepared } from '@trading-automation/persistence';

/**
 * Returns the SQL condition that the lease of `d` has ended. @param heartbeatTimeoutMs the SQL parameter of the
 * timeout
 */
export function leaseExpiredSql(heartbeatTimeoutMs: string): string {
  return `(d.lease_until < clock_timestamp() OR d.holder_id IS NOT NULL
    AND EXISTS (SELECT FROM webhook_dispatchers witness
      WHERE witness.since < clock_timestamp() - ${heartbeatTimeoutMs}::int * interval '1 millisecond'
        AND witness.seen_at > clock_timestamp() - ${heartbeatTimeoutMs}::int * interval '1 millisecond')
    AND NOT EXISTS (SELECT FROM webhook_dispatchers h WHERE h.id = d.holder_id
      AND h.seen_at > clock_timestamp() - ${heartbeatTimeoutMs}::int * interval '1 millisecond'))`;
}

/** Records a heartbeat. After a missed timeout `since` starts again, because others may have taken over the leases. */
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
 * Removes a dispatcher that sends no more, so that its leases end immediately. Also deletes dispatchers without a
 * heartbeat for a day.
 */
export async function removeDispatcher(database: Database, holderId: string): Promise<void> {
  await database.query(
    "DELETE FROM webhook_dispatchers WHERE id = $1 OR seen_at < clock_timestamp() - interval '1 day'",
    [holderId],
  );
}
