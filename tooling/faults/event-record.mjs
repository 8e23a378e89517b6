import { setTimeout as wait } from 'node:timers/promises';
import { encodeId } from '@trading-automation/contracts';
import { appendEvents, inTransaction, newUuid } from '@trading-automation/persistence';

/**
 * The committed events, as recorded by their producer. All deliveries are compared with this record.
 *
 * An event is added once Postgres confirmed its commit. If the confirmation is lost, the event is looked up by its id,
 * and written again only if it is missing.
 *
 * @typedef {{ id: string, publicId: string, userId: string, type: string }} CommittedEvent
 */

const retryMs = 100;
const retriesForMs = 120_000;
/** The number of events that `emitMany` writes in one transaction. */
const batchSize = 20;

/** @param {import('@trading-automation/core').Platform} platform */
export function openEventRecord(platform) {
  /** @type {Map<string, CommittedEvent>} */
  const events = new Map();

  /** @param {readonly { id: string, userId: string, type: string, payload: Buffer }[]} batchEvents */
  async function commit(batchEvents) {
    const deadline = performance.now() + retriesForMs;
    for (;;) {
      try {
        if (await isCommitted(batchEvents)) break;
        await inTransaction(platform.database, (tx) => appendEvents(tx, batchEvents));
        break;
      } catch (error) {
        if (performance.now() > deadline) throw error;
        await wait(retryMs);
      }
    }
    for (const { id, userId, type } of batchEvents) add({ id, userId, type });
  }

  /** @param {readonly { id: string }[]} batchEvents the events of one transaction: all are committed, or none */
  async function isCommitted(batchEvents) {
    const rows = await platform.database.query('SELECT 1 FROM outbox_events WHERE id = $1', [
      batchEvents[0]?.id,
    ]);
    return rows.length > 0;
  }

  /** @param {{ id: string, userId: string, type: string }} event */
  function add({ id, userId, type }) {
    const publicId = encodeId('evt', id);
    events.set(publicId, { id, publicId, userId, type });
  }

  return {
    /** The events by their public ids. */
    events,
    /**
     * Commits one event, as the product does.
     *
     * @param {string} userId
     * @param {string} [type]
     * @param {object} [data]
     * @returns {Promise<string>} the UUID of the event
     */
    async emit(userId, type = 'trade.created', data = {}) {
      const event = newEvent(userId, type, data);
      await commit([event]);
      return event.id;
    },
    /**
     * Commits `count` events, for the users in turn.
     *
     * @param {readonly string[]} userIds
     * @param {number} count
     * @param {{ perSecond?: number, type?: string, data?: object, until?: () => boolean }} [options]
     *   `perSecond`: by default, as fast as Postgres allows; `until`: stops early when it returns true
     * @returns {Promise<string[]>} the UUIDs of the events
     */
    async emitMany(userIds, count, { perSecond, type = 'trade.created', data = {}, until } = {}) {
      const startedAt = performance.now();
      /** @type {string[]} */
      const ids = [];
      while (ids.length < count && until?.() !== true) {
        const dueCount =
          perSecond === undefined
            ? batchSize
            : Math.floor(((performance.now() - startedAt) / 1000) * perSecond) + 1 - ids.length;
        const size = Math.min(batchSize, dueCount, count - ids.length);
        if (size > 0) {
          const batchEvents = Array.from({ length: size }, (_, i) =>
            newEvent(/** @type {string} */ (userIds[(ids.length + i) % userIds.length]), type, data),
          );
          await commit(batchEvents);
          ids.push(...batchEvents.map(({ id }) => id));
        } else await wait(Math.min(50, 1000 / /** @type {number} */ (perSecond)));
      }
      return ids;
    },
    /** Adds every event that other processes have committed, for example the API under test. */
    async adopt() {
      const rows = await platform.database.query('SELECT id, user_id AS "userId", type FROM outbox_events');
      for (const row of rows) add(row);
    },
  };
}

/** @typedef {ReturnType<typeof openEventRecord>} EventRecord */

/**
 * @param {string} userId
 * @param {string} type
 * @param {object} data
 */
function newEvent(userId, type, data) {
  const id = newUuid();
  const timestamp = new Date().toISOString();
  const payload = Buffer.from(JSON.stringify({ event_id: encodeId('evt', id), type, timestamp, data }));
  return { id, userId, type, payload };
}
