import { setTimeout as wait } from 'node:timers/promises';
import { encodeId } from '@trading-automation/contracts';
import { createClient, outcomeOf } from '../launch/first-trade/client.mjs';

/** Between two requests of one caller. */
const pauseMs = 50;

/**
 * What a caller was answered over a time.
 *
 * @typedef {{ at: number, tookMs: number, status: number, retryAfter: string | null, id?: string }} Answered
 *   `at` in Unix milliseconds, when it was sent; status 0 where no answer came at all; `id` of what was made
 */

/**
 * A user of an API with a key of all permissions, whose changes make events: it makes keys and revokes them again.
 *
 * @param {import('./world.mjs').FaultWorld} world
 * @param {string} restUrl
 * @param {import('./receiver.mjs').LedgerReceiver} receiver where its events go, to one webhook
 */
export async function openCaller(world, restUrl, receiver) {
  const { api, privateKey, userId } = await world.openUser(restUrl, 'caller');
  const { key } = await api.apiKeys.create({ name: 'caller', permissions: ['ADMIN'] });
  // What was committed before there was a webhook is owed to none.
  const before = await world.query('SELECT id FROM outbox_events WHERE user_id = $1', userId);
  await world.addHooks({ userIds: [userId], receiver });
  // Each answer counts, and each refusal: nothing is tried again.
  const keyed = createClient({ restUrl, apiKey: key, maxRetries: 0 });
  const signing = createClient({ restUrl, privateKey, maxRetries: 0 });
  let count = 0;
  /** Keys that are to be revoked. @type {string[]} */
  const kept = [];
  /** Those of them that were requested without success. @type {Set<string>} */
  const doubtful = new Set();
  return {
    userId,
    /** Takes what it has committed into the ledger. */
    async settle() {
      await world.ledger.adopt();
      for (const { id } of before) world.ledger.events.delete(encodeId('evt', id));
    },
    /** Makes a key and revokes one, so that they never become too many. @returns {Promise<Answered[]>} */
    async change() {
      const made = await timed(() => keyed.apiKeys.create({ name: `key ${count++}` }));
      if (made.id !== undefined) kept.push(made.id);
      const last = kept.pop();
      if (last === undefined) return [made];
      const revoked = await timed(() => keyed.apiKeys.revoke(/** @type {string} */ (last)));
      if (revoked.status === 200) return [made, revoked];
      // Where it was revoked before and the answer was lost, it is no more.
      if (revoked.status === 404 && doubtful.has(last)) return [made];
      doubtful.add(last);
      kept.push(last);
      return [made, revoked];
    },
    /** A signed request. @returns {Promise<Answered>} */
    sign: () => timed(() => signing.me.get()),
  };
}

/** @typedef {Awaited<ReturnType<typeof openCaller>>} Caller */

/**
 * @param {() => import('@trading-automation/sdk').ApiPromise<unknown>} call
 * @returns {Promise<Answered>}
 */
async function timed(call) {
  const at = Date.now();
  const from = performance.now();
  /** @type {import('../launch/first-trade/client.mjs').Outcome} */
  const unanswered = { status: 0, headers: new Headers() };
  const { status, headers, data } = await outcomeOf(call()).catch(() => unanswered);
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
 * Runs a caller until it is stopped.
 *
 * @param {() => Promise<Answered | Answered[]>} call
 */
export function keepCalling(call) {
  /** @type {Answered[]} */
  const answered = [];
  let isOver = false;
  const calling = (async () => {
    while (!isOver) {
      answered.push(...[await call()].flat());
      await wait(pauseMs);
    }
  })();
  return {
    answered,
    async stop() {
      isOver = true;
      await calling;
      return answered;
    },
  };
}

/**
 * How many answers of each status.
 *
 * @param {readonly Answered[]} answered
 */
export function statuses(answered) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const { status } of answered) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
