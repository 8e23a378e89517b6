import { createHash } from 'node:crypto';
import { encodeId } from '@trading-automation/contracts';
import { Sealer } from '@trading-automation/core/sealing';
import { newUuid } from '@trading-automation/persistence';

/**
 * @typedef {{ id: string, publicId: string, userId: string, secret: string, url: string, events: readonly string[] }} FaultWebhook
 *
 * @typedef {(text: string, ...params: unknown[]) => Promise<any[]>} Query
 */

/**
 * Returns a function that creates webhooks in the database of one environment, and the list of all webhooks that it
 * created.
 *
 * @param {{ query: Query, keys: import('../launch/keys.mjs').Keys }} dependencies
 */
export function createWebhookFactory({ query, keys }) {
  /** @type {FaultWebhook[]} */
  const webhooks = [];
  return {
    webhooks,

    /**
     * Creates users with webhooks, and registers the webhooks with the receiver.
     *
     * @param {{
     *   users?: number, userIds?: readonly string[], perUser?: number, events?: readonly string[],
     *   urlOf?: (index: number) => string,
     *   receiver?: { url: (index: number) => string, addSecrets: (webhooks: readonly FaultWebhook[]) => unknown },
     * }} options `index` counts all webhooks of this environment; `userIds` are existing users, used instead of new ones
     * @returns {Promise<FaultWebhook[]>} the webhooks that this call created
     */
    async addWebhooks({ users = 1, userIds, perUser = 1, events = ['*'], receiver, urlOf = receiver?.url }) {
      if (urlOf === undefined) throw new Error('webhooks need a receiver, or urlOf');
      const owners = userIds ?? Array.from({ length: users }, () => newUuid());
      const first = webhooks.length;
      const added = owners
        .flatMap((userId) => Array.from({ length: perUser }, () => userId))
        .map((userId, i) => newWebhook(userId, urlOf(first + i), events));
      await insertWebhooks(query, await Sealer.for(keys.webhookSealing), added);
      webhooks.push(...added);
      await receiver?.addSecrets(added);
      return added;
    },
  };
}

/**
 * @param {string} userId
 * @param {string} url
 * @param {readonly string[]} events
 * @returns {FaultWebhook}
 */
function newWebhook(userId, url, events) {
  const id = newUuid();
  const secret = `whsec_${createHash('sha256').update(id).digest('base64')}`;
  return { id, publicId: encodeId('whk', id), userId, secret, url, events };
}

/**
 * @param {Query} query
 * @param {Sealer} sealer
 * @param {readonly FaultWebhook[]} webhooks
 */
async function insertWebhooks(query, sealer, webhooks) {
  const sealed = await Promise.all(webhooks.map(({ id, secret }) => sealer.seal(secret, `webhook/${id}`)));
  await query(
    'INSERT INTO users (id) SELECT DISTINCT unnest($1::uuid[]) ON CONFLICT DO NOTHING',
    webhooks.map(({ userId }) => userId),
  );
  await query(
    `INSERT INTO webhooks (id, user_id, url, events, description, secret_sealed)
     SELECT id, user_id, url, string_to_array(events, ','), '', sealed
     FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[]) AS t (id, user_id, url, events, sealed)`,
    webhooks.map(({ id }) => id),
    webhooks.map(({ userId }) => userId),
    webhooks.map(({ url }) => url),
    webhooks.map(({ events }) => events.join(',')),
    sealed,
  );
}
