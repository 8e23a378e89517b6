import { setTimeout as sleep } from 'node:timers/promises';
import { encodeId } from '@trading-automation/contracts';
import { pairOf, wrongsOf } from './reconcile.mjs';
import { openSlowReceiver } from './slow-receiver.mjs';
import { openFaultWorld } from './world.mjs';

/**
 * Three dispatchers share the work, and none of their clocks is right: one is 90 s ahead, one 90 s behind, and one is
 * stepped back by a little over five minutes in the middle, in a zone that has daylight saving time. The one that is
 * ahead leaves then: what it had planned has to be found by clocks that call it the far future. Every event fails twice before it
 * is taken, so that most attempts are planned ones; the receiver's clock is right and it refuses what is not genuine.
 *
 * Postgres's clock decides: no attempt comes before its time, none much later, and all are signed with the right time.
 *
 * @typedef {{ users: number, perUser: number, perSecond: number, seconds: number, delaysMs: number[],
 *   drainMaxMs: number, settings: Record<string, string> }} Size what is drained sooner ends sooner
 */

const skewMs = 90_000;
/** Receivers take a signature of five minutes ago, to the second. */
const stepBackMs = 305_000;
/** What is due runs again within a minute, whatever was lost. */
const lateMaxMs = 60_000;
const takenAtAttempt = 3;

export const fault = {
  id: 'F17',
  title: 'clocks 90 s ahead, 90 s behind and stepped back by 5 min',
  target: 'no attempt early, none over a minute late, all genuine to a receiver whose clock is right, lost 0',
  defence: "Postgres's clock",
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

  /** @param {import('./world.mjs').FaultRun<Size>} run */
  async run({ size, seed, isDefended }) {
    const receiver = await openSlowReceiver({
      flaky: { kind: 'answer', status: 503, okFrom: takenAtAttempt, afterMs: 20 },
    });
    const settings = { ...size.settings, RETRY_DELAYS_MS: size.delaysMs.join() };
    const world = await openFaultWorld({ seed, settings });
    try {
      const { users, perUser } = size;
      const hooks = await world.addHooks({ users, perUser, urlOf: (index) => receiver.url('flaky', index) });
      await receiver.trust(hooks);
      const start = starter(world, isDefended);
      const middleMs = (size.seconds * 1_000) / 2;
      const [ahead] = await Promise.all([
        start({ CLOCK_SHIFT_MS: String(skewMs) }),
        start({ CLOCK_SHIFT_MS: String(-skewMs) }),
        start({
          CLOCK_STEP_MS: String(-stepBackMs),
          CLOCK_STEP_AFTER_MS: String(middleMs),
          TZ: 'America/New_York',
        }),
      ]);
      const producing = world.emitMany(
        [...new Set(hooks.map(({ userId }) => userId))],
        size.perSecond * size.seconds,
        { perSecond: size.perSecond },
      );
      await sleep(middleMs);
      await ahead.kill('SIGTERM');
      await producing;
      await world.drained({ withinMs: isDefended ? size.drainMaxMs : size.drainMaxMs / 4 });
      await receiver.read();
      const audit = await world.reconcile(receiver);
      const lateMs = await latest(world, receiver.received);
      const tooSoon = countTooSoon(receiver.received, size.delaysMs);
      const figures = { ...audit, tooSoon, lateMs };
      const verdict = wrongsOf(audit);
      if (tooSoon > 0) verdict.push(`${tooSoon} attempts did not wait`);
      if (audit.dead > 0) verdict.push(`${audit.dead} deliveries are dead`);
      if (lateMs > lateMaxMs) verdict.push(`an attempt came ${lateMs} ms late`);
      return { figures, verdict };
    } finally {
      await world.close();
      await receiver.close();
    }
  },
};

/**
 * Begins dispatchers with clocks of their own. Without the defence, the clock is asked wherever Postgres's is else.
 *
 * @param {import('./world.mjs').FaultWorld} world
 * @param {boolean} isDefended
 */
function starter(world, isDefended) {
  const clock = new URL('clock.mjs', import.meta.url).href;
  return (/** @type {Record<string, string>} */ settings) =>
    world.startDispatcher({
      settings: { ...settings, NODE_OPTIONS: `${world.environment.NODE_OPTIONS ?? ''} --import=${clock}` },
      ...(isDefended ? {} : { sabotage: 'own-clock' }),
    });
}

/**
 * @param {import('./world.mjs').FaultWorld} world
 * @param {readonly import('./slow-receiver.mjs').Received[]} received
 * @returns {Promise<number>} from the instant of an attempt to its coming, at most, in milliseconds
 */
async function latest(world, received) {
  /** @type {{ webhook: string, event: string, attempt: number, at: number }[]} */
  const planned = await world.query(
    `SELECT d.webhook_id AS webhook, d.event_id AS event, a.attempt + 1 AS attempt,
       (extract(epoch FROM a.next_attempt_at) * 1000)::float8 AS at
     FROM webhook_attempts a JOIN webhook_deliveries d ON d.id = a.delivery_id WHERE a.next_attempt_at IS NOT NULL`,
  );
  const cameAt = new Map(
    received.map(({ webhookId, eventId, attempt, at }) => [`${pairOf(webhookId, eventId)} ${attempt}`, at]),
  );
  const now = Date.now();
  let lateMs = 0;
  for (const { webhook, event, attempt, at } of planned) {
    const key = `${pairOf(encodeId('whk', webhook), encodeId('evt', event))} ${attempt}`;
    lateMs = Math.max(lateMs, (cameAt.get(key) ?? now) - at);
  }
  return Math.round(lateMs);
}

/**
 * Attempts that came sooner after the one before than they have to wait, by the receiver's clock alone.
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
    const before = lastAt.get(pair);
    if (before !== undefined && at - before < (delaysMs[attempt - 2] ?? 0)) count++;
    lastAt.set(pair, at);
  }
  return count;
}
