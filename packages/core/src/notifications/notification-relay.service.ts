/**
 * Creates the notifications of events, in the product and by mail.
 *
 * 1. The rows and the relay's progress commit in one transaction, so no event is skipped or reported twice.
 * 2. An event has at most one notification and one mail. Handling it again changes nothing, even if the user has
 *    deleted its notification.
 * 3. An event without the necessary data creates no notification and does not stop the relay.
 * 4. Mail goes only to a verified address, within the daily allowance of its topic. Events older than three days are
 *    not mailed. A notification that is not mailed is still shown in the product.
 */
import type { EventType } from '@trading-automation/contracts';
import {
  createRelay,
  insertMany,
  newUuid,
  type Relay,
  type RelayedEvent,
  type Tx,
} from '@trading-automation/persistence';
import { parse } from 'lossless-json';
import type { Platform } from '../platform/index.js';
import { NotificationEntity } from './notification.entity.js';
import { readRecipients } from './notification.queries.js';
import { isNotable, notificationContentOf } from './notification.rules.js';
import { isMailed, isShown, type NotifiableEvent } from './notification-mail.rules.js';
import { type NotificationTarget, queueNotificationMails } from './queue-notification-mails.js';

const CONSUMER = 'notifications';

export class NotificationRelay {
  constructor(private readonly platform: Platform) {}

  /** Starts to create notifications for new events. */
  start(onError: (error: unknown) => void): Pick<Relay, 'stop'> {
    const relay = this.relay(onError);
    relay.start();
    return relay;
  }

  /** Creates notifications for all events that are not relayed yet, and returns the number of these events. */
  async drain(): Promise<number> {
    return this.relay(() => undefined).drain();
  }

  private relay(onError: (error: unknown) => void): Relay {
    const { database, listener } = this.platform;
    return createRelay({ dataSource: database, listener, consumer: CONSUMER, handle: handleEvents, onError });
  }
}

async function handleEvents(tx: Tx, events: readonly RelayedEvent[]): Promise<void> {
  const notable = events.flatMap((event) => {
    const type = event.type as EventType;
    if (!isNotable(type)) return [];
    const data = dataOf(event);
    const content = notificationContentOf(type, data);
    return content === null ? [] : [{ event, type, data, content, happenedAt: event.createdAt }];
  });
  if (notable.length === 0) return;
  const recipients = await readRecipients(tx, [...new Set(notable.map(({ event }) => event.userId))]);
  const targets = notable.flatMap((notification) => {
    const recipient = recipients.get(notification.event.userId);
    return recipient === undefined ? [] : [{ ...notification, recipient }];
  });
  await insertNotifications(
    tx,
    targets.filter(({ type, recipient }) => isShown(type, recipient.preferences)),
  );
  await queueNotificationMails(
    tx,
    targets.filter((target) => isRecent(target) && isMailed(target, target.recipient.preferences)),
  );
}

const MAILED_WITHIN_MS = 3 * 24 * 3_600_000;

const isRecent = ({ happenedAt }: NotifiableEvent) => Date.now() - happenedAt.getTime() < MAILED_WITHIN_MS;

/** Returns the record of the event. Numbers are parsed as strings, so that they keep every digit. */
function dataOf({ payload }: RelayedEvent): Readonly<Record<string, unknown>> {
  const text = Buffer.from(payload).toString();
  const { data } = parse(text, null, (digits) => digits) as { data?: unknown };
  return typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {};
}

async function insertNotifications(tx: Tx, targets: readonly NotificationTarget[]): Promise<void> {
  await insertMany(
    tx,
    NotificationEntity,
    targets.map(({ event, type, content }) => ({
      id: newUuid(),
      userId: event.userId,
      eventId: event.id,
      createdAt: event.createdAt,
      kind: type,
      severity: content.severity,
      title: content.title,
      body: content.body,
      resource: content.resource,
      resourceId: content.resourceId,
    })),
    { skipConflictsOn: ['eventId'] },
  );
}
