/**
 * Replays a past event to one webhook, on request of its owner.
 *
 * 1. The caller holds the webhook's lock, so that runs are numbered serially and a concurrent deactivation cannot
 *    miss the new delivery.
 * 2. A replay never runs concurrently with another run of the event: otherwise the receiver would get the event
 *    twice for one request.
 * 3. An event that was never due to the webhook starts with run 0, like an automatic delivery. If the fan-out handles the
 *    event concurrently, only one of the two inserts the row, and the event is sent once.
 */
import { EVENT_RETENTION_DAYS, type EventType } from '@trading-automation/contracts';
import { newUuid, type Tx } from '@trading-automation/persistence';
import { notifyDue } from './fan-out.queries.js';

/** Returns the type of a user's event within the retention time; undefined if it does not exist. */
export async function findEventType(tx: Tx, userId: string, eventId: string): Promise<EventType | undefined> {
  const [row] = await tx.query(
    `SELECT type FROM outbox_events
     WHERE id = $1 AND user_id = $2 AND created_at > now() - interval '${EVENT_RETENTION_DAYS} days'`,
    [eventId, userId],
  );
  return row?.type;
}

/** Returns whether the event belongs to the webhook's owner or has a delivery to the webhook. */
export async function isKnownEvent(
  tx: Tx,
  webhook: { readonly id: string; readonly userId: string },
  eventId: string,
): Promise<boolean> {
  const [{ known }] = await tx.query(
    `SELECT EXISTS (SELECT FROM webhook_deliveries WHERE webhook_id = $1 AND event_id = $3)
       OR EXISTS (SELECT FROM outbox_events WHERE id = $3 AND user_id = $2) AS known`,
    [webhook.id, webhook.userId, eventId],
  );
  return known;
}

/**
 * Inserts the next run of the event. @returns the number of the run; undefined if a run is open. The caller holds the
 * webhook's lock.
 */
export async function replayEvent(
  tx: Tx,
  webhookId: string,
  event: { readonly id: string; readonly type: EventType },
): Promise<number | undefined> {
  const [row]: ({ id: string; run: number } | undefined)[] = await tx.query(
    `INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, run, status, next_at)
     SELECT $1, $2, $3, $4,
       coalesce((SELECT max(run) + 1 FROM webhook_deliveries WHERE webhook_id = $2 AND event_id = $3), 0),
       'DUE', clock_timestamp()
     WHERE NOT EXISTS (SELECT FROM webhook_deliveries
                       WHERE webhook_id = $2 AND event_id = $3 AND status IN ('DUE', 'SENDING'))
     ON CONFLICT (webhook_id, event_id, run) DO NOTHING RETURNING id, run`,
    [newUuid(), webhookId, event.id, event.type],
  );
  if (row === undefined) return undefined;
  await notifyDue(tx, [row.id]);
  return row.run;
}

/** Returns the status of the event's open run, or of its latest run if none is open. */
export async function latestRunStatus(tx: Tx, webhookId: string, eventId: string): Promise<string> {
  const [row] = await tx.query(
    `SELECT status FROM webhook_deliveries WHERE webhook_id = $1 AND event_id = $2
     ORDER BY status IN ('DUE', 'SENDING') DESC, run DESC LIMIT 1`,
    [webhookId, eventId],
  );
  return row.status;
}
