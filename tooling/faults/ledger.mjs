import { setTimeout as wait } from 'node:timers/promises';
import { encodeId } from '@trading-automation/contracts';
import { appendEvents, inTransaction, newUuid } from '@trading-automation/persistence';

/**
 * The committed events, as recorded by their producer. All deliveries are compared with this ledger.
 *
 * An event is added once Postgres confirmed its commit. If that response is lost, the event is looked up by its id and
 * written again only if it is missing.
 *
 * @typedef {{ id: string, publicId: string, userId: string, type: string }} LedgerEvent
 */

const retryMs = 100;
const retriesForMs = 120_000;
/** How many events of a crowd are written in one transaction. */
const batch = 20;

/** @param {import('@trading-automation/core').Platform} platform */
export function openLedger(platform) {
  /** @type {Map<string, LedgerEvent>} */
  const events = new Map();

  /** @param {readonly { id: string, userId: string, type: string, payload: Buffer }[]} written */
  async function commit(written) {
    const deadline = performance.now() + retriesForMs;
    for (;;) {
      try {
        if (await isCommitted(written)) break;
        await inTransaction(platform.database, (tx) => appendEvents(tx, written));
        break;
      } catch (error) {
        if (performance.now() > deadline) throw error;
        await wait(retryMs);
      }
    }
    for (const { id, userId, type } of written) add({ id, userId, type });
  }

  /** @param {readonly { id: string }[]} written all of one transaction */
  async function isCommitted(written) {
    const rows = await platform.database.query('SELECT 1 FROM outbox_events WHERE id = $1', [written[0]?.id]);
    return rows.length > 0;
  }

  /** @param {{ id: string, userId: string, type: string }} event */
  function add({ id, userId, type }) {
    const publicId = encodeId('evt', id);
    events.set(publicId, { id, publicId, userId, type });
  }

  return {
    /** By their public ids. */
    events,
    /**
     * Commits one event, as the product does.
     *
     * @param {string} userId
     * @param {string} [type]
     * @param {object} [data]
     * @returns {Promise<string>} its uuid
     */
    async emit(userId, type = 'trade.created', data = {}) {
      const event = newEvent(userId, type, data);
      await commit([event]);
      return event.id;
    },
    /**
     * Commits so many events, of these users in turn.
     *
     * @param {readonly string[]} userIds
     * @param {number} count
     * @param {{ perSecond?: number, type?: string, data?: object, until?: () => boolean }} [options]
     *   as fast as Postgres takes them unless `perSecond` is given; ends early where `until` says so
     * @returns {Promise<string[]>} their uuids
     */
    async emitMany(userIds, count, { perSecond, type = 'trade.created', data = {}, until } = {}) {
      const startedAt = performance.now();
      /** @type {string[]} */
      const ids = [];
      while (ids.length < count && until?.() !== true) {
        const due =
          perSecond === undefined
            ? batch
            : Math.floor(((performance.now() - startedAt) / 1000) * perSecond) + 1 - ids.length;
        const size = Math.min(batch, due, count - ids.length);
        if (size > 0) {
          const written = Array.from({ length: size }, (_, i) =>
            newEvent(/** @type {string} */ (userIds[(ids.length + i) % userIds.length]), type, data),
          );
          await commit(written);
          ids.push(...written.map(({ id }) => id));
        } else await wait(Math.min(50, 1000 / /** @type {number} */ (perSecond)));
      }
      return ids;
    },
    /** Takes over every event that others have committed: those of an API under test. */
    async adopt() {
      const rows = await platform.database.query('SELECT id, user_id AS "userId", type FROM outbox_events');
      for (const row of rows) add(row);
    },
  };
}

/** @typedef {ReturnType<typeof openLedger>} Ledger */

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
