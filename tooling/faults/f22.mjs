import { openFaultEnvironment } from './environment.mjs';
import { atRate, quantile, watchMemory } from './measures.mjs';
import { findViolations } from './reconcile.mjs';
import { openSlowReceiver } from './slow-receiver.mjs';

/**
 * For a while, ten times the usual number of events are committed, faster than receivers accept them. Deliveries that
 * cannot be sent yet wait in Postgres. The dispatcher and Redis hold only deliveries that are in flight.
 *
 * @typedef {{
 *   users: number, perUser: number, usualPerSecond: number, usualSeconds: number, stormSeconds: number,
 *   afterMs: number, isTimeJudged: boolean, settings: Record<string, string>,
 * }} Size `afterMs` is how long a receiver takes to respond
 */

const stormFactor = 10;
const commitP99MaxMs = 250;
const drainMaxMs = 120_000;
const growthMaxMb = 64;
/** With such a small heap, memory use shows live objects and hardly any garbage. */
const smallHeap = '--max-semi-space-size=32 --max-old-space-size=256';
/** For each webhook, the attempts that may be in flight, and the same number about to start or being recorded. */
const jobsPerWebhookMax = 8;
/** Keys for events that were just committed, and the queue's own keys. */
const otherKeysMax = 200;
const sampleMs = 200;

/** Without the defence nothing is parked: every due delivery gets a job immediately. */
const withoutLimits = { WEBHOOK_IN_FLIGHT_MAX: '1024', USER_IN_FLIGHT_MAX: '1024' };

export const fault = {
  id: 'F22',
  title: 'ten times the usual event rate',
  target: 'commits within 250 ms (p99), first attempts done 2 min later, memory and Redis flat, lost 0',
  defence: 'limits of attempts in flight, and parking in Postgres',
  sizes: {
    /** @type {Size} */
    short: {
      users: 3,
      perUser: 2,
      usualPerSecond: 20,
      usualSeconds: 0.25,
      stormSeconds: 1,
      afterMs: 80,
      isTimeJudged: false,
      // These settings make the dispatcher slower than the short storm, as it would be in a larger one.
      settings: { DELIVERY_CONCURRENCY: '8', IN_FLIGHT_MAX: '1' },
    },
    /** @type {Size} */
    long: {
      users: 50,
      perUser: 1,
      usualPerSecond: 30,
      usualSeconds: 10,
      stormSeconds: 60,
      afterMs: 300,
      isTimeJudged: true,
      settings: {},
    },
  },

  /** @param {import('./environment.mjs').FaultRun<Size>} run */
  async run({ size, seed, isDefended, say }) {
    const receiver = await openSlowReceiver({
      busy: { kind: 'answer', status: 200, afterMs: size.afterMs },
    });
    const environment = await openFaultEnvironment({ seed });
    try {
      const { users, perUser } = size;
      const hooks = await environment.addHooks({
        users,
        perUser,
        urlOf: (index) => receiver.url('busy', index),
      });
      await receiver.trust(hooks);
      const dispatcher = await environment.startDispatcher({
        settings: { NODE_OPTIONS: smallHeap, ...size.settings, ...(isDefended ? {} : withoutLimits) },
      });
      const userIds = [...new Set(hooks.map(({ userId }) => userId))];
      const emit = committer(environment, userIds);
      const usual = size.usualPerSecond;
      await atRate({ perSecond: usual, count: usual * size.usualSeconds }, emit);

      const memory = watchMemory(dispatcher.pid);
      const jobs = watchJobs(environment.redis);
      const perSecond = usual * stormFactor;
      const commits = await atRate({ perSecond, count: perSecond * size.stormSeconds }, emit);
      const endedAt = performance.now();
      const backlog = await environment.backlog();
      say(`the storm is over; ${backlog.deliveries} deliveries are waiting`);
      const isDrained = await environment.drained({ withinMs: drainMaxMs });
      const drainMs = Math.round(performance.now() - endedAt);
      await receiver.read();
      const audit = await environment.reconcile(receiver);
      const figures = {
        ...audit,
        commitP99Ms: Math.round(quantile(commits, 0.99)),
        backlog: backlog.deliveries,
        drainMs,
        jobsMost: await jobs.stop(),
        ...memory.stop(),
      };
      return { figures, verdict: judge({ ...figures, isDrained, webhooks: hooks.length }, audit, size) };
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
function watchJobs(redis) {
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
 *   commitP99Ms: number, growthMb: number, jobsMost: number, isDrained: boolean, drainMs: number, webhooks: number,
 * }} figures
 * @param {import('./reconcile.mjs').Figures} audit
 * @param {Size} size
 */
function judge({ commitP99Ms, growthMb, jobsMost, isDrained, webhooks }, audit, { isTimeJudged }) {
  const verdict = findViolations(audit);
  if (!isDrained) verdict.push('first attempts are still due 2 min after the storm');
  if (jobsMost > webhooks * jobsPerWebhookMax + otherKeysMax) verdict.push(`Redis held ${jobsMost} keys`);
  if (isTimeJudged && commitP99Ms > commitP99MaxMs) verdict.push(`commits took ${commitP99Ms} ms (p99)`);
  if (isTimeJudged && growthMb > growthMaxMb) verdict.push(`the dispatcher grew by ${growthMb} MiB`);
  return verdict;
}
