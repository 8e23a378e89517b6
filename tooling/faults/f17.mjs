import { setTimeout as sleep } from 'node:timers/promises';
import { encodeId } from '@trading-automation/contracts';
import { openFaultEnvironment } from './environment.mjs';
import { findViolations, pairOf } from './reconcile.mjs';
import { openSlowReceiver } from './slow-receiver.mjs';

/**
 * Three dispatchers share the work, and all their clocks are wrong: one is 90 s ahead, one is 90 s behind, and one is
 * set back by a little over five minutes halfway through the run, in a time zone with daylight saving time. At that
 * moment the dispatcher that is ahead is stopped. The other two must take over its retries, which by their clocks lie
 * far in the future. The receiver rejects every event twice, so that most attempts are scheduled retries. Its clock is
 * correct, and it rejects invalid signatures.
 *
 * Postgres's clock decides: no attempt is early, none is more than a minute late, and all are signed with the
 * correct time.
 *
 * @typedef {{ users: number, perUser: number, perSecond: number, seconds: number, delaysMs: number[],
 *   drainMaxMs: number, settings: Record<string, string> }} Size `drainMaxMs` is an upper limit: the run ends as
 *   soon as the backlog is empty
 */

const skewMs = 90_000;
/** Just beyond the five minutes for which receivers accept a signature. */
const stepBackMs = 305_000;
/** A due attempt must arrive within this time. */
const lateMaxMs = 60_000;
const acceptedFromAttempt = 3;

export const fault = {
  id: 'F17',
  title: 'dispatchers whose clocks are 90 s ahead, 90 s behind and set back by 5 min',
  target:
    'no attempt early or more than a minute late; a receiver with a correct clock accepts every signature; lost 0',
  defence: "the use of Postgres's clock",
  sizes: {
    /** @type {Size} */
    short: {
      users: 20,
      perUser: 2,
      perSecond: 10,
      seconds: 2,
      delaysMs: [500, 700, 300, 300],
      drainMaxMs: 40_000,
      settings: { SWEEP_MS: '300' },
    },
    /** @type {Size} */
    long: {
      users: 100,
      perUser: 2,
      perSecond: 20,
      seconds: 60,
      delaysMs: [2_000, 5_000, 8_000, 10_000],
      drainMaxMs: 120_000,
      settings: {},
    },
  },

  /** @param {import('./environment.mjs').FaultRun<Size>} run */
  async run({ size, seed, isDefended }) {
    const receiver = await openSlowReceiver({
      flaky: { kind: 'respond', status: 503, okFrom: acceptedFromAttempt, afterMs: 20 },
    });
    const settings = { ...size.settings, RETRY_DELAYS_MS: size.delaysMs.join() };
    const environment = await openFaultEnvironment({ seed, settings });
    try {
      const { users, perUser } = size;
      const webhooks = await environment.addWebhooks({
        users,
        perUser,
        urlOf: (index) => receiver.url('flaky', index),
      });
      await receiver.addSecrets(webhooks);
      const start = dispatcherStarter(environment, isDefended);
      const middleMs = (size.seconds * 1_000) / 2;
      const [aheadDispatcher] = await Promise.all([
        start({ CLOCK_SHIFT_MS: String(skewMs) }),
        start({ CLOCK_SHIFT_MS: String(-skewMs) }),
        start({
          CLOCK_STEP_MS: String(-stepBackMs),
          CLOCK_STEP_AFTER_MS: String(middleMs),
          TZ: 'America/New_York',
        }),
      ]);
      const producing = environment.emitMany(
        [...new Set(webhooks.map(({ userId }) => userId))],
        size.perSecond * size.seconds,
        { perSecond: size.perSecond },
      );
      await sleep(middleMs);
      await aheadDispatcher.kill('SIGTERM');
      await producing;
      await environment.untilDrained({ withinMs: isDefended ? size.drainMaxMs : size.drainMaxMs / 4 });
      await receiver.read();
      const audit = await environment.reconcile(receiver);
      const lateMs = await maxLatenessMs(environment, receiver.received);
      const tooSoon = countTooSoon(receiver.received, size.delaysMs);
      const figures = { ...audit, tooSoon, lateMs };
      const violations = findViolations(audit);
      if (tooSoon > 0) violations.push(`${tooSoon} attempts arrived before the retry delay had passed`);
      if (audit.dead > 0) violations.push(`${audit.dead} deliveries are dead`);
      if (lateMs > lateMaxMs) violations.push(`an attempt arrived ${lateMs} ms late`);
      return { figures, violations };
    } finally {
      await environment.close();
      await receiver.close();
    }
  },
};

/**
 * Returns a function that starts a dispatcher with a wrong clock. Without the defence, its SQL statements use that
 * clock instead of Postgres's.
 *
 * @param {import('./environment.mjs').FaultEnvironment} environment
 * @param {boolean} isDefended
 */
function dispatcherStarter(environment, isDefended) {
  const clock = new URL('clock.mjs', import.meta.url).href;
  return (/** @type {Record<string, string>} */ settings) =>
    environment.startDispatcher({
      settings: {
        ...settings,
        NODE_OPTIONS: `${environment.dispatcherEnv.NODE_OPTIONS ?? ''} --import=${clock}`,
      },
      ...(isDefended ? {} : { sabotage: 'process-clock' }),
    });
}

/**
 * @param {import('./environment.mjs').FaultEnvironment} environment
 * @param {readonly import('./slow-receiver.mjs').Received[]} received
 * @returns {Promise<number>} the greatest delay between the scheduled time of an attempt and its arrival, in milliseconds
 */
async function maxLatenessMs(environment, received) {
  /** @type {{ webhook: string, event: string, attempt: number, at: number }[]} */
  const scheduled = await environment.query(
    `SELECT d.webhook_id AS webhook, d.event_id AS event, a.attempt + 1 AS attempt,
       (extract(epoch FROM a.next_attempt_at) * 1000)::float8 AS at
     FROM webhook_attempts a JOIN webhook_deliveries d ON d.id = a.delivery_id WHERE a.next_attempt_at IS NOT NULL`,
  );
  const arrivedAt = new Map(
    received.map(({ webhookId, eventId, attempt, at }) => [`${pairOf(webhookId, eventId)} ${attempt}`, at]),
  );
  const now = Date.now();
  let lateMs = 0;
  for (const { webhook, event, attempt, at } of scheduled) {
    const key = `${pairOf(encodeId('whk', webhook), encodeId('evt', event))} ${attempt}`;
    lateMs = Math.max(lateMs, (arrivedAt.get(key) ?? now) - at);
  }
  return Math.round(lateMs);
}

/**
 * Counts attempts that arrived before the retry delay had passed, measured by the receiver's clock.
 *
 * @param {readonly import('./slow-receiver.mjs').Received[]} received
 * @param {readonly number[]} delaysMs
 */
function countTooSoon(received, delaysMs) {
  /** @type {Map<string, number>} */
  const lastAt = new Map();
  let count = 0;
  for (const { webhookId, eventId, attempt, at } of received) {
    const pair = pairOf(webhookId, eventId);
    const previousAt = lastAt.get(pair);
    if (previousAt !== undefined && at - previousAt < (delaysMs[attempt - 2] ?? 0)) count++;
    lastAt.set(pair, at);
  }
  return count;
}
