import { setTimeout as sleep } from 'node:timers/promises';
import { openFaultEnvironment } from './environment.mjs';
import { busiestSecond } from './measures.mjs';
import { findViolations } from './reconcile.mjs';
import { openSlowReceiver } from './slow-receiver.mjs';

/**
 * Many endpoints fail together and recover together. While they fail, each gets one event, all at about the same time.
 * Their next attempts must not arrive all at once, so each retry delay gets a jitter of up to a tenth of the delay. No
 * second may contain more than twice the attempts that it would contain if all were spread evenly over that tenth.
 * Other endpoints (`piles`) get many more events and respond slowly: no endpoint may ever get more than four requests
 * at once.
 *
 * Delays below 30 s get no jitter, and 30 s do not fit into a short run. The short run therefore checks the times that
 * Postgres stored for the retries instead of waiting for them. It checks requests in flight like the long run.
 *
 * @typedef {{
 *   users: number, perUser: number, downMs: number, delaysMs: number[], isHerdAwaited: boolean,
 *   piles: { users: number, perUser: number, events: number, afterMs: number },
 * }} Size `delaysMs` are the delays before attempts 2 to 5; the endpoints recover during the delay that is measured
 */

const parallelLimit = 4;
const peakMax = 2;
/** The product adds a jitter of up to this part to delays of 30 s or more. */
const jitterPart = 0.1;
const jitterFromMs = 30_000;
const waitMaxMs = 15_000;

const withoutLimits = { WEBHOOK_IN_FLIGHT_MAX: '1024', USER_IN_FLIGHT_MAX: '1024' };

export const fault = {
  id: 'F16',
  title: 'many endpoints go down and come back together',
  target:
    "in no second of the recovery more than twice the recovery's average requests per second; at most 4 concurrent requests per endpoint; lost 0",
  defence: 'jitter and limits of attempts in flight',
  sizes: {
    /** @type {Size} */
    short: {
      users: 4,
      perUser: 25,
      downMs: 1_000,
      delaysMs: [30_000, 30_000, 30_000, 30_000],
      isHerdAwaited: false,
      piles: { users: 2, perUser: 1, events: 24, afterMs: 100 },
    },
    /** @type {Size} */
    long: {
      users: 20,
      perUser: 50,
      downMs: 180_000,
      delaysMs: [5_000, 30_000, 150_000, 600_000],
      isHerdAwaited: true,
      piles: { users: 10, perUser: 2, events: 100, afterMs: 200 },
    },
  },

  /** @param {import('./environment.mjs').FaultRun<Size>} run */
  async run({ size, seed, isDefended }) {
    const receiver = await openSlowReceiver({
      herd: { kind: 'respond', status: 503 },
      pile: { kind: 'respond', status: 200, afterMs: size.piles.afterMs },
    });
    const environment = await openFaultEnvironment({
      seed,
      settings: { RETRY_DELAYS_MS: size.delaysMs.join() },
    });
    try {
      await environment.startDispatcher(isDefended ? {} : { settings: withoutLimits, sabotage: 'no-jitter' });
      const herd = await environment.addWebhooks({
        users: size.users,
        perUser: size.perUser,
        urlOf: (index) => receiver.url('herd', index),
      });
      const piles = await environment.addWebhooks({
        users: size.piles.users,
        perUser: size.piles.perUser,
        urlOf: (index) => receiver.url('pile', index),
      });
      await receiver.addSecrets([...herd, ...piles]);
      await environment.emitMany(usersOf(herd), size.users);
      await sleep(size.downMs);
      await untilAll(environment, herd, "attempts > 0 AND status = 'DUE'");
      await receiver.behave({ herd: { kind: 'respond', status: 200, afterMs: 20 } });
      const recoveredAt = Date.now();
      await environment.emitMany(usersOf(piles), size.piles.events * size.piles.users);
      const herdTimes = await (size.isHerdAwaited
        ? herdArrivals({ environment, receiver, recoveredAt })
        : plannedHerdAttempts({ environment, herd, piles }));
      const { maxInFlightByPath } = await receiver.read();
      const audit = await environment.reconcile(receiver);
      const figures = {
        expected: audit.expected,
        herd: herdTimes.length,
        ...peakOf(herdTimes, jitterMs(size)),
        parallelMax: Math.max(...maxInFlightByPath.values()),
        lost: audit.lost,
      };
      return { figures, violations: judge(figures, audit, size) };
    } finally {
      await environment.close();
      await receiver.close();
    }
  },
};

