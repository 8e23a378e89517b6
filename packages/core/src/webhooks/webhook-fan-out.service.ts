/**
 * From events to what is owed: one delivery for each active webhook of the event's user that subscribed to its kind.
 *
 * 1. The rows and the relay's progress are one transaction: no event is passed over, none is fanned out twice.
 * 2. The news that rows are due travels in the same transaction's notification, ids alone. It is a hint: what is
 *    missed is found by the sweeper.
 * 3. Every dispatcher hears it; a job's id tells that it is there already.
 * 4. Of a burst, each webhook's first few get jobs at once; the others are parked behind them.
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

  /** Fans events out as they come. */
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

  /** Calls `onDue` with the first attempts of deliveries that were committed just now, by any process. */
  subscribe(onDue: (refs: readonly DeliveryRef[]) => void): () => void {
    return subscribeDue(this.platform.listener, (ids) =>
      onDue(ids.map((deliveryId) => ({ deliveryId, attempt: 1 }))),
    );
  }

  /** Calls `onParked` with users for whom more was committed just now than may be in flight, by any process. */
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
  const owed = await insertDeliveries(
    tx,
    events.flatMap((event) => deliveriesFor(event, byUser.get(event.userId) ?? [])),
  );
  await notifyDue(
    tx,
    owed.filter(({ isParked }) => !isParked).map(({ deliveryId }) => deliveryId),
  );
  if (owed.some(({ isParked }) => isParked)) await notifyParked(tx, [...byUser.keys()]);
}

function deliveriesFor(event: RelayedEvent, subscriptions: readonly Subscription[]): NewDelivery[] {
  const eventType = event.type as EventType;
  return subscriptions
    .filter(({ events }) => isSubscribed(events, eventType))
    .map(({ webhookId, userId }) => ({ webhookId, userId, eventId: event.id, eventType }));
}
