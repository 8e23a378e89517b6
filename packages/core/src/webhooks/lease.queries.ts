/**
 * Who sends, and which leases still bind.
 *
 * 1. A lease ends at its time, or once its holder has been silent for longer than any living one is.
 * 2. Silence tells something only where another dispatcher was heard of for as long: after an outage of Postgres, in
 *    which nobody could be heard, the living have had the time to say so. Whoever asks may be younger than that.
 * 3. Leases without a holder are those of a release that named none: they end at their time alone.
 */
import { type Database, queryPrepared } from '@trading-automation/persistence';

/** Whether the lease of `d` binds nobody any more; `$silenceMs` is how long is too long. */
export function leaseExpiredSql(silenceMs: string): string {
  return `(d.lease_until < clock_timestamp() OR d.holder_id IS NOT NULL
    AND EXISTS (SELECT FROM webhook_dispatchers witness
      WHERE witness.since < clock_timestamp() - ${silenceMs}::int * interval '1 millisecond'
        AND witness.seen_at > clock_timestamp() - ${silenceMs}::int * interval '1 millisecond')
    AND NOT EXISTS (SELECT FROM webhook_dispatchers h WHERE h.id = d.holder_id
      AND h.seen_at > clock_timestamp() - ${silenceMs}::int * interval '1 millisecond'))`;
}

/** A sign of life. One that comes after too long a silence begins anew: others may have judged by it. */
export async function recordDispatcherHeartbeat(
  database: Database,
  holderId: string,
  silenceMs: number,
): Promise<void> {
  await queryPrepared(database.manager, RECORD_HEARTBEAT, [holderId, silenceMs]);
}

const RECORD_HEARTBEAT = `
  INSERT INTO webhook_dispatchers AS w (id, since, seen_at) VALUES ($1, clock_timestamp(), clock_timestamp())
  ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at,
    since = CASE WHEN w.seen_at < excluded.seen_at - $2::int * interval '1 millisecond' THEN excluded.since ELSE w.since END`;

/** The dispatcher sends no more: what it still leases is anybody's at once. Forgets others that are long gone, too. */
export async function removeDispatcher(database: Database, holderId: string): Promise<void> {
  await database.query(
    "DELETE FROM webhook_dispatchers WHERE id = $1 OR seen_at < clock_timestamp() - interval '1 day'",
    [holderId],
  );
}
