import { setTimeout as wait } from 'node:timers/promises';
import { countByStatus, keepCalling, openCaller } from './callers.mjs';
import { openFaultEnvironment } from './environment.mjs';
import { countMissingApiKeys } from './missing-api-keys.mjs';
import { openRecordingReceiver } from './receiver.mjs';
import { findViolations, pairOf } from './reconcile.mjs';

/**
 * Postgres is restarted under load in three ways: by a fast shutdown, by an immediate shutdown, and by a kill of one of
 * its backends, after which Postgres restarts all backends. Attempts that were sent and not yet recorded are recorded
 * after the restart. The API rejects every change that it cannot store, and stores every change that it accepts.
 */

const holdMs = 100;
/** The longest time until the API serves requests again, and the longest Retry-After that it may send. */
const servedAgainMaxMs = 5_000;

/**
 * An attempt may be sent before its claim is flushed to the disk. A crash of Postgres can lose the last three cycles of
 * its WAL writer, and attempts that were claimed in that time are sent again.
 */
const lossWindowMs = 600;

/** Settings of the run without the defence: an attempt is sent again if its result cannot be recorded within 600 ms. */
const shortLeases = { ATTEMPT_TIMEOUT_MS: '400', LEASE_MS: '600', SILENCE_MS: '600' };

export const fault = {
  id: 'F11',
  title: 'Postgres is restarted (fast, immediate, or by `kill -9` of a backend)',
  target:
    'lost 0; duplicates at most 1 for each request whose result was not committed at the crash, 0 otherwise; the API responds with 503 and Retry-After, and serves again within 5 s',
  defence: 'recording a result only under a valid lease, and leases that outlast a restart',
  sizes: {
    short: {
      ways: ['fast', 'backend'],
      downMs: 800,
      perSecond: 30,
      restartEveryMs: 1_000,
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
      restartEveryMs: 10_000,
      settings: {},
    },
  },

  /** @param {import('./environment.mjs').FaultRun<any>} run */
  async run({ size, seed, isDefended, print }) {
    const receiver = await openRecordingReceiver({
      respond: async () => {
        await wait(holdMs);
        return 204;
      },
    });
    // Without the defence, Postgres is only shut down fast. That loses no commit, so it explains no duplicate.
    const ways = isDefended ? size.ways : ['fast'];
    const settings = { ...size.settings, ...(isDefended ? {} : { ...shortLeases, SWEEP_MS: '100' }) };
    const environment = await openFaultEnvironment({ seed, ownPostgres: true, settings });
    try {
      const webhooks = await environment.addWebhooks({ users: 10, perUser: 3, receiver });
      const [api] = await Promise.all([environment.startApi(), environment.startDispatcher()]);
      const caller = await openCaller(environment, api.url, receiver);
      const calls = keepCalling(() => caller.change());
      let isOver = false;
      const producing = environment.emitMany([...new Set(webhooks.map(({ userId }) => userId))], Infinity, {
        perSecond: size.perSecond,
        until: () => isOver,
      });
      /** @type {number[]} */
      const restartedAt = [];
      /** @type {Set<string>} */
      const possiblyLost = new Set();
      for (const way of ways) {
        await wait(size.restartEveryMs * environment.random.between(0.5, 1));
        const lossFrom = Date.now() - lossWindowMs;
        await restart(environment.postgres, way, size.downMs);
        restartedAt.push(Date.now());
        if (way !== 'fast')
          for (const { pair, at } of pairsOf(receiver)) if (at >= lossFrom) possiblyLost.add(pair);
      }
      environment.allowDuplicates(possiblyLost);
      await untilServedSince(calls.responses, restartedAt.at(-1) ?? 0);
      isOver = true;
      const [responses] = await Promise.all([calls.stop(), producing]);
      print(
        `all deliveries finished: ${await environment.untilDrained({ withinMs: isDefended ? 90_000 : 10_000 })}`,
      );
      await caller.settle();
      const figures = await environment.reconcile(receiver);
      const judged = await judgeResponses(environment, responses, restartedAt);
      return {
        figures: { ...figures, restarts: ways.length, possiblyLost: possiblyLost.size, ...judged.figures },
        violations: [...findViolations(figures, { duplicatesMax: possiblyLost.size }), ...judged.violations],
      };
    } finally {
      await environment.close();
      await receiver.close();
    }
  },
};

/**
 * @param {import('./postgres-control.mjs').PostgresControl} postgres
 * @param {'fast' | 'immediate' | 'backend'} way
 * @param {number} downMs how long Postgres stays down
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

/** @param {import('./receiver.mjs').RecordingReceiver} receiver */
const pairsOf = ({ received }) =>
  received.map(({ webhookId, eventId, at }) => ({ pair: pairOf(webhookId, eventId), at }));

/** @param {import('./callers.mjs').CallerResponse} responses */
const isServed = ({ status }) => status >= 200 && status < 300;

/**
 * Waits until a request that was sent after `since` is served, at most three times `servedAgainMaxMs`.
 *
 * @param {readonly import('./callers.mjs').CallerResponse[]} responses the array grows meanwhile
 * @param {number} since
 */
async function untilServedSince(responses, since) {
  const deadline = since + 3 * servedAgainMaxMs;
  while (Date.now() < deadline && !responses.some((each) => each.at >= since && isServed(each)))
    await wait(50);
}

/**
 * @param {import('./environment.mjs').FaultEnvironment} environment
 * @param {readonly import('./callers.mjs').CallerResponse[]} responses
 * @param {readonly number[]} restartedAt the instants at which Postgres was available again
 */
async function judgeResponses(environment, responses, restartedAt) {
  const notServed = responses.filter((each) => !isServed(each));
  const unexpected = notServed.filter(
    ({ status, retryAfter }) => status !== 503 || !(Number(retryAfter) <= servedAgainMaxMs / 1_000),
  );
  const createdIds = responses.flatMap(({ id }) => id ?? []);
  const missing = await countMissingApiKeys(environment, createdIds);
  const servedAfterMs = restartedAt.map((back) => {
    const first = responses.find((each) => each.at >= back && isServed(each));
    return first === undefined ? Infinity : first.at + first.tookMs - back;
  });
  const servedAgainMs = Math.round(Math.max(...servedAfterMs));
  const violations = [];
  if (unexpected.length > 0)
    violations.push(
      `unexpected responses, not 503 with Retry-After: ${JSON.stringify(countByStatus(unexpected))}`,
    );
  if (missing > 0) violations.push(`${missing} objects were confirmed with 201 and are not stored`);
  if (servedAgainMs > servedAgainMaxMs)
    violations.push(`the API served requests again only after ${servedAgainMs} ms`);
  return { figures: { responses: countByStatus(responses), servedAgainMs, missing }, violations };
}