/** @param {readonly import('./environment.mjs').FaultWebhook[]} webhooks */
const usersOf = (webhooks) => [...new Set(webhooks.map(({ userId }) => userId))];

/** Returns the jitter of the delay during which the endpoints recover. @param {Size} size */
function jitterMs({ delaysMs, downMs }) {
  let passedMs = 0;
  for (const delayMs of delaysMs) {
    passedMs += delayMs;
    if (passedMs > downMs && delayMs >= jitterFromMs) return delayMs * jitterPart;
  }
  throw new Error('the endpoints recover after the last delay with jitter');
}

/**
 * @param {{
 *   environment: import('./environment.mjs').FaultEnvironment, receiver: import('./slow-receiver.mjs').SlowReceiver, recoveredAt: number,
 * }} options
 * @returns {Promise<number[]>} when the herd's attempts arrived, after its endpoints had recovered
 */
async function herdArrivals({ environment, receiver, recoveredAt }) {
  await environment.untilDrained({ withinMs: 120_000 });
  await receiver.read();
  return receiver.received
    .filter(({ path, at }) => path.startsWith('/herd/') && at >= recoveredAt)
    .map(({ at }) => at);
}

/**
 * @param {{
 *   environment: import('./environment.mjs').FaultEnvironment, herd: readonly import('./environment.mjs').FaultWebhook[],
 *   piles: readonly import('./environment.mjs').FaultWebhook[],
 * }} options
 * @returns {Promise<number[]>} when the herd's next attempts are due; resolves when the piles are delivered
 */
async function plannedHerdAttempts({ environment, herd, piles }) {
  await untilAll(environment, piles, "status = 'SUCCEEDED'");
  const rows = await environment.query(
    `SELECT (extract(epoch FROM next_at) * 1000)::float8 AS at FROM webhook_deliveries
     WHERE status = 'DUE' AND attempts = 1 AND webhook_id = ANY($1)`,
    herd.map(({ id }) => id),
  );
  return rows.map(({ at }) => at);
}

/**
 * Waits until all deliveries of these webhooks fulfil the condition, at most `waitMaxMs`.
 *
 * @param {import('./environment.mjs').FaultEnvironment} environment
 * @param {readonly import('./environment.mjs').FaultWebhook[]} webhooks
 * @param {string} condition an SQL expression
 */
async function untilAll(environment, webhooks, condition) {
  const deadline = performance.now() + waitMaxMs;
  while (performance.now() < deadline) {
    const { events } = await environment.backlog();
    const [{ unfulfilled }] = await environment.query(
      `SELECT count(*)::int AS unfulfilled FROM webhook_deliveries WHERE webhook_id = ANY($1) AND NOT (${condition})`,
      webhooks.map(({ id }) => id),
    );
    if (events === 0 && unfulfilled === 0) return;
    await sleep(50);
  }
}

/**
 * Compares the busiest second with the average of an even spread over `spreadMs`.
 *
 * @param {readonly number[]} instants
 * @param {number} spreadMs
 */
function peakOf(instants, spreadMs) {
  const averagePerSecond = instants.length / (spreadMs / 1_000);
  const fullest = busiestSecond(instants);
  return {
    spanSeconds: Math.round((Math.max(...instants) - Math.min(...instants)) / 100) / 10,
    averagePerSecond: Math.round(averagePerSecond),
    busiestSecond: fullest,
    peak: Math.round((fullest / averagePerSecond) * 100) / 100,
  };
}

/**
 * @param {{ herd: number, peak: number, parallelMax: number }} figures
 * @param {import('./reconcile.mjs').Figures} audit
 * @param {Size} size
 */
function judge({ herd, peak, parallelMax }, audit, { users, perUser, isHerdAwaited }) {
  // In the short run, the herd's attempts are still due.
  const violations = findViolations(isHerdAwaited ? audit : { ...audit, waiting: 0 });
  if (herd < users * perUser) violations.push(`only ${herd} of ${users * perUser} attempts were repeated`);
  if (!(peak <= peakMax)) violations.push(`the busiest second had ${peak} times the average`);
  if (parallelMax > parallelLimit) violations.push(`one endpoint got ${parallelMax} requests at once`);
  return violations;
}
