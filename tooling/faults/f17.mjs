import { setTimeout as sleep } from 'node:timers/promises';
import { encodeId } from '@trading-automation/contracts';
import { openFaultEnvironment } from './environment.mjs';
import { findViolations, pairOf } from './reconcile.mjs';
import { openSlowReceiver } from './slow-receiver.mjs';

/**
 * Three dispatchers share the work, and all their clocks are wrong: one is 90 s ahead, one is 90 s behind, and one is
 * stepped back by a little over five minutes halfway through the run, in a time zone with daylight saving time. At that
 * moment the dispatcher that is ahead is stopped. The others, for whose clocks its retries lie far in the future, must find
 * them. The receiver rejects every event twice, so that most attempts are scheduled retries. Its clock is correct, and it
 * rejects invalid signatures.
 *
 * Postgres's clock decides: no attempt is early, none is much too late, and all are signed with the correct time.
 *
 * @typedef {{ users: number, perUser: number, perSecond: number, seconds: number, delaysMs: number[],
 *   drainMaxMs: number, settings: Record<string, string> }} Size `drainMaxMs` is an upper limit: the run ends as soon as the backlog is empty
 */

const skewMs = 90_000;
/** Just beyond the five minutes for which receivers accept a signature. */
const stepBackMs = 305_000;
/** Due deliveries run again within a minute, whatever was lost. */
const lateMaxMs = 60_000;
const acceptedFromAttempt = 3;

export const fault = {
  id: 'F17',
  title: 'clocks 90 s ahead, 90 s behind and stepped back by 5 min',
  target: 'no attempt early, none over a minute late, all valid for a receiver with a correct clock, lost 0',
  defence: "using Postgres's clock",
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
      flaky: { kind: 'answer', status: 503, okFrom: acceptedFromAttempt, afterMs: 20 },
    });
    const settings = { ...size.settings, RETRY_DELAYS_MS: size.delaysMs.join() };
    const environment = await openFaultEnvironment({ seed, settings });
    try {
      const { users, perUser } = size;
      const hooks = await environment.addHooks({
        users,
        perUser,
        urlOf: (index) => receiver.url('flaky', index),
      });
      await receiver.trust(hooks);
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
        [...new Set(hooks.map(({ userId }) => userId))],
        size.perSecond * size.seconds,
        { perSecond: size.perSecond },
      );
      await sleep(middleMs);
      await aheadDispatcher.kill('SIGTERM');
      await producing;
      await environment.drained({ withinMs: isDefended ? size.drainMaxMs : size.drainMaxMs / 4 });
      await receiver.read();
      const audit = await environment.reconcile(receiver);
      const lateMs = await maxLatenessMs(environment, receiver.received);
      const tooSoon = countTooSoon(receiver.received, size.delaysMs);
      const figures = { ...audit, tooSoon, lateMs };
      const verdict = findViolations(audit);
      if (tooSoon > 0) verdict.push(`${tooSoon} attempts arrived before the retry delay had passed`);
      if (audit.dead > 0) verdict.push(`${audit.dead} deliveries are dead`);
      if (lateMs > lateMaxMs) verdict.push(`an attempt arrived ${lateMs} ms late`);
      return { figures, verdict };
    } finally {
      await environment.close();
      await receiver.close();
    }
  },
};

/**
 * Returns a function that starts a dispatcher with a wrong clock. Without the defence, statements use that clock instead of Postgres's.
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
      ...(isDefended ? {} : { sabotage: 'own-clock' }),
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
