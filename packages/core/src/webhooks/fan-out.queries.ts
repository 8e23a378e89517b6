/** Reads the subscriptions of webhooks, inserts deliveries, and notifies dispatchers of them. */
import type { EventType } from '@trading-automation/contracts';
import { type Listener, newUuid, queryPrepared, type Tx } from '@trading-automation/persistence';
import { DELIVERY_LIMITS } from './delivery.rules.js';

export interface Subscription {
  readonly webhookId: string;
  readonly userId: string;
  readonly events: readonly string[];
}

/** Returns the active webhooks of these users. */
export async function listSubscriptions(
  tx: Tx,
  userIds: readonly string[],
): Promise<readonly Subscription[]> {
  return tx.query(
    `SELECT id AS "webhookId", user_id AS "userId", events FROM webhooks
     WHERE user_id = ANY($1) AND is_active AND deleted_at IS NULL`,
    [userIds],
  );
}

export interface NewDelivery {
  readonly webhookId: string;
  readonly userId: string;
  readonly eventId: string;
  readonly eventType: EventType;
}

export interface InsertedDelivery {
  readonly deliveryId: string;
  /** Whether the delivery is parked: it must not get a job until older deliveries have been sent. */
  readonly isParked: boolean;
}

/**
 * The number of deliveries of one transaction that get a job immediately, per webhook and per user. The others are
 * inserted as parked. If they also got jobs, these jobs could only park them.
 */
const { perWebhookMax, perUserMax } = DELIVERY_LIMITS;

/**
 * Inserts the deliveries, due now; skips existing ones. Deliveries beyond the limits of their webhook or user
 * are parked.
 */
export async function insertDeliveries(
  tx: Tx,
  deliveries: readonly NewDelivery[],
): Promise<readonly InsertedDelivery[]> {
  return queryPrepared<InsertedDelivery & Record<string, unknown>>(tx, INSERT, [
    deliveries.map(() => newUuid()),
    deliveries.map(({ webhookId }) => webhookId),
    deliveries.map(({ eventId }) => eventId),
    deliveries.map(({ eventType }) => eventType),
    deliveries.map(({ userId }) => userId),
  ]);
}

const INSERT = `
  WITH new_deliveries AS (
    SELECT id, webhook_id, event_id, event_type, user_id, place,
      row_number() OVER (PARTITION BY webhook_id ORDER BY place) AS place_in_webhook
    FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::uuid[]) WITH ORDINALITY
      AS new_deliveries (id, webhook_id, event_id, event_type, user_id, place)
  ), full_webhooks AS MATERIALIZED (
    SELECT webhook_id FROM (SELECT DISTINCT webhook_id FROM new_deliveries) AS hooks
    WHERE (SELECT count(*) FROM (
      SELECT FROM webhook_deliveries d WHERE d.webhook_id = hooks.webhook_id AND d.status = 'DUE'
      UNION ALL
      SELECT FROM webhook_deliveries d WHERE d.webhook_id = hooks.webhook_id AND d.status = 'SENDING'
      LIMIT ${perWebhookMax}) AS open) >= ${perWebhookMax}
  )
  INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, status, next_at, is_parked)
  SELECT id, webhook_id, event_id, event_type, 'DUE', clock_timestamp(),
    place_in_webhook > ${perWebhookMax} OR webhook_id IN (SELECT webhook_id FROM full_webhooks)
      OR row_number() OVER (PARTITION BY user_id ORDER BY place_in_webhook, place) > ${perUserMax}
  FROM new_deliveries ORDER BY place
  ON CONFLICT (webhook_id, event_id, run) DO NOTHING RETURNING id AS "deliveryId", is_parked AS "isParked"`;

const CHANNEL = 'webhook_deliveries';
/** A notification holds less than 8,000 bytes; an id takes 37. */
const IDS_PER_NOTIFICATION = 200;

/**
 * Notifies every dispatcher of due deliveries once the transaction commits. The notification is only a hint: the
 * sweeper finds due deliveries without it.
 */
export async function notifyDue(tx: Tx, deliveryIds: readonly string[]): Promise<void> {
  for (let start = 0; start < deliveryIds.length; start += IDS_PER_NOTIFICATION) {
    const ids = deliveryIds.slice(start, start + IDS_PER_NOTIFICATION).join(',');
    await tx.query('SELECT pg_notify($1, $2)', [CHANNEL, ids]);
  }
}

/** Calls `onDue` with the ids that any process passes to {@link notifyDue}. */
export function subscribeDue(
  listener: Listener,
  onDue: (deliveryIds: readonly string[]) => void,
): () => void {
  return listener.subscribe(CHANNEL, (payload) => {
    if (payload !== undefined && payload !== '') onDue(payload.split(','));
  });
}

const PARKED_CHANNEL = 'webhook_deliveries_parked';

/**
 * Reports to every dispatcher which users have parked deliveries, once the transaction commits. By then there may be
 * capacity for these deliveries.
 */
export async function notifyParked(tx: Tx, userIds: readonly string[]): Promise<void> {
  for (let start = 0; start < userIds.length; start += IDS_PER_NOTIFICATION) {
    const ids = userIds.slice(start, start + IDS_PER_NOTIFICATION).join(',');
    await tx.query('SELECT pg_notify($1, $2)', [PARKED_CHANNEL, ids]);
  }
}

/** Calls `onParked` with the user ids that any process passes to {@link notifyParked}. */
export function subscribeParked(
  listener: Listener,
  onParked: (userIds: readonly string[]) => void,
): () => void {
  return listener.subscribe(PARKED_CHANNEL, (payload) => {
    if (payload !== undefined && payload !== '') onParked(payload.split(','));
  });
}
