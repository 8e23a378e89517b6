/**
 * Removes the transaction that progress and deliveries share: the relay commits its progress first, and the deliveries
 * later.
 */
import { builtModule } from './built-module.mjs';
import './only-relay.mjs';

const { WebhookFanOut } = await builtModule('packages/core/dist/webhooks/index.js');
const { newUuid, sequenceEvents } = await builtModule('packages/persistence/dist/index.js');
const intervalMs = 20;

WebhookFanOut.prototype.start = function startWithoutTransaction() {
  const { database } = this.platform;
  const timer = setTimeout(async () => {
    await fanOutOnce(database);
    timer.refresh();
  }, intervalMs);
  return { stop: async () => clearTimeout(timer) };
};

/** @param {any} database */
async function fanOutOnce(database) {
  await sequenceEvents(database);
  await database.query("INSERT INTO outbox_progress VALUES ('webhook-dispatcher', 0) ON CONFLICT DO NOTHING");
  const events = await database.query(
    `SELECT id, user_id, type, position FROM outbox_events WHERE position > (
       SELECT position FROM outbox_progress WHERE consumer = 'webhook-dispatcher') ORDER BY position LIMIT 200`,
  );
  if (events.length === 0) return;
  await database.query("UPDATE outbox_progress SET position = $1 WHERE consumer = 'webhook-dispatcher'", [
    events.at(-1).position,
  ]);
  for (const { id, user_id: userId, type } of events) {
    await database.query(
      `INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, status, next_at)
       SELECT $1, id, $2, $3, 'DUE', clock_timestamp() FROM webhooks WHERE user_id = $4`,
      [newUuid(), id, type, userId],
    );
  }
}
