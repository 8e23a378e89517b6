import { setTimeout as wait } from 'node:timers/promises';
import { encodeId } from '@trading-automation/contracts';
import { createClient, outcomeOf } from '../launch/first-trade/client.mjs';
import { freePort } from '../launch/ports.mjs';
import { openFaultEnvironment } from './environment.mjs';
import { openRecordingReceiver } from './receiver.mjs';
import { findViolations } from './reconcile.mjs';

/**
 * Clients create objects continuously and repeat every request that got no response. The API is killed repeatedly,
 * always between a commit and its response, so the client cannot know whether the object was created.
 */

/** @type {['READ']} */
const permissions = ['READ'];
/** A user may have 50 API keys. The first of them creates the others. */
const perUserMax = 49;
const retryMs = 25;

/** @type {import('./environment.mjs').Fault} */
export const fault = {
  id: 'F1',
  title: '`kill -9` of the API between commit and response',
  target: 'lost 0; each request repeated with its Idempotency-Key created exactly one object',
  defence: 'the Idempotency-Key',
  sizes: {
    short: { kills: 1, users: 3, perUser: 15, commits: [5, 25] },
    long: { kills: 50, users: 205, perUser: perUserMax, commits: [20, 300] },
  },

  async run({ size, seed, isDefended, print }) {
    const receiver = await openRecordingReceiver();
    const environment = await openFaultEnvironment({ seed });
    try {
      const port = await freePort();
      const writers = await openWriters({ environment, receiver, port, count: size.users });
      const dispatcher = environment.startDispatcher();
      const killed = killAfterCommits({ environment, port, size });
      const reported = await Promise.all(writers.map((writer) => writeAll(writer, size.perUser, isDefended)));
      const kills = await killed;
      await dispatcher;
      print(`${reported.flat().length} objects requested, ${kills} kills`);
      await environment.eventRecord.adopt();
      await environment.untilDrained({ withinMs: 60_000 });
      const figures = await environment.reconcile(receiver);
      const objects = await countObjects(environment, reported.flat());
      const violations = findViolations(figures);
      if (objects.more > 0) violations.push(`${objects.more} requests created more than one object`);
      if (objects.none > 0)
        violations.push(
          `${objects.none} requests created no object, or another object than the response named`,
        );
      if (kills < size.kills) violations.push(`only ${kills} kills`);
      return { figures: { ...figures, kills, ...objects }, violations };
    } finally {
      await environment.close();
      await receiver.close();
    }
  },
};

/**
 * @typedef {{ userId: string, api: import('@trading-automation/sdk').Client }} Writer
 *
 * @param {{
 *   environment: import('./environment.mjs').FaultEnvironment, receiver: import('./receiver.mjs').RecordingReceiver,
 *   port: number, count: number,
 * }} options
 * @returns {Promise<Writer[]>} users with one webhook each, which receives an event for every API key, including the first
 */
async function openWriters({ environment, receiver, port, count }) {
  const api = await environment.startApi({ port });
  const writers = [];
  for (let i = 0; i < count; i++) {
    const user = await environment.openUser(api.url, `writer ${i}`);
    await environment.addWebhooks({ userIds: [user.userId], events: ['key.created'], receiver });
    const { key } = await user.api.apiKeys.create({ name: 'writer', permissions: ['ADMIN'] });
    // The SDK must not retry: `write` decides when to repeat a request, and with which Idempotency-Key.
    const apiWithoutRetries = createClient({ restUrl: api.url, apiKey: key, maxRetries: 0 });
    writers.push({ userId: user.userId, api: apiWithoutRetries });
  }
  await api.kill('SIGTERM');
  return writers;
}

/**
 * Starts the API repeatedly. Each process kills itself after a random number of commits; the last one keeps running.
 *
 * @param {{ environment: import('./environment.mjs').FaultEnvironment, port: number, size: any }} options
 */
async function killAfterCommits({ environment, port, size }) {
  let kills = 0;
  while (kills < size.kills) {
    const commits = Math.floor(environment.random.between(size.commits[0], size.commits[1]));
    const api = await environment.startApi({
      port,
      settings: { DIE_AFTER_COMMITS: String(commits) },
      sabotage: 'die-after-commit',
    });
    const { signal } = await api.ended;
    if (signal === 'SIGKILL') kills++;
  }
  await environment.startApi({ port });
  return kills;
}

/**
 * @param {Writer} writer
 * @param {number} count
 * @param {boolean} isIdempotent
 * @returns {Promise<{ userId: string, name: string, id: string }[]>} the objects that the API reported as created
 */
async function writeAll({ userId, api }, count, isIdempotent) {
  const created = [];
  for (let i = 0; i < count; i++) {
    const name = `object ${i}`;
    const id = await write(api, name, isIdempotent ? { idempotencyKey: name } : {});
    created.push({ userId, name, id });
  }
  return created;
}

/**
 * @param {Writer['api']} api
 * @param {string} name
 * @param {{ idempotencyKey?: string }} options without it, each repeated request gets a new key
 * @returns {Promise<string>} the id, once the API has confirmed the creation
 */
async function write(api, name, options) {
  for (;;) {
    const outcome = await outcomeOf(api.apiKeys.create({ name, permissions }, options)).catch(
      () => undefined,
    );
    if (outcome?.status === 201) return outcome.data.id;
    const isTransient = outcome === undefined || outcome.status === 503 || outcome.status === 409;
    if (!isTransient) throw new Error(`${outcome.status} ${outcome.code}`);
    await wait(retryMs);
  }
}

/**
 * Compares the objects that the API reported as created with the stored ones. Every request of a user has another name,
 * so two stored objects of one user with the same name come from one request.
 *
 * @param {import('./environment.mjs').FaultEnvironment} environment
 * @param {readonly { userId: string, name: string, id: string }[]} reported
 */
async function countObjects(environment, reported) {
  const rows = await environment.query(
    'SELECT user_id AS "userId", name, array_agg(id::text) AS ids FROM api_keys GROUP BY 1, 2',
  );
  /** @type {Map<string, string[]>} */
  const created = new Map(rows.map(({ userId, name, ids }) => [`${userId} ${name}`, ids]));
  const compared = reported.map(({ userId, name, id }) => ({
    id,
    ids: created.get(`${userId} ${name}`) ?? [],
  }));
  return {
    objects: reported.length,
    more: compared.filter(({ ids }) => ids.length > 1).length,
    none: compared.filter(({ id, ids }) => !ids.some((uuid) => encodeId('key', uuid) === id)).length,
  };
}
