import { atRate, quantile, watchMemory } from './measures.mjs';
import { wrongsOf } from './reconcile.mjs';
import { openSlowReceiver } from './slow-receiver.mjs';
import { openFaultWorld } from './world.mjs';

/**
 * Ten times the usual number of events, for a while. They come faster than receivers take them: what cannot be sent yet
 * waits in Postgres, and neither the dispatcher nor Redis holds more than what is on its way.
 *
 * @typedef {{
 *   users: number, perUser: number, usualPerSecond: number, usualSeconds: number, stormSeconds: number,
 *   afterMs: number, isTimeJudged: boolean, settings: Record<string, string>,
 * }} Size `afterMs` is what a receiver takes for a request
 */

const stormFactor = 10;
const commitP99MaxMs = 250;
const drainMaxMs = 120_000;
const growthMaxMb = 64;
/** With a heap that is this small, memory shows what is needed and not what has not been collected yet. */
const smallHeap = '--max-semi-space-size=32 --max-old-space-size=256';
/** Of each webhook, what may be in flight and as much again on its way there or back. */
const jobsPerWebhookMax = 8;
/** Those of what was just committed, and what the queue keeps for itself. */
const otherKeysMax = 200;
const lookMs = 200;

/** Nothing is parked: whatever is owed has its job at once. */
const withoutCaps = { WEBHOOK_IN_FLIGHT_MAX: '1024', USER_IN_FLIGHT_MAX: '1024' };

export const fault = {
  id: 'F22',
  title: 'ten times the usual event rate',
  target: 'commits within 250 ms (p99), first attempts done 2 min later, memory and Redis flat, lost 0',
  defence: 'limits and parking in Postgres',
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
      // A dispatcher that is slower than the storm, as a bigger storm would find it.
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

  /** @param {import('./world.mjs').FaultRun<Size>} run */
  async run({ size, seed, isDefended, say }) {
    const receiver = await openSlowReceiver({
      busy: { kind: 'answer', status: 200, afterMs: size.afterMs },
    });
    const world = await openFaultWorld({ seed });
    try {
      const { users, perUser } = size;
      const hooks = await world.addHooks({ users, perUser, urlOf: (index) => receiver.url('busy', index) });
      await receiver.trust(hooks);
      const dispatcher = await world.startDispatcher({
        settings: { NODE_OPTIONS: smallHeap, ...size.settings, ...(isDefended ? {} : withoutCaps) },
      });
      const userIds = [...new Set(hooks.map(({ userId }) => userId))];
      const emit = committer(world, userIds);
      const usual = size.usualPerSecond;
      await atRate({ perSecond: usual, count: usual * size.usualSeconds }, emit);

      const memory = watchMemory(dispatcher.pid);
      const jobs = watchJobs(world.redis);
      const perSecond = usual * stormFactor;
      const commits = await atRate({ perSecond, count: perSecond * size.stormSeconds }, emit);
      const overAt = performance.now();
      const left = await world.backlog();
      say(`the storm is over, and ${left.deliveries} deliveries are owed`);
      const isDrained = await world.drained({ withinMs: drainMaxMs });
      const drainMs = Math.round(performance.now() - overAt);
      await receiver.read();
      const audit = await world.reconcile(receiver);
      const figures = {
        ...audit,
        commitP99Ms: Math.round(quantile(commits, 0.99)),
        backlog: left.deliveries,
        drainMs,
        jobsMost: await jobs.stop(),
        ...memory.stop(),
      };
      return { figures, verdict: judge({ ...figures, isDrained, webhooks: hooks.length }, audit, size) };
    } finally {
      await world.close();
      await receiver.close();
    }
  },
};

/**
 * @param {import('./world.mjs').FaultWorld} world
 * @param {readonly string[]} userIds who get the events, in turn
 * @returns {(index: number) => Promise<number>} commits an event and returns the duration in milliseconds
 */
function committer(world, userIds) {
  return async (index) => {
    const startedAt = performance.now();
    await world.emit(/** @type {string} */ (userIds[index % userIds.length]));
    return performance.now() - startedAt;
  };
}

/**
 * The jobs that Redis holds, looked at again and again.
 *
 * @param {import('./redis-control.mjs').RedisControl} redis
 */
function watchJobs(redis) {
  let most = 0;
  let looking = Promise.resolve();
  const look = async () => {
    const keys = await redis.tell('DBSIZE').catch(() => 0);
    most = Math.max(most, Number(keys));
  };
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, lookMs);
  return {
    /** Ends the watch. @returns the most keys there were, one for each job but for a few */
    async stop() {
      clearInterval(timer);
      await looking;
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
  const verdict = wrongsOf(audit);
  if (!isDrained) verdict.push('first attempts are owed 2 min after the storm');
  if (jobsMost > webhooks * jobsPerWebhookMax + otherKeysMax) verdict.push(`Redis held ${jobsMost} keys`);
  if (isTimeJudged && commitP99Ms > commitP99MaxMs) verdict.push(`commits took ${commitP99Ms} ms (p99)`);
  if (isTimeJudged && growthMb > growthMaxMb) verdict.push(`the dispatcher grew by ${growthMb} MiB`);
  return verdict;
}
