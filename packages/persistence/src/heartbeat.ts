/** Heartbeats: how the processes that answer no request show that they live. All times are the database's. */
import type { DataSource } from 'typeorm';

/** The last sign of life of one process. */
export interface Heartbeat {
  readonly service: string;
  readonly instance: string;
  /** Milliseconds since it, by the database's clock. */
  readonly ageMs: number;
}

/** A sign of life of this process; `instance` tells processes of one service apart. */
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
 * The last heartbeat of every process that gave one within `withinMs` (a day unless given), youngest first within
 * its service. Which age is too old is the reader's to say: a process that has ended stays in the list until then.
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

/** Forgets the processes that gave no sign of life for `olderThanMs`, a day unless given; returns how many. */
export async function removeOldHeartbeats(dataSource: DataSource, olderThanMs = 86_400_000): Promise<number> {
  const [, count] = await dataSource.query(
    "DELETE FROM heartbeats WHERE beat_at < clock_timestamp() - $1 * interval '1 millisecond'",
    [olderThanMs],
  );
  return count;
}
