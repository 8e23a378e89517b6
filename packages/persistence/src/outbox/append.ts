import { queryPrepared } from '../prepared.js';
import type { Tx } from '../transaction.js';

/** The channel that relays wake up on; its payload is empty. */
export const OUTBOX_CHANNEL = 'outbox_events';

export interface OutboxEvent {
  /** A UUIDv7; consumers tell events apart by it. */
  readonly id: string;
  readonly userId: string;
  /** `noun.past_tense`, for example `trade.filled`. */
  readonly type: string;
  /** Stored and handed on byte for byte. */
  readonly payload: Uint8Array;
}

/**
 * Writes an event into the transaction of the change that it tells of: both stand or neither does. Append after
 * the rows it tells of are locked or written, so that events of one record keep the order of its changes.
 */
export async function appendEvent(tx: Tx, { id, userId, type, payload }: OutboxEvent): Promise<void> {
  await queryPrepared(tx, APPEND, [id, userId, type, Buffer.from(payload)]);
}

/** As `appendEvent`, for many events of one change, in their order. */
export async function appendEvents(tx: Tx, events: readonly OutboxEvent[]): Promise<void> {
  for (let at = 0; at < events.length; at += BATCH) {
    const batch = events.slice(at, at + BATCH);
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

/** Of at most 64 KiB each. */
const BATCH = 200;
/** The payloads come as one, which the driver sends as it is; a list of them would be written out as text. */
const APPEND_MANY = `WITH appended AS (
    INSERT INTO outbox_events (id, user_id, type, payload)
    SELECT id, user_id, type, substring($6::bytea FROM start FOR length)
    FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::int[], $5::int[]) AS event (id, user_id, type, start, length)
    RETURNING 1)
  SELECT pg_notify('${OUTBOX_CHANNEL}', '') FROM (SELECT count(*) FROM appended) AS all_of_them`;

/** The notification is sent at COMMIT, and once per transaction however many events it appends. */
const APPEND = `INSERT INTO outbox_events (id, user_id, type, payload) VALUES ($1, $2, $3, $4)
  RETURNING pg_notify('${OUTBOX_CHANNEL}', '')`;
