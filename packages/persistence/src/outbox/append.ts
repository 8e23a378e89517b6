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
    await queryPrepared(tx, APPEND_MANY, [
      batch.map(({ id }) => id),
      batch.map(({ userId }) => userId),
      batch.map(({ type }) => type),
      batch.map(({ payload }) => Buffer.from(payload)),
    ]);
  }
}

/** Of at most 64 KiB each. */
const BATCH = 200;
const APPEND_MANY = `INSERT INTO outbox_events (id, user_id, type, payload)
  SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::bytea[])
  RETURNING pg_notify('${OUTBOX_CHANNEL}', '')`;

/** The notification is sent at COMMIT, and once per transaction however many events it appends. */
const APPEND = `INSERT INTO outbox_events (id, user_id, type, payload) VALUES ($1, $2, $3, $4)
  RETURNING pg_notify('${OUTBOX_CHANNEL}', '')`;
