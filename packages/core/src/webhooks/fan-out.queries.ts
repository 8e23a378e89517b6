/** What webhooks subscribed to, the deliveries that are owed for it, and the news that some are due. */
import type { EventType } from '@trading-automation/contracts';
import { type Listener, newUuid, type Tx } from '@trading-automation/persistence';

export interface Subscription {
  readonly webhookId: string;
  readonly userId: string;
  readonly events: readonly string[];
}

/** The active webhooks of these users. */
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
  readonly eventId: string;
  readonly eventType: EventType;
}

/** One row for each, due now; none where it stands already. @returns the ids of the rows made */
export async function insertDeliveries(tx: Tx, deliveries: readonly NewDelivery[]): Promise<string[]> {
  const rows: { id: string }[] = await tx.query(
    `INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, status, next_at)
     SELECT id, webhook_id, event_id, event_type, 'DUE', clock_timestamp()
     FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[]) AS t (id, webhook_id, event_id, event_type)
     ON CONFLICT (webhook_id, event_id, run) DO NOTHING RETURNING id`,
    [
      deliveries.map(() => newUuid()),
      deliveries.map(({ webhookId }) => webhookId),
      deliveries.map(({ eventId }) => eventId),
      deliveries.map(({ eventType }) => eventType),
    ],
  );
  return rows.map(({ id }) => id);
}

const CHANNEL = 'webhook_deliveries';
/** A notification carries less than 8,000 bytes, an id takes 37. */
const IDS_PER_NOTIFICATION = 200;

/** Tells every dispatcher of deliveries that are due once the transaction stands. A hint: the sweeper needs none. */
export async function notifyDue(tx: Tx, deliveryIds: readonly string[]): Promise<void> {
  for (let start = 0; start < deliveryIds.length; start += IDS_PER_NOTIFICATION) {
    const ids = deliveryIds.slice(start, start + IDS_PER_NOTIFICATION).join(',');
    await tx.query('SELECT pg_notify($1, $2)', [CHANNEL, ids]);
  }
}

/** Calls `onDue` with the ids that {@link notifyDue} tells of, by any process. */
export function subscribeDue(
  listener: Listener,
  onDue: (deliveryIds: readonly string[]) => void,
): () => void {
  return listener.subscribe(CHANNEL, (payload) => {
    if (payload !== undefined && payload !== '') onDue(payload.split(','));
  });
}
