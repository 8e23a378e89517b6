import { setTimeout as wait } from 'node:timers/promises';
import { encodeId } from '@trading-automation/contracts';
import { createClient, outcomeOf } from '../launch/first-trade/client.mjs';
import { freePort } from '../launch/ports.mjs';
import { openLedgerReceiver } from './receiver.mjs';
import { wrongsOf } from './reconcile.mjs';
import { openFaultWorld } from './world.mjs';

/**
 * Clients create objects without pause and repeat whatever got no answer. The API is killed again and again, always
 * after a commit and before its answer: the client of that one can't know.
 */

/** @type {['READ']} */
const permissions = ['READ'];
/** A user may have 50 API keys; the first is the one that creates the others. */
const perUserMax = 49;
const retryMs = 25;

/** @type {import('./world.mjs').Fault} */
export const fault = {
  id: 'F1',
  title: '`kill -9` of the API between commit and answer',
  target: 'lost 0; each request that is repeated with its Idempotency-Key made exactly one object',
  defence: 'the Idempotency-Key',
  sizes: {
    short: { kills: 1, users: 3, perUser: 15, commits: [5, 25] },
    long: { kills: 50, users: 205, perUser: perUserMax, commits: [20, 300] },
  },

  async run({ size, seed, isDefended, say }) {
    const receiver = await openLedgerReceiver();
    const world = await openFaultWorld({ seed });
    try {
      const port = await freePort();
      const writers = await openWriters({ world, receiver, port, count: size.users });
      const dispatcher = world.startDispatcher();
      const killing = killAfterCommits({ world, port, size });
      const answers = await Promise.all(writers.map((writer) => writeAll(writer, size.perUser, isDefended)));
      const kills = await killing;
      await dispatcher;
      say(`${answers.flat().length} objects asked for, ${kills} kills`);
      await world.ledger.adopt();
      await world.drained({ withinMs: 60_000 });
      const figures = await world.reconcile(receiver);
      const objects = await countObjects(world, answers.flat());
      const verdict = wrongsOf(figures);
      if (objects.more > 0) verdict.push(`${objects.more} requests made more than one object`);
      if (objects.none > 0)
        verdict.push(`${objects.none} requests made no object, or another than the response named`);
      if (kills < size.kills) verdict.push(`only ${kills} kills`);
      return { figures: { ...figures, kills, ...objects }, verdict };
    } finally {
      await world.close();
      await receiver.close();
    }
  },
};

/**
 * @typedef {{ userId: string, api: import('@trading-automation/sdk').Client }} Writer
 *
 * @param {{
 *   world: import('./world.mjs').FaultWorld, receiver: import('./receiver.mjs').LedgerReceiver,
 *   port: number, count: number,
 * }} options
 * @returns {Promise<Writer[]>} users with a webhook each that receives an event for every API key, from the first one
 */
async function openWriters({ world, receiver, port, count }) {
  const api = await world.startApi({ port });
  const writers = [];
  for (let i = 0; i < count; i++) {
    const user = await world.openUser(api.url, `writer ${i}`);
    await world.addHooks({ userIds: [user.userId], events: ['key.created'], receiver });
    const { key } = await user.api.apiKeys.create({ name: 'writer', permissions: ['ADMIN'] });
    // What is repeated, and under which key, is decided here alone.
    const writing = createClient({ restUrl: api.url, apiKey: key, maxRetries: 0 });
    writers.push({ userId: user.userId, api: writing });
  }
  await api.kill('SIGTERM');
  return writers;
}

/**
 * Starts the API repeatedly; each run kills itself after a number of commits, and the last one continues.
 *
 * @param {{ world: import('./world.mjs').FaultWorld, port: number, size: any }} options
 */
async function killAfterCommits({ world, port, size }) {
  let kills = 0;
  while (kills < size.kills) {
    const commits = Math.floor(world.random.between(size.commits[0], size.commits[1]));
    const api = await world.startApi({
      port,
      settings: { DIE_AFTER_COMMITS: String(commits) },
      sabotage: 'die-after-commit',
    });
    const { signal } = await api.ended;
    if (signal === 'SIGKILL') kills++;
  }
  await world.startApi({ port });
  return kills;
}

/**
 * @param {Writer} writer
 * @param {number} count
 * @param {boolean} isIdempotent
 * @returns {Promise<{ userId: string, name: string, id: string }[]>} what the API answered
 */
async function writeAll({ userId, api }, count, isIdempotent) {
  const made = [];
  for (let i = 0; i < count; i++) {
    const name = `object ${i}`;
    const id = await write(api, name, isIdempotent ? { idempotencyKey: name } : {});
    made.push({ userId, name, id });
  }
  return made;
}

/**
 * @param {Writer['api']} api
 * @param {string} name
 * @param {{ idempotencyKey?: string }} options without a key of its own each request has another one
 * @returns {Promise<string>} the id, as soon as the API has answered
 */
async function write(api, name, options) {
  for (;;) {
    const outcome = await outcomeOf(api.apiKeys.create({ name, permissions }, options)).catch(
      () => undefined,
    );
    if (outcome?.status === 201) return outcome.data.id;
    const isPassing = outcome === undefined || outcome.status === 503 || outcome.status === 409;
    if (!isPassing) throw new Error(`${outcome.status} ${outcome.code}`);
    await wait(retryMs);
  }
}

/**
 * @param {import('./world.mjs').FaultWorld} world
 * @param {readonly { userId: string, name: string, id: string }[]} emitted
 */
async function countObjects(world, emitted) {
  const rows = await world.query(
    'SELECT user_id AS "userId", name, array_agg(id::text) AS ids FROM api_keys GROUP BY 1, 2',
  );
  /** @type {Map<string, string[]>} */
  const made = new Map(rows.map(({ userId, name, ids }) => [`${userId} ${name}`, ids]));
  const ofEach = emitted.map(({ userId, name, id }) => ({ id, ids: made.get(`${userId} ${name}`) ?? [] }));
  return {
    objects: emitted.length,
    more: ofEach.filter(({ ids }) => ids.length > 1).length,
    none: ofEach.filter(({ id, ids }) => !ids.some((uuid) => encodeId('key', uuid) === id)).length,
  };
}
