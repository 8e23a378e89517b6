/** Reads events from the outbox. Events older than 30 days are treated as absent, even if their rows still exist. */
import {
  DomainError,
  decodeId,
  EVENT_RETENTION_DAYS,
  type EventType,
  encodeId,
} from '@trading-automation/contracts';
import { type Database, sequenceEvents } from '@trading-automation/persistence';

/** The SQL condition that the outbox event `e` is within the retention time. */
export const WITHIN_RETENTION = `e.created_at > now() - interval '${EVENT_RETENTION_DAYS} days'`;
const DAY_MS = 86_400_000;

/** An event that has its position in the outbox. */
export interface SequencedEvent {
  readonly position: bigint;
  readonly userId: string;
  /** The public id. */
  readonly id: string;
  readonly type: EventType;
  readonly payload: Buffer;
}

interface SequencedEventRow {
  readonly position: string;
  readonly user_id: string;
  readonly id: string;
  readonly type: EventType;
  readonly payload: Buffer;
}

function toSequencedEvent({ position, user_id, id, type, payload }: SequencedEventRow): SequencedEvent {
  return { position: BigInt(position), userId: user_id, id: encodeId('evt', id), type, payload };
}

/** A range of positions: after `after`, up to and including `through`. */
export interface PositionRange {
  readonly after: bigint;
  readonly through: bigint;
}

/** Reads the first `limit` events of these users in a position range, in order. */
export async function readSequencedEvents(
  database: Database,
  userIds: readonly string[],
  { after, through }: PositionRange,
  limit: number,
): Promise<SequencedEvent[]> {
  const rows: SequencedEventRow[] = await database.query(
    `SELECT e.position, e.user_id, e.id, e.type, e.payload FROM outbox_events e
     WHERE e.position > $1 AND e.position <= $2 AND e.user_id = ANY ($3) ORDER BY e.position LIMIT ${limit}`,
    [String(after), String(through), userIds],
  );
  return rows.map(toSequencedEvent);
}

const PAGE_EVENTS_MAX = 100;

/**
 * Reads the first events of one user in a position range, at most 100. The page ends with the event that brings the
 * total size of the payloads to `bytesMax` or more.
 */
export async function readPage(
  database: Database,
  userId: string,
  types: readonly EventType[] | null,
  { after, through }: PositionRange,
  bytesMax: number,
): Promise<SequencedEvent[]> {
  const rows: SequencedEventRow[] = await database.query(
    `SELECT position, user_id, id, type, payload FROM (
       SELECT e.position, e.user_id, e.id, e.type, e.payload,
         sum(octet_length(e.payload)) OVER (ORDER BY e.position) - octet_length(e.payload) AS bytes_before
       FROM (
         SELECT e.* FROM outbox_events e
         WHERE e.user_id = $1 AND e.position > $2 AND e.position <= $3 AND ($4::text[] IS NULL OR e.type = ANY ($4))
           AND ${WITHIN_RETENTION}
         ORDER BY e.position LIMIT ${PAGE_EVENTS_MAX}
       ) e
     ) page
     WHERE bytes_before < $5 ORDER BY position`,
    [userId, String(after), String(through), types, bytesMax],
  );
  return rows.map(toSequencedEvent);
}

/**
 * Returns the id of the user's last event up to a position. A new stream starts after this event. For a user without
 * events, returns the nil id.
 */
export async function lastEventId(database: Database, userId: string, through: bigint): Promise<string> {
  const [row] = await database.query(
    'SELECT id FROM outbox_events WHERE user_id = $1 AND position <= $2 ORDER BY position DESC LIMIT 1',
    [userId, String(through)],
  );
  return encodeId('evt', row?.id ?? NIL_UUID);
}

/** The nil id: no event has it, and every event comes after it. */
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/**
 * Returns the position after which a stream resumes if this event is the last one that it received. If the event has
 * expired, that is the position of the user's last expired event.
 *
 * @throws {DomainError} `invalid_query` if the id is malformed, or is not the id of an event of the user
 */
export async function resumePositionOf(database: Database, userId: string, eventId: string): Promise<bigint> {
  const uuid = decodeId('evt', eventId);
  if (uuid === null) throw unknownEvent('last_event_id must be the id of an event.');
  await sequenceEvents(database);
  const [{ position, last_expired }] = await database.query(
    `SELECT (SELECT position FROM outbox_events WHERE id = $2 AND user_id = $1) AS position,
            (SELECT e.position FROM outbox_events e
             WHERE e.user_id = $1 AND NOT (${WITHIN_RETENTION}) AND e.position IS NOT NULL
             ORDER BY e.created_at DESC, e.id DESC LIMIT 1) AS last_expired`,
    [userId, uuid],
  );
  if (position === null && !isOlderThanRetention(uuid))
    throw unknownEvent('No event of yours has this id. Use the id of an event that you received.');
  const [after, lastExpired] = [BigInt(position ?? 0), BigInt(last_expired ?? 0)];
  return after > lastExpired ? after : lastExpired;
}

/** Returns true if the id, a UUIDv7, is older than the retention time, so that its row may have been deleted. */
function isOlderThanRetention(uuid: string): boolean {
  const createdAtMs = Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16);
  return createdAtMs < Date.now() - EVENT_RETENTION_DAYS * DAY_MS;
}

function unknownEvent(message: string): DomainError {
  return new DomainError('invalid_query', undefined, [{ field: 'last_event_id', code: 'invalid', message }]);
}
