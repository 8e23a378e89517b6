import { setTimeout as wait } from 'node:timers/promises';
import { countByStatus, keepCalling, openCaller } from './callers.mjs';
import { openFaultEnvironment } from './environment.mjs';
import { openRecordingReceiver } from './receiver.mjs';
import { findViolations } from './reconcile.mjs';

/**
 * Redis is down for a long time, and later suspended for a long time. A suspended Redis is worse: every caller waits.
 * Meanwhile events are committed and requests with an API key are served. Only signed requests need Redis, for their
 * nonces. Once Redis is available again, the backlog must be sent at least twice as fast as it grew.
 */

/** The longest that a request with an API key may wait for a suspended Redis. */
const apiKeyMaxMs = 5_000;

export const fault = {
  id: 'F8',
  title: 'Redis is down for a long time, then suspended for a long time (SIGSTOP)',
  target:
    'lost 0; requests with an API key are served, signed requests get 503; the backlog of 60,000 is delivered within 10 min, at least twice as fast as it grew',
  defence: 'the sweeper',
  sizes: {
    short: {
      users: 4,
      perSecond: 30,
      downMs: 900,
      pauseMs: 900,
      drainMaxMs: 60_000,
      settings: { SWEEP_MS: '500' },
    },
    long: { users: 50, perSecond: 50, downMs: 300_000, pauseMs: 45_000, drainMaxMs: 600_000, settings: {} },
  },

  /** @param {import('./environment.mjs').FaultRun<any>} run */
  async run({ size, seed, isDefended, print }) {
    const receiver = await openRecordingReceiver();
    const environment = await openFaultEnvironment({
      seed,
      redis: 'appendonly',
      settings: { ...size.settings, ...(isDefended ? {} : { SWEEP_MS: '600000' }) },
    });
    try {
      const webhooks = await environment.addWebhooks({ users: size.users, perUser: 4, receiver });
      const [api] = await Promise.all([environment.startApi(), environment.startDispatcher()]);
      const caller = await openCaller(environment, api.url, receiver);
      const userIds = [...new Set(webhooks.map(({ userId }) => userId))];
      /** @type {OutageTest} */
      const test = { environment, caller, userIds, size };
      const down = await measureOutage(
        test,
        size.downMs,
        {
          begin: () => environment.redis.kill(),
          end: () => environment.redis.start(),
        },
        isDefended,
      );
      print(`down: ${JSON.stringify(down.figures)}`);
      const suspended = await measureOutage(
        test,
        size.pauseMs,
        {
          begin: async () => environment.redis.pause(),
          end: async () => environment.redis.resume(),
        },
        isDefended,
      );
      print(`suspended: ${JSON.stringify(suspended.figures)}`);
      await caller.settle();
      const figures = await environment.reconcile(receiver);
      return {
        figures: { ...figures, down: down.figures, suspended: suspended.figures },
        violations: [...findViolations(figures), ...down.violations, ...suspended.violations],
      };
    } finally {
      await environment.close();
      await receiver.close();
    }
  },
};

/**
 * @typedef {{
 *   environment: import('./environment.mjs').FaultEnvironment, caller: import('./callers.mjs').Caller, userIds: string[], size: any,
 * }} OutageTest
 */

/**
 * Emits events and sends requests while Redis is unavailable. Then measures how long the delivery of the backlog takes.
 *
 * @param {OutageTest} test
 * @param {number} outageMs
 * @param {{ begin: () => Promise<void>, end: () => Promise<void> }} outage begins and ends the outage of Redis
 * @param {boolean} isDefended
 */
async function measureOutage({ environment, caller, userIds, size }, outageMs, outage, isDefended) {
  await outage.begin();
  const keyed = keepCalling(() => caller.change());
  const signed = keepCalling(() => caller.sign());
  await environment.emitMany(userIds, Math.round((size.perSecond * outageMs) / 1_000), {
    perSecond: size.perSecond,
  });
  // Requests that were sent during the outage must get their responses before it ends.
  const [keyedResponses, signedResponses] = await Promise.all([keyed.stop(), signed.stop()]);
  // Fan-out does not need Redis.
  await untilFannedOut(environment);
  const { deliveries } = await environment.backlog();
  await outage.end();
  const drainStartedAt = performance.now();
  await environment.untilDrained({ withinMs: isDefended ? size.drainMaxMs : 3_000 });
  const drainedMs = performance.now() - drainStartedAt;

  const figures = {
    backlog: deliveries,
    arrivalsPerSecond: size.perSecond * 4,
    drainedMs: Math.round(drainedMs),
    drainedPerSecond: Math.round(deliveries / (drainedMs / 1_000)),
    keyed: countByStatus(keyedResponses),
    keyedMaxMs: Math.round(Math.max(...keyedResponses.map(({ tookMs }) => tookMs))),
    signed: countByStatus(signedResponses),
  };
  const violations = [];
  const notServed = keyedResponses.filter(({ status }) => status < 200 || status > 299);
  const unexpected = signedResponses.filter(({ status }) => status !== 503);
  if (notServed.length > 0) violations.push(`${notServed.length} requests with an API key were not served`);
  if (unexpected.length > 0) violations.push(`${unexpected.length} signed requests did not get 503`);
  if (figures.keyedMaxMs > apiKeyMaxMs)
    violations.push(`a request with an API key took ${figures.keyedMaxMs} ms`);
  if (drainedMs > size.drainMaxMs)
    violations.push(`the backlog was delivered only after ${figures.drainedMs} ms`);
  if (deliveries > 1_000 && figures.drainedPerSecond < 2 * figures.arrivalsPerSecond)
    violations.push(`the backlog was sent at only ${figures.drainedPerSecond} deliveries a second`);
  return { figures, violations };
}

/** @param {import('./environment.mjs').FaultEnvironment} environment */
async function untilFannedOut(environment) {
  while ((await environment.backlog()).events > 0) await wait(50);
}
