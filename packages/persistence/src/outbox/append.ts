import { queryPrepared } from '../prepared.js';
import type { Tx } from '../transaction.js';

/** The channel that wakes up relays. Its payload is empty. */
export const OUTBOX_CHANNEL = 'outbox_events';

export interface OutboxEvent {
  /** A UUIDv7, by which consumers identify events. */
  readonly id: string;
  readonly userId: string;
  /** `noun.past_tense`, for example `trade.filled`. */
  readonly type: string;
  /** The exact bytes to store and deliver. */
  readonly payload: Uint8Array;
}

/**
 * Appends an event in the transaction of the change that it describes, so that both are committed or neither. Call it
 * after locking or writing the changed rows, so that a record's events are in the order of its changes.
 */
export async function appendEvent(tx: Tx, { id, userId, type, payload }: OutboxEvent): Promise<void> {
  await queryPrepared(tx, APPEND, [id, userId, type, Buffer.from(payload)]);
}

/** Appends many events of one change in order. See `appendEvent`. */
export async function appendEvents(tx: Tx, events: readonly OutboxEvent[]): Promise<void> {
  for (let first = 0; first < events.length; first += EVENTS_PER_STATEMENT) {
    const batch = events.slice(first, first + EVENTS_PER_STATEMENT);
    const lengths = batch.map(({ payload }) => payload.length);
    const starts: number[] = [];
    let start = 1;
    for (const length of lengths) {
      starts.push(start);
      start += length;
    }
    await queryPrepared(tx, APPEND_MANY, [
      batch.map(({ id }) => id),
      batch.map(({ userId }) => userId),
      batch.map(({ type }) => type),
      starts,
      lengths,
      Buffer.concat(batch.map(({ payload }) => payload)),
    ]);
  }
}

/** A payload has at most 64 KiB, so a statement has at most 12.5 MiB. */
const EVENTS_PER_STATEMENT = 200;
/** All payloads are one parameter: the driver sends one buffer unchanged, but encodes an array of buffers as text. */
const APPEND_MANY = `WITH appended AS (
    INSERT INTO outbox_events (id, user_id, type, payload)
    SELECT id, user_id, type, substring($6::bytea FROM start FOR length)
    FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::int[], $5::int[]) AS event (id, user_id, type, start, length)
    RETURNING 1)
  SELECT pg_notify('${OUTBOX_CHANNEL}', '') FROM (SELECT count(*) FROM appended) AS all_of_them`;

/** Postgres sends the notification at COMMIT, once per transaction. */
const APPEND = `INSERT INTO outbox_events (id, user_id, type, payload) VALUES ($1, $2, $3, $4)
  RETURNING pg_notify('${OUTBOX_CHANNEL}', '')`;
