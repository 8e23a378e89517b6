import { createHash } from 'node:crypto';
import { encodeId } from '@trading-automation/contracts';
import { Sealer } from '@trading-automation/core/sealing';
import { newUuid } from '@trading-automation/persistence';

/**
 * @typedef {{ id: string, publicId: string, userId: string, secret: string, url: string, events: readonly string[] }} FaultHook
 *
 * @typedef {(text: string, ...params: unknown[]) => Promise<any[]>} Query
 */

/**
 * Creates webhooks in the database of one environment.
 *
 * @param {{ query: Query, keys: import('../launch/keys.mjs').Keys }} dependencies
 */
export function openHooks({ query, keys }) {
  /** @type {FaultHook[]} */
  const hooks = [];
  return {
    hooks,

    /**
     * Creates users with webhooks, and registers the webhooks with the receiver.
     *
     * @param {{
     *   users?: number, userIds?: readonly string[], perUser?: number, events?: readonly string[],
     *   urlOf?: (index: number) => string,
     *   receiver?: { url: (index: number) => string, trust: (hooks: readonly FaultHook[]) => unknown },
     * }} options `index` counts all webhooks of this environment; `userIds` are existing users, used instead of new ones
     * @returns {Promise<FaultHook[]>} the webhooks that this call created
     */
    async addHooks({ users = 1, userIds, perUser = 1, events = ['*'], receiver, urlOf = receiver?.url }) {
      if (urlOf === undefined) throw new Error('webhooks need a receiver, or urlOf');
      const owners = userIds ?? Array.from({ length: users }, () => newUuid());
      const first = hooks.length;
      const added = owners
        .flatMap((userId) => Array.from({ length: perUser }, () => userId))
        .map((userId, i) => newHook(userId, urlOf(first + i), events));
      await insertHooks(query, await Sealer.for(keys.webhookSealing), added);
      hooks.push(...added);
      await receiver?.trust(added);
      return added;
    },
  };
}

/**
 * @param {string} userId
 * @param {string} url
 * @param {readonly string[]} events
 * @returns {FaultHook}
 */
function newHook(userId, url, events) {
  const id = newUuid();
  const secret = `whsec_${createHash('sha256').update(id).digest('base64')}`;
  return { id, publicId: encodeId('whk', id), userId, secret, url, events };
}

/**
 * @param {Query} query
 * @param {Sealer} sealer
 * @param {readonly FaultHook[]} hooks
 */
async function insertHooks(query, sealer, hooks) {
  const sealed = await Promise.all(hooks.map(({ id, secret }) => sealer.seal(secret, `webhook/${id}`)));
  await query(
    'INSERT INTO users (id) SELECT DISTINCT unnest($1::uuid[]) ON CONFLICT DO NOTHING',
    hooks.map(({ userId }) => userId),
  );
  await query(
    `INSERT INTO webhooks (id, user_id, url, events, description, secret_sealed)
     SELECT id, user_id, url, string_to_array(events, ','), '', sealed
     FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[]) AS t (id, user_id, url, events, sealed)`,
    hooks.map(({ id }) => id),
    hooks.map(({ userId }) => userId),
    hooks.map(({ url }) => url),
    hooks.map(({ events }) => events.join(',')),
    sealed,
  );
}
