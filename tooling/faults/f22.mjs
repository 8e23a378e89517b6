import { openFaultEnvironment } from './environment.mjs';
import { atRate, quantile, watchMemory } from './measures.mjs';
import { findViolations } from './reconcile.mjs';
import { openSlowReceiver } from './slow-receiver.mjs';

/**
 * For a while, ten times the usual number of events are committed, faster than receivers accept them. Deliveries that
 * cannot be sent yet wait in Postgres. The dispatcher and Redis hold only deliveries that are in flight.
 *
 * @typedef {{
 *   users: number, perUser: number, usualPerSecond: number, usualSeconds: number, burstSeconds: number,
 *   afterMs: number, isLoadJudged: boolean, settings: Record<string, string>,
 * }} Size `afterMs`: how long a receiver takes to respond; `isLoadJudged`: whether the duration of commits and the
 *   growth of memory are compared with their limits
 */

const burstFactor = 10;
const commitP99MaxMs = 250;
const drainMaxMs = 120_000;
const growthMaxMb = 64;
/** With such a small heap, memory use shows live objects and hardly any garbage. */
const smallHeap = '--max-semi-space-size=32 --max-old-space-size=256';
/** Per webhook, four attempts may be in flight, and four more may be about to start or to be recorded. */
const jobsPerWebhookMax = 8;
/** Keys of jobs for events that were just committed, and keys of the queue itself. */
const otherKeysMax = 200;
const sampleMs = 200;

/** Without the defence nothing is parked: every due delivery gets a job immediately. */
const withoutLimits = { WEBHOOK_IN_FLIGHT_MAX: '1024', USER_IN_FLIGHT_MAX: '1024' };

export const fault = {
  id: 'F22',
  title: 'ten times the usual event rate',
  target:
    'commits within 250 ms (p99), first attempts done at most 2 min after the last event, memory and Redis usage stay flat, lost 0',
  defence: 'limits and parking in Postgres',
  sizes: {
    /** @type {Size} */
    short: {
      users: 3,
      perUser: 2,
      usualPerSecond: 20,
      usualSeconds: 0.25,
      burstSeconds: 1,
      afterMs: 80,
      isLoadJudged: false,
      // These settings make the dispatcher slower than the short burst, as it would be in a larger burst.
      settings: { DELIVERY_CONCURRENCY: '8', IN_FLIGHT_MAX: '1' },
    },
    /** @type {Size} */
    long: {
      users: 50,
      perUser: 1,
      usualPerSecond: 30,
      usualSeconds: 10,
      burstSeconds: 60,
      afterMs: 300,
      isLoadJudged: true,
      settings: {},
    },
  },

  /** @param {import('./environment.mjs').FaultRun<Size>} run */
  async run({ size, seed, isDefended, print }) {
    const receiver = await openSlowReceiver({
      busy: { kind: 'respond', status: 200, afterMs: size.afterMs },
    });
    const environment = await openFaultEnvironment({ seed });
    try {
      const { users, perUser } = size;
      const webhooks = await environment.addWebhooks({
        users,
        perUser,
        urlOf: (index) => receiver.url('busy', index),
      });
      await receiver.addSecrets(webhooks);
      const dispatcher = await environment.startDispatcher({
        settings: { NODE_OPTIONS: smallHeap, ...size.settings, ...(isDefended ? {} : withoutLimits) },
      });
      const userIds = [...new Set(webhooks.map(({ userId }) => userId))];
      const emit = committer(environment, userIds);
      const usual = size.usualPerSecond;
      await atRate({ perSecond: usual, count: usual * size.usualSeconds }, emit);

      const memory = watchMemory(dispatcher.pid);
      const jobs = watchKeys(environment.redis);
      const perSecond = usual * burstFactor;
      const commits = await atRate({ perSecond, count: perSecond * size.burstSeconds }, emit);
      const endedAt = performance.now();
      const backlog = await environment.backlog();
      print(`the burst is over; ${backlog.deliveries} deliveries are waiting`);
      const isDrained = await environment.untilDrained({ withinMs: drainMaxMs });
      const drainMs = Math.round(performance.now() - endedAt);
      await receiver.read();
      const audit = await environment.reconcile(receiver);
      const figures = {
        ...audit,
        commitP99Ms: Math.round(quantile(commits, 0.99)),
        backlog: backlog.deliveries,
        drainMs,
        keysMax: await jobs.stop(),
        ...memory.stop(),
      };
      return {
        figures,
        violations: judge({ ...figures, isDrained, webhooks: webhooks.length }, audit, size),
      };
    } finally {
      await environment.close();
      await receiver.close();
    }
  },
};

/**
 * @param {import('./environment.mjs').FaultEnvironment} environment
 * @param {readonly string[]} userIds the users that get the events, in turn
 * @returns {(index: number) => Promise<number>} a function that commits an event and returns the duration in milliseconds
 */
function committer(environment, userIds) {
  return async (index) => {
    const startedAt = performance.now();
    await environment.emit(/** @type {string} */ (userIds[index % userIds.length]));
    return performance.now() - startedAt;
  };
}

/**
 * Samples the number of keys in Redis, which has one key per job and a few others.
 *
 * @param {import('./redis-control.mjs').RedisControl} redis
 */
function watchKeys(redis) {
  let most = 0;
  let sampling = Promise.resolve();
  const sample = async () => {
    const keys = await redis.command('DBSIZE').catch(() => 0);
    most = Math.max(most, Number(keys));
  };
  const timer = setInterval(() => {
    sampling = sampling.then(sample);
  }, sampleMs);
  return {
    /** Stops sampling. @returns the highest number of keys */
    async stop() {
      clearInterval(timer);
      await sampling;
      return most;
    },
  };
}

/**
 * @param {{
 *   commitP99Ms: number, growthMb: number, keysMax: number, isDrained: boolean, drainMs: number, webhooks: number,
 * }} figures
 * @param {import('./reconcile.mjs').Figures} audit
 * @param {Size} size
 */
function judge({ commitP99Ms, growthMb, keysMax, isDrained, webhooks }, audit, { isLoadJudged }) {
  const violations = findViolations(audit);
  if (!isDrained) violations.push('first attempts are still due 2 min after the burst');
  if (keysMax > webhooks * jobsPerWebhookMax + otherKeysMax) violations.push(`Redis held ${keysMax} keys`);
  if (isLoadJudged && commitP99Ms > commitP99MaxMs) violations.push(`commits took ${commitP99Ms} ms (p99)`);
  if (isLoadJudged && growthMb > growthMaxMb) violations.push(`the dispatcher grew by ${growthMb} MiB`);
  return violations;
}
