import {
  compileSerializer,
  EVENT_PAYLOAD_MAX_BYTES,
  type EventType,
  encodeId,
  type Serializer,
} from '@trading-automation/contracts';
import {
  appendEvent,
  appendEvents,
  newUuid,
  type OutboxEvent,
  type Tx,
} from '@trading-automation/persistence';
import type { z } from 'zod';

export interface EventInput<Schema extends z.ZodType> {
  readonly userId: string;
  readonly type: EventType;
  /** The schema of `record`. It serializes decimals with every digit. */
  readonly schema: Schema;
  readonly record: z.output<Schema>;
}

const serializers = new WeakMap<z.ZodType, Serializer>();

/** Writes an event in the transaction of the change that it reports. Receivers get exactly the bytes that are stored. */
export async function emitEvent<Schema extends z.ZodType>(tx: Tx, event: EventInput<Schema>): Promise<void> {
  await appendEvent(tx, toOutboxEvent(event));
}

/** Writes several events of one change in order, like `emitEvent`. */
export async function emitEvents<Schema extends z.ZodType>(
  tx: Tx,
  events: readonly EventInput<Schema>[],
): Promise<void> {
  await appendEvents(tx, events.map(toOutboxEvent));
}

function toOutboxEvent<Schema extends z.ZodType>({
  userId,
  type,
  schema,
  record,
}: EventInput<Schema>): OutboxEvent {
  const id = newUuid();
  return { id, userId, type, payload: Buffer.from(eventPayload(id, type, schema, record)) };
}

/**
 * Returns the payload of an event as receivers get it. If it exceeds the size limit, halves the longest list or map of
 * the record until it fits.
 */
export function eventPayload<Schema extends z.ZodType>(
  eventId: string,
  type: EventType,
  schema: Schema,
  record: z.output<Schema>,
): string {
  let write = serializers.get(schema);
  if (write === undefined) {
    write = compileSerializer(schema);
    serializers.set(schema, write);
  }
  const timestamp = new Date().toISOString();
  const head = `{"event_id":"${encodeId('evt', eventId)}","type":"${type}","timestamp":"${timestamp}","data":`;
  const whole = `${head}${write(record)}}`;
  if (Buffer.byteLength(whole) <= EVENT_PAYLOAD_MAX_BYTES) return whole;
  let shorter: unknown = record;
  for (;;) {
    shorter = withLongestListHalved(shorter as Record<string, unknown>);
    const truncated = `${head}${write(shorter)},"truncated":true}`;
    if (Buffer.byteLength(truncated) <= EVENT_PAYLOAD_MAX_BYTES) return truncated;
  }
}

/** Halves the longest list or map of the record. @throws {RangeError} if no list or map has two entries left */
function withLongestListHalved(record: Record<string, unknown>): Record<string, unknown> {
  const lists = Object.entries(record)
    .filter((entry): entry is [string, object] => typeof entry[1] === 'object' && entry[1] !== null)
    .map(([name, list]) => ({ name, list, size: Object.keys(list).length }))
    .sort((a, b) => b.size - a.size);
  const [longest] = lists;
  if (longest === undefined || longest.size < 2)
    throw new RangeError('the event is too large and has no list to shorten');
  const { name, list, size } = longest;
  const keptSize = Math.floor(size / 2);
  return {
    ...record,
    [name]: Array.isArray(list)
      ? list.slice(0, keptSize)
      : Object.fromEntries(Object.entries(list).slice(0, keptSize)),
  };
}
