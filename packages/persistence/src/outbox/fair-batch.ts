/**
 * Reads the next events of a consumer, and stores its progress.
 *
 * 1. The consumer has handled every event up to its position. Usually the next events follow it.
 * 2. If more events wait than fit into a batch, the users whose events are among the next 5,000 take turns: the batch
 *    contains the first event of each, then the second, and so on. A user without other waiting events therefore waits
 *    for the running batch and the next one, whatever number of another user's events is waiting before.
 * 3. A user's events keep their order. `outbox_user_progress` stores up to which position a user's events are handled,
 *    if that is beyond the consumer's position, so no event is delivered twice.
 * 4. The consumer's position follows the first event that is not handled.
 */
import { queryPrepared } from '../prepared.js';
import type { Tx } from '../transaction.js';
import type { OutboxEvent } from './append.js';

export interface RelayedEvent extends OutboxEvent {
  /** The position in the total order of all events, from 1; a bigint as a string. */
  readonly position: string;
  readonly createdAt: Date;
}

/** How many waiting events are looked at. */
export const RELAY_WINDOW_SIZE = 5_000;

/** The progress of a consumer, whose row is locked. */
export interface Progress {
  /** A bigint as a string. */
  readonly position: string;
  /** Whether events of some users beyond `position` are handled. */
  readonly isAhead: boolean;
}

export interface Batch {
  /** In the order of their positions. */
  readonly events: readonly RelayedEvent[];
  /** The consumer's position once these events are handled. */
  readonly position: string;
  /** Whether more events may be waiting. */
  readonly hasMore: boolean;
}

interface EventRow {
  readonly id: string;
  readonly user_id: string;
  readonly type: string;
  readonly payload: Buffer;
  readonly position: string;
  readonly created_at: Date;
}

interface BatchToRead {
  readonly consumer: string;
  readonly progress: Progress;
  readonly batchSize: number;
}

export async function readBatch(tx: Tx, batch: BatchToRead): Promise<Batch> {
  const { progress, batchSize } = batch;
  if (progress.isAhead) return readInTurns(tx, batch);
  const rows = await queryPrepared<EventRow>(
    tx,
    `SELECT id, user_id, type, payload, position, created_at FROM outbox_events
     WHERE position > $1 ORDER BY position LIMIT $2`,
    [progress.position, batchSize],
  );
  if (rows.length >= batchSize) return readInTurns(tx, batch);
  return { events: rows.map(toEvent), position: rows.at(-1)?.position ?? progress.position, hasMore: false };
}

async function readInTurns(tx: Tx, { consumer, progress, batchSize }: BatchToRead): Promise<Batch> {
  const rows = await queryPrepared<EventRow & { next_position: string | null; waiting_count: number }>(
    tx,
    `WITH waiting AS MATERIALIZED (
       SELECT position, user_id FROM outbox_events WHERE position > $1 ORDER BY position LIMIT ${RELAY_WINDOW_SIZE}
     ), unhandled AS MATERIALIZED (
       SELECT w.position, row_number() OVER (PARTITION BY w.user_id ORDER BY w.position) AS turn FROM waiting w
       LEFT JOIN outbox_user_progress p ON p.consumer = $2 AND p.user_id = w.user_id
       WHERE w.position > coalesce(p.position, 0)
     ), places AS MATERIALIZED (
       SELECT position, row_number() OVER (ORDER BY turn, position) AS place FROM unhandled
     ), next AS (
       SELECT (SELECT count(*)::int FROM waiting) AS waiting_count, coalesce(
         (SELECT min(position) - 1 FROM places WHERE place > $3), (SELECT max(position) FROM waiting)) AS position
     )
     SELECT e.id, e.user_id, e.type, e.payload, e.position, e.created_at, next.position AS next_position,
       next.waiting_count
     FROM next LEFT JOIN places ON places.place <= $3 LEFT JOIN outbox_events e ON e.position = places.position
     ORDER BY e.position`,
    [progress.position, consumer, batchSize],
  );
  const [{ next_position, waiting_count }] = rows as [(typeof rows)[number]];
  // `id` is null in the only row if every event of the window is handled.
  const events = rows.filter(({ id }) => id !== null).map(toEvent);
  return {
    events,
    position: next_position ?? progress.position,
    hasMore: events.length >= batchSize || waiting_count >= RELAY_WINDOW_SIZE,
  };
}

function toEvent(row: EventRow): RelayedEvent {
  const { id, type, payload, position } = row;
  return { id, userId: row.user_id, type, payload, position, createdAt: row.created_at };
}

/** Stores the progress after a batch, in the transaction that has locked it. */
export async function storeProgress(
  tx: Tx,
  { consumer, progress }: Pick<BatchToRead, 'consumer' | 'progress'>,
  { events, position }: Batch,
): Promise<void> {
  await queryPrepared(tx, 'UPDATE outbox_progress SET position = $2 WHERE consumer = $1', [
    consumer,
    position,
  ]);
  const ahead = new Map<string, string>();
  for (const event of events)
    if (BigInt(event.position) > BigInt(position)) ahead.set(event.userId, event.position);
  if (ahead.size > 0) {
    await queryPrepared(
      tx,
      `INSERT INTO outbox_user_progress (consumer, user_id, position)
       SELECT $1, * FROM unnest($2::uuid[], $3::bigint[])
       ON CONFLICT (consumer, user_id) DO UPDATE SET position = excluded.position`,
      [consumer, [...ahead.keys()], [...ahead.values()]],
    );
  }
  if (progress.isAhead) {
    await queryPrepared(tx, 'DELETE FROM outbox_user_progress WHERE consumer = $1 AND position <= $2', [
      consumer,
      position,
    ]);
  }
}
