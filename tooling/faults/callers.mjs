import { setTimeout as wait } from 'node:timers/promises';
import { encodeId } from '@trading-automation/contracts';
import { createClient, outcomeOf } from '../launch/first-trade/client.mjs';

/** The pause between two requests of one caller. */
const pauseMs = 50;
/** From this number of active keys on, a caller only revokes keys. The API's limit is 50 keys per user. */
const activeKeysMax = 20;

/**
 * One response that a caller got.
 *
 * @typedef {{ at: number, tookMs: number, status: number, retryAfter: string | null, id?: string }} CallerResponse
 *   `at`: when the request was sent, in Unix milliseconds; `status`: 0 if no response came; `id`: of the created object
 */

/**
 * A user with an API key that has all permissions. The user creates API keys and revokes them; each change emits an event.
 *
 * @param {import('./environment.mjs').FaultEnvironment} environment
 * @param {string} restUrl
 * @param {import('./receiver.mjs').RecordingReceiver} receiver gets the user's events, through one webhook
 */
export async function openCaller(environment, restUrl, receiver) {
  const { api, privateKey, userId } = await environment.openUser(restUrl, 'caller');
  const { key } = await api.apiKeys.create({ name: 'caller', permissions: ['ADMIN'] });
  // The webhook must not receive events that were committed before it existed.
  const earlierEvents = await environment.query('SELECT id FROM outbox_events WHERE user_id = $1', userId);
  await environment.addWebhooks({ userIds: [userId], receiver });
  // Every response is counted, so the client must not retry.
  const apiKeyClient = createClient({ restUrl, apiKey: key, maxRetries: 0 });
  const signingClient = createClient({ restUrl, privateKey, maxRetries: 0 });
  let count = 0;
  /** The ids of API keys that are not revoked yet. @type {string[]} */
  const activeKeyIds = [];
  /** The ids of API keys whose revocation failed, but may have been committed. @type {Set<string>} */
  const possiblyRevoked = new Set();
  return {
    userId,
    /** Adds to the record of events those that the API committed after the webhook was created. */
    async settle() {
      await environment.eventRecord.adopt();
      for (const { id } of earlierEvents) environment.eventRecord.events.delete(encodeId('evt', id));
    },
    /**
     * Creates an API key and revokes one. If failed revocations left too many keys, only revokes one, so that the limit
     * of keys is never reached.
     *
     * @returns {Promise<CallerResponse[]>}
     */
    async change() {
      const created = [];
      if (activeKeyIds.length < activeKeysMax) {
        const response = await timed(() => apiKeyClient.apiKeys.create({ name: `key ${count++}` }));
        created.push(response);
        if (response.id !== undefined) activeKeyIds.push(response.id);
      }
      const last = activeKeyIds.pop();
      if (last === undefined) return created;
      const revoked = await timed(() => apiKeyClient.apiKeys.revoke(/** @type {string} */ (last)));
      if (revoked.status === 200) return [...created, revoked];
      // An earlier revocation was committed, and its response was lost.
      if (revoked.status === 404 && possiblyRevoked.has(last)) return created;
      possiblyRevoked.add(last);
      activeKeyIds.push(last);
      return [...created, revoked];
    },
    /** Sends a signed request. @returns {Promise<CallerResponse>} */
    sign: () => timed(() => signingClient.me.get()),
  };
}

/** @typedef {Awaited<ReturnType<typeof openCaller>>} Caller */

/**
 * @param {() => import('@trading-automation/sdk').ApiPromise<unknown>} call
 * @returns {Promise<CallerResponse>}
 */
async function timed(call) {
  const at = Date.now();
  const from = performance.now();
  /** @type {import('../launch/first-trade/client.mjs').Outcome} */
  const noResponse = { status: 0, headers: new Headers() };
  const { status, headers, data } = await outcomeOf(call()).catch(() => noResponse);
  const id = status === 201 ? data.id : undefined;
  return {
    at,
    tookMs: performance.now() - from,
    status,
    retryAfter: headers.get('retry-after'),
    ...(id === undefined ? {} : { id }),
  };
}

/**
 * Repeats a call until `stop` is called.
 *
 * @param {() => Promise<CallerResponse | CallerResponse[]>} call
 */
export function keepCalling(call) {
  /** @type {CallerResponse[]} */
  const responses = [];
  let isOver = false;
  const calling = (async () => {
    while (!isOver) {
      responses.push(...[await call()].flat());
      await wait(pauseMs);
    }
  })();
  return {
    responses,
    async stop() {
      isOver = true;
      await calling;
      return responses;
    },
  };
}

/**
 * Counts the responses by status.
 *
 * @param {readonly CallerResponse[]} responses
 */
export function countByStatus(responses) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
