/**
 * From events to notifications: at most one for each event.
 *
 * 1. The rows and the relay's progress are one transaction: no event is passed over, none is told of twice.
 * 2. An event has one notification at most, deleted ones included: handed on again it changes nothing.
 * 3. No event stops the relay: one that says too little for its words makes no notification.
 */
import type { EventType } from '@trading-automation/contracts';
import {
  createRelay,
  newUuid,
  type Relay,
  type RelayedEvent,
  type Tx,
} from '@trading-automation/persistence';
import { parse } from 'lossless-json';
import type { Platform } from '../platform.js';
import { type Note, noteOf } from './notification.rules.js';

const CONSUMER = 'notifications';

export class NotificationRelay {
  constructor(private readonly platform: Platform) {}

  /** Makes notifications of events as they come. */
  start(onError: (error: unknown) => void): Pick<Relay, 'stop'> {
    const relay = this.relay(onError);
    relay.start();
    return relay;
  }

  /** Makes notifications of the events that are there now, and returns how many events that were. */
  async drain(): Promise<number> {
    return this.relay(() => undefined).drain();
  }

  private relay(onError: (error: unknown) => void): Relay {
    const { database, listener } = this.platform;
    return createRelay({ dataSource: database, listener, consumer: CONSUMER, handle: tell, onError });
  }
}

async function tell(tx: Tx, events: readonly RelayedEvent[]): Promise<void> {
  const told = events.flatMap((event) => {
    const note = noteOf(event.type as EventType, dataOf(event));
    return note === null ? [] : [{ event, note }];
  });
  if (told.length > 0) await insertNotes(tx, told);
}

/** The record that the event carries, its numbers as text with every digit. */
function dataOf({ payload }: RelayedEvent): Readonly<Record<string, unknown>> {
  const text = Buffer.from(payload).toString();
  const { data } = parse(text, null, (digits) => digits) as { data?: unknown };
  return typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {};
}

async function insertNotes(
  tx: Tx,
  told: readonly { readonly event: RelayedEvent; readonly note: Note }[],
): Promise<void> {
  const notes = told.map(({ note }) => note);
  await tx.query(
    `INSERT INTO notifications
       (id, user_id, event_id, created_at, kind, severity, title, body, resource, resource_id)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[], $5::text[], $6::text[],
       $7::text[], $8::text[], $9::text[], $10::text[])
     ON CONFLICT (event_id) DO NOTHING`,
    [
      told.map(() => newUuid()),
      told.map(({ event }) => event.userId),
      told.map(({ event }) => event.id),
      told.map(({ event }) => event.createdAt),
      told.map(({ event }) => event.type),
      notes.map(({ severity }) => severity),
      notes.map(({ title }) => title),
      notes.map(({ body }) => body),
      notes.map(({ resource }) => resource),
      notes.map(({ resourceId }) => resourceId),
    ],
  );
}
