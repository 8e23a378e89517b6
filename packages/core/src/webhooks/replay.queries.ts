/**
 * A past event, owed to one webhook by its owner's wish.
 *
 * 1. Under the webhook's lock, so that runs are numbered one after the other and a deactivation comes before, or finds
 *    what is due.
 * 2. Never beside a run that is still open: the receiver would get the event twice for one wish.
 * 3. An event that was never owed to the webhook begins with run 0, the automatic one: where the fan-out only comes to
 *    it now, one of the two makes the row, and the event is sent once.
 */
import { EVENT_RETENTION_DAYS, type EventType } from '@trading-automation/contracts';
import { newUuid, type Tx } from '@trading-automation/persistence';
import { notifyDue } from './fan-out.queries.js';

/** The kind of a user's event that can still be read; undefined where there is none. */
export async function findEventType(tx: Tx, userId: string, eventId: string): Promise<EventType | undefined> {
  const [row] = await tx.query(
    `SELECT type FROM outbox_events
     WHERE id = $1 AND user_id = $2 AND created_at > now() - interval '${EVENT_RETENTION_DAYS} days'`,
    [eventId, userId],
  );
  return row?.type;
}

/** Whether the owner of a webhook may ask for its deliveries of an event: it is theirs, or was sent there. */
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

/** @returns the run that was begun; undefined where one is open. The caller holds the webhook's lock. */
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

/** The state of the run of an event that is open, or was a moment ago. */
export async function latestRunStatus(tx: Tx, webhookId: string, eventId: string): Promise<string> {
  const [row] = await tx.query(
    `SELECT status FROM webhook_deliveries WHERE webhook_id = $1 AND event_id = $2
     ORDER BY status IN ('DUE', 'SENDING') DESC, run DESC LIMIT 1`,
    [webhookId, eventId],
  );
  return row.status;
}
