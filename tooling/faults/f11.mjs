import { setTimeout as wait } from 'node:timers/promises';
import { decodeId } from '@trading-automation/contracts';
import { keepCalling, openCaller, statuses } from './callers.mjs';
import { openLedgerReceiver } from './receiver.mjs';
import { pairOf, wrongsOf } from './reconcile.mjs';
import { openFaultWorld } from './world.mjs';

/**
 * Postgres is restarted under load, politely, at once, and by the violent death of one of its processes, after which it
 * ends all the others. Requests that were sent and not yet recorded are recorded when it is back; what the API could
 * not store it has refused, and what it has not refused is stored.
 */

const holdMs = 100;
/** How soon the API must serve again, and the longest Retry-After it may send. */
const servedAgainMaxMs = 5_000;

/**
 * A claim need not be on the disk before its request is sent: what a crash of Postgres forgets of the last moments, three
 * turns of its WAL writer, is done again.
 */
const forgottenMs = 600;

/** A lease that does not outlast a restart: a dispatcher that could not record in time sends again. */
const hastyLeases = { ATTEMPT_TIMEOUT_MS: '400', LEASE_MS: '600', SILENCE_MS: '600' };

export const fault = {
  id: 'F11',
  title: 'Postgres is restarted (fast, immediate, `kill -9` of a backend)',
  target:
    'lost 0; duplicates at most 1 for each request of the last moment before a crash, 0 otherwise; the API answers 503 with Retry-After, and serves again within 5 s',
  defence: 'recording for as long as a lease holds, and leases that outlast a restart',
  sizes: {
    short: {
      ways: ['fast', 'backend'],
      downMs: 800,
      perSecond: 30,
      turnMs: 1_000,
      settings: { SWEEP_MS: '500', ATTEMPT_TIMEOUT_MS: '4000', LEASE_MS: '6000', SILENCE_MS: '5000' },
    },
    long: {
      ways: [
        'fast',
        'immediate',
        'backend',
        'fast',
        'immediate',
        'backend',
        'fast',
        'immediate',
        'backend',
        'immediate',
      ],
      downMs: 3_000,
      perSecond: 20,
      turnMs: 10_000,
      settings: {},
    },
  },

  /** @param {import('./world.mjs').FaultRun<any>} run */
  async run({ size, seed, isDefended, say }) {
    const receiver = await openLedgerReceiver({
      answer: async () => {
        await wait(holdMs);
        return 204;
      },
    });
    // Where nothing was forgotten, nothing may come twice.
    const ways = isDefended ? size.ways : ['fast'];
    const settings = { ...size.settings, ...(isDefended ? {} : { ...hastyLeases, SWEEP_MS: '100' }) };
    const world = await openFaultWorld({ seed, ownPostgres: true, settings });
    try {
      const hooks = await world.addHooks({ users: 10, perUser: 3, receiver });
      const [api] = await Promise.all([world.startApi(), world.startDispatcher()]);
      const caller = await openCaller(world, api.url, receiver);
      const calls = keepCalling(() => caller.change());
      let isOver = false;
      const producing = world.emitMany([...new Set(hooks.map(({ userId }) => userId))], Infinity, {
        perSecond: size.perSecond,
        until: () => isOver,
      });
      /** @type {number[]} */
      const returns = [];
      /** @type {Set<string>} */
      const forgotten = new Set();
      for (const way of ways) {
        await wait(size.turnMs * world.random.between(0.5, 1));
        const from = Date.now() - forgottenMs;
        await restart(world.postgres, way, size.downMs);
        returns.push(Date.now());
        if (way !== 'fast') for (const { pair, at } of pairsOf(receiver)) if (at >= from) forgotten.add(pair);
      }
      world.excuse(forgotten);
      await servedSince(calls.answered, returns.at(-1) ?? 0);
      isOver = true;
      const [answered] = await Promise.all([calls.stop(), producing]);
      say(`drained: ${await world.drained({ withinMs: isDefended ? 90_000 : 10_000 })}`);
      await caller.settle();
      const figures = await world.reconcile(receiver);
      const told = await judgeAnswers(world, answered, returns);
      return {
        figures: { ...figures, restarts: ways.length, forgettable: forgotten.size, ...told.figures },
        verdict: [...wrongsOf(figures, { duplicatesMax: forgotten.size }), ...told.verdict],
      };
    } finally {
      await world.close();
      await receiver.close();
    }
  },
};

/**
 * @param {import('./postgres-control.mjs').PostgresControl} postgres
 * @param {'fast' | 'immediate' | 'backend'} way
 * @param {number} downMs how long it stays away
 */
async function restart(postgres, way, downMs) {
  if (way === 'backend') {
    await postgres.killBackend('webhook-dispatcher');
    return;
  }
  await postgres.stop(way);
  await wait(downMs);
  await postgres.start();
}

/** @param {import('./receiver.mjs').LedgerReceiver} receiver */
const pairsOf = ({ received }) =>
  received.map(({ webhookId, eventId, at }) => ({ pair: pairOf(webhookId, eventId), at }));

/** @param {import('./callers.mjs').Answered} answered */
const isServed = ({ status }) => status >= 200 && status < 300;

/**
 * Resolves once a request that was sent after this instant was served, or could not be for long.
 *
 * @param {readonly import('./callers.mjs').Answered[]} answered grows meanwhile
 * @param {number} since
 */
async function servedSince(answered, since) {
  const deadline = since + 3 * servedAgainMaxMs;
  while (Date.now() < deadline && !answered.some((each) => each.at >= since && isServed(each)))
    await wait(50);
}

/**
 * @param {import('./world.mjs').FaultWorld} world
 * @param {readonly import('./callers.mjs').Answered[]} answered
 * @param {readonly number[]} returns when Postgres was back
 */
async function judgeAnswers(world, answered, returns) {
  const refused = answered.filter((each) => !isServed(each));
  const unlike = refused.filter(
    ({ status, retryAfter }) => status !== 503 || !(Number(retryAfter) <= servedAgainMaxMs / 1_000),
  );
  const made = answered.flatMap(({ id }) => id ?? []);
  const missing = await missingKeys(world, made);
  const served = returns.map((back) => {
    const first = answered.find((each) => each.at >= back && isServed(each));
    return first === undefined ? Infinity : first.at + first.tookMs - back;
  });
  const servedAgainMs = Math.round(Math.max(...served));
  const verdict = [];
  if (unlike.length > 0)
    verdict.push(`answers other than 503 with Retry-After: ${JSON.stringify(statuses(unlike))}`);
  if (missing > 0) verdict.push(`${missing} of what was answered with 201 is not stored`);
  if (servedAgainMs > servedAgainMaxMs) verdict.push(`the API served again after ${servedAgainMs} ms`);
  return { figures: { answers: statuses(answered), servedAgainMs, missing }, verdict };
}

/**
 * @param {import('./world.mjs').FaultWorld} world
 * @param {string[]} made public ids of API keys
 */
export async function missingKeys(world, made) {
  const rows = await world.query(
    'SELECT id FROM api_keys WHERE id = ANY($1)',
    made.map((id) => decodeId('key', id)),
  );
  return made.length - rows.length;
}
