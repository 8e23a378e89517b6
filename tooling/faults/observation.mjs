import { setTimeout as wait } from 'node:timers/promises';
import { encodeId } from '@trading-automation/contracts';
import { computeFigures, pairOf } from './reconcile.mjs';

/** The time in which a process on the same machine notices that a connection was closed. */
const noticeMs = 30;

/**
 * Observes one environment: its deliveries in flight, its backlog, and the comparison of events with requests.
 *
 * @param {{
 *   query: import('./webhooks.mjs').Query, eventRecord: import('./event-record.mjs').EventRecord,
 *   webhooks: readonly import('./webhooks.mjs').FaultWebhook[],
 * }} dependencies
 */
export function openObservation({ query, eventRecord, webhooks }) {
  /** @type {Set<string>} */
  const explained = new Set();
  const observation = {
    /**
     * Kills a dispatcher with SIGKILL, and allows duplicates of the deliveries that it had in flight. These are all
     * deliveries with the status SENDING, except requests that the receiver still holds for other dispatchers.
     *
     * @param {import('./service.mjs').FaultService} dispatcher
     * @param {{ inFlight: ReadonlySet<import('./receiver.mjs').Received> }} [receiver] only needed if other dispatchers run
     * @returns {Promise<ReadonlySet<string>>} the pairs (`pairOf`) that it had in flight
     */
    async crash(dispatcher, receiver) {
      await dispatcher.kill('SIGKILL');
      return await observation.allowDuplicatesInFlight(receiver);
    },

    /**
     * Allows duplicates of the deliveries that are being sent now. Call it after a crash.
     *
     * @param {{ inFlight: ReadonlySet<import('./receiver.mjs').Received> }} [receiver] duplicates of requests that it still holds are not allowed
     * @returns {Promise<ReadonlySet<string>>} the pairs (`pairOf`) of these deliveries
     */
    async allowDuplicatesInFlight(receiver) {
      // Waits until the receiver has noticed which connections have ended.
      if (receiver !== undefined) await wait(noticeMs);
      const held = new Set(
        [...(receiver?.inFlight ?? [])].map(({ webhookId, eventId }) => pairOf(webhookId, eventId)),
      );
      const rows = await query(
        "SELECT webhook_id, event_id FROM webhook_deliveries WHERE status = 'SENDING'",
      );
      const pairs = new Set(
        rows
          .map(({ webhook_id: webhook, event_id: event }) =>
            pairOf(encodeId('whk', webhook), encodeId('evt', event)),
          )
          .filter((pair) => !held.has(pair)),
      );
      for (const pair of pairs) explained.add(pair);
      return pairs;
    },

    /**
     * Allows duplicates of these pairs, because the fault can explain them.
     *
     * @param {Iterable<string>} pairs
     */
    allowDuplicates(pairs) {
      for (const pair of pairs) explained.add(pair);
    },

    /** Counts deliveries that are due or being sent, and events that are not fanned out. */
    async backlog() {
      const [row] = await query(BACKLOG);
      return /** @type {{ deliveries: number, events: number }} */ (row);
    },

    /**
     * Waits until everything is fanned out and nothing is due or being sent. Returns false if `withinMs` has passed.
     *
     * @param {{ withinMs: number }} options
     */
    async untilDrained({ withinMs }) {
      const deadline = performance.now() + withinMs;
      for (;;) {
        const left = await observation.backlog().catch(() => undefined);
        if (left?.deliveries === 0 && left.events === 0) return true;
        if (performance.now() > deadline) return false;
        await wait(50);
      }
    },

    /**
     * Compares the committed events with Postgres and with the requests that the receiver got.
     *
     * @param {{ received: readonly import('./reconcile.mjs').Receipt[] }} receiver
     * @returns {Promise<import('./reconcile.mjs').Figures>}
     */
    async reconcile({ received }) {
      const rows = await query(DELIVERIES);
      const deliveries = rows.map((row) => ({
        ...row,
        webhook: encodeId('whk', row.webhook),
        event: encodeId('evt', row.event),
      }));
      return computeFigures({
        events: eventRecord.events.values(),
        webhooks,
        rows: deliveries,
        receipts: received,
        explained,
      });
    },
  };
  return observation;
}

const BACKLOG = `
  SELECT (SELECT count(*)::int FROM webhook_deliveries WHERE status IN ('DUE', 'SENDING')) AS deliveries,
    (SELECT count(*)::int FROM outbox_events WHERE position IS NULL OR position >
       coalesce((SELECT position FROM outbox_progress WHERE consumer = 'webhook-dispatcher'), 0)) AS events`;

const DELIVERIES = `
  SELECT d.webhook_id AS webhook, d.event_id AS event, d.run, d.status, l.id IS NOT NULL AS "hasDeadLetter",
    d.status = 'DUE' AND d.next_at < clock_timestamp()
      OR d.status = 'SENDING' AND d.lease_until < clock_timestamp() AS "isOverdue",
    coalesce(a.next_ats, '{}') AS "nextAts"
  FROM webhook_deliveries d
  LEFT JOIN webhook_dead_letters l ON l.id = d.id
  LEFT JOIN (
    SELECT delivery_id, array_agg((extract(epoch FROM next_attempt_at) * 1000)::float8 ORDER BY attempt) AS next_ats
    FROM webhook_attempts GROUP BY delivery_id) a ON a.delivery_id = d.id`;
