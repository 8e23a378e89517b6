import { setTimeout as wait } from 'node:timers/promises';
import { encodeId } from '@trading-automation/contracts';
import { pairOf, reckon } from './reconcile.mjs';

/** Until the end of a connection is noticed at its other side, on one machine. */
const hearMs = 30;

/**
 * What can be seen of one world from outside: what is in flight, what is left, and the reckoning.
 *
 * @param {{
 *   query: import('./hooks.mjs').Query, ledger: import('./ledger.mjs').Ledger,
 *   hooks: readonly import('./hooks.mjs').FaultHook[],
 * }} parts
 */
export function openObservation({ query, ledger, hooks }) {
  /** @type {Set<string>} */
  const excused = new Set();
  const observation = {
    /**
     * `kill -9` of a dispatcher. What it had in flight may come twice: what Postgres says is being sent, without what
     * the receiver still holds, which is that of the living.
     *
     * @param {import('./service.mjs').FaultService} dispatcher
     * @param {{ inFlight: ReadonlySet<import('./receiver.mjs').Received> }} [receiver] only needed beside other dispatchers
     * @returns {Promise<ReadonlySet<string>>} the pairs (`pairOf`) that it had in flight
     */
    async crash(dispatcher, receiver) {
      await dispatcher.kill('SIGKILL');
      return await observation.excuseInFlight(receiver);
    },

    /**
     * Notes what is being sent now: after a crash of any part of it, those may come twice.
     *
     * @param {{ inFlight: ReadonlySet<import('./receiver.mjs').Received> }} [but] what it still holds is not meant
     * @returns {Promise<ReadonlySet<string>>} those pairs
     */
    async excuseInFlight(but) {
      // The receiver must notice the connections that ended.
      if (but !== undefined) await wait(hearMs);
      const held = new Set(
        [...(but?.inFlight ?? [])].map(({ webhookId, eventId }) => pairOf(webhookId, eventId)),
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
      for (const pair of pairs) excused.add(pair);
      return pairs;
    },

    /**
     * These may come twice, for a reason that the fault knows.
     *
     * @param {Iterable<string>} pairs
     */
    excuse(pairs) {
      for (const pair of pairs) excused.add(pair);
    },

    /** Deliveries that are owed still, and events that are not fanned out. */
    async backlog() {
      const [row] = await query(BACKLOG);
      return /** @type {{ deliveries: number, events: number }} */ (row);
    },

    /**
     * Whether everything is fanned out and nothing is due or being sent, at the latest in so many milliseconds.
     *
     * @param {{ withinMs: number }} options
     */
    async drained({ withinMs }) {
      const deadline = performance.now() + withinMs;
      for (;;) {
        const left = await observation.backlog().catch(() => undefined);
        if (left?.deliveries === 0 && left.events === 0) return true;
        if (performance.now() > deadline) return false;
        await wait(50);
      }
    },

    /**
     * The ledger of what was committed against Postgres and against what came.
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
      return reckon({ events: ledger.events.values(), hooks, rows: deliveries, receipts: received, excused });
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
