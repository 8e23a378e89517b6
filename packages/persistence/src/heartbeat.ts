/** Stores heartbeats of processes that serve no API requests. All times use the database's clock. */
import type { DataSource } from 'typeorm';

export interface Heartbeat {
  readonly service: string;
  readonly instance: string;
  /** Milliseconds since the last heartbeat, by the database's clock. */
  readonly ageMs: number;
}

/** Records a heartbeat of this process. `instance` distinguishes the processes of a service. */
export async function recordHeartbeat(
  dataSource: DataSource,
  service: string,
  instance: string,
): Promise<void> {
  await dataSource.query(
    `INSERT INTO heartbeats (service, instance, beat_at) VALUES ($1, $2, clock_timestamp())
     ON CONFLICT (service, instance) DO UPDATE SET beat_at = excluded.beat_at`,
    [service, instance],
  );
}

/**
 * Returns the last heartbeat of every process that sent one in the last `withinMs` (default: a day). Sorts by service,
 * then newest first. Processes that have ended are included: the caller decides which age is too old.
 */
export async function readHeartbeats(
  dataSource: DataSource,
  withinMs = 86_400_000,
): Promise<readonly Heartbeat[]> {
  return dataSource.query(
    `SELECT service, instance, greatest(0, extract(epoch FROM clock_timestamp() - beat_at) * 1000)::float8 AS "ageMs"
     FROM heartbeats WHERE beat_at > clock_timestamp() - $1 * interval '1 millisecond'
     ORDER BY service, beat_at DESC`,
    [withinMs],
  );
}

/** Deletes heartbeats older than `olderThanMs` (default: a day). Returns the number of deleted rows. */
export async function removeOldHeartbeats(dataSource: DataSource, olderThanMs = 86_400_000): Promise<number> {
  const [, count] = await dataSource.query(
    "DELETE FROM heartbeats WHERE beat_at < clock_timestamp() - $1 * interval '1 millisecond'",
    [olderThanMs],
  );
  return count;
}
