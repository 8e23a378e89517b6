/**
 * From events to notifications, in the product and by mail: at most one of each for an event.
 *
 * 1. The rows and the relay's progress are one transaction: no event is passed over, none is told of twice.
 * 2. An event has one notification and one mail at most, deleted ones included: handed on again it changes nothing.
 * 3. No event stops the relay: one that says too little for its words makes no notification.
 * 4. Mail goes to a verified address alone, and only as much of it in a day as its topic may have: the rest is in the
 *    product. What happened long ago is no news, and not mailed.
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
import type { Platform } from '../platform/index.js';
import { readRecipients } from './notification.queries.js';
import { isNotable, notificationContentOf } from './notification.rules.js';
import { isMailed, isShown, type NotifiableEvent } from './notification-mail.rules.js';
import { type NotificationTarget, queueNotificationMails } from './queue-notification-mails.js';

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
    return createRelay({ dataSource: database, listener, consumer: CONSUMER, handle: handleEvents, onError });
  }
}

async function handleEvents(tx: Tx, events: readonly RelayedEvent[]): Promise<void> {
  const noted = events.flatMap((event) => {
    const type = event.type as EventType;
    if (!isNotable(type)) return [];
    const data = dataOf(event);
    const content = notificationContentOf(type, data);
    return content === null ? [] : [{ event, type, data, content, happenedAt: event.createdAt }];
  });
  if (noted.length === 0) return;
  const readers = await readRecipients(tx, [...new Set(noted.map(({ event }) => event.userId))]);
  const targets = noted.flatMap((one) => {
    const reader = readers.get(one.event.userId);
    return reader === undefined ? [] : [{ ...one, reader }];
  });
  await insertNotifications(
    tx,
    targets.filter(({ type, reader }) => isShown(type, reader.preferences)),
  );
  await queueNotificationMails(
    tx,
    targets.filter((one) => isRecent(one) && isMailed(one, one.reader.preferences)),
  );
}

const MAILED_WITHIN_MS = 3 * 24 * 3_600_000;

const isRecent = ({ happenedAt }: NotifiableEvent) => Date.now() - happenedAt.getTime() < MAILED_WITHIN_MS;

/** The record that the event carries, its numbers as text with every digit. */
function dataOf({ payload }: RelayedEvent): Readonly<Record<string, unknown>> {
  const text = Buffer.from(payload).toString();
  const { data } = parse(text, null, (digits) => digits) as { data?: unknown };
  return typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {};
}

async function insertNotifications(tx: Tx, told: readonly NotificationTarget[]): Promise<void> {
  if (told.length === 0) return;
  const notes = told.map(({ content }) => content);
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
