/**
 * Creates the deliveries of events: one for each active webhook of the event's user that subscribes to the event type.
 *
 * 1. The rows and the relay's progress commit in one transaction, so no event is skipped or fanned out twice.
 * 2. The same transaction sends a notification with the ids of due deliveries. It is only a hint: the sweeper finds
 *    deliveries whose notification is lost.
 * 3. Every dispatcher receives the notification; job ids prevent duplicates.
 * 4. In a burst, each webhook's first few deliveries get jobs immediately; the others are parked.
 */
import { type EventType, isSubscribed } from '@trading-automation/contracts';
import { createRelay, type Relay, type RelayedEvent, type Tx } from '@trading-automation/persistence';
import type { Platform } from '../platform/index.js';
import type { DeliveryRef } from './delivery.queries.js';
import {
  insertDeliveries,
  listSubscriptions,
  type NewDelivery,
  notifyDue,
  notifyParked,
  type Subscription,
  subscribeDue,
  subscribeParked,
} from './fan-out.queries.js';

const CONSUMER = 'webhook-dispatcher';

export class WebhookFanOut {
  constructor(private readonly platform: Platform) {}

  /** Starts to fan out new events. */
  start(onError: (error: unknown) => void): Pick<Relay, 'stop'> {
    const { database, listener } = this.platform;
    const relay = createRelay({
      dataSource: database,
      listener,
      consumer: CONSUMER,
      handle: fanOut,
      onError,
    });
    relay.start();
    return relay;
  }

  /** Calls `onDue` with the first attempt of each due delivery that any process committed. */
  subscribe(onDue: (refs: readonly DeliveryRef[]) => void): () => void {
    return subscribeDue(this.platform.listener, (ids) =>
      onDue(ids.map((deliveryId) => ({ deliveryId, attempt: 1 }))),
    );
  }

  /** Calls `onParked` with the ids of the users whose deliveries any process parked and committed. */
  subscribeParked(onParked: (userIds: readonly string[]) => void): () => void {
    return subscribeParked(this.platform.listener, onParked);
  }
}

async function fanOut(tx: Tx, events: readonly RelayedEvent[]): Promise<void> {
  const subscriptions = await listSubscriptions(tx, [...new Set(events.map(({ userId }) => userId))]);
  if (subscriptions.length === 0) return;
  const byUser = new Map<string, Subscription[]>();
  for (const subscription of subscriptions) {
    const { userId } = subscription;
    byUser.set(userId, [...(byUser.get(userId) ?? []), subscription]);
  }
  const inserted = await insertDeliveries(
    tx,
    events.flatMap((event) => deliveriesFor(event, byUser.get(event.userId) ?? [])),
  );
  await notifyDue(
    tx,
    inserted.filter(({ isParked }) => !isParked).map(({ deliveryId }) => deliveryId),
  );
  if (inserted.some(({ isParked }) => isParked)) await notifyParked(tx, [...byUser.keys()]);
}

function deliveriesFor(event: RelayedEvent, subscriptions: readonly Subscription[]): NewDelivery[] {
  const eventType = event.type as EventType;
  return subscriptions
    .filter(({ events }) => isSubscribed(events, eventType))
    .map(({ webhookId, userId }) => ({ webhookId, userId, eventId: event.id, eventType }));
}
