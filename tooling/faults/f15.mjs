import { setTimeout as sleep } from 'node:timers/promises';
import { encodeId } from '@trading-automation/contracts';
import { openFaultEnvironment } from './environment.mjs';
import { atRate, quantile, watchMemory } from './measures.mjs';
import { findViolations } from './reconcile.mjs';
import { openSlowReceiver } from './slow-receiver.mjs';

/**
 * Receivers hang or stream endlessly while thousands of deliveries wait for them. Another user's receiver works. There
 * are three crowds of bad receivers. In the first, all webhooks of a few users hang. In the second, the responses to
 * all webhooks of a few users never end. In the third, one webhook of each of many users hangs; no limit per user
 * helps there.
 *
 * @typedef {{ name: string, users: number, perUser: number, events: number, mode: 'hang' | 'stream' }} Crowd
 *   each user gets `events` events, and each event is due at each webhook of the user
 * @typedef {{
 *   timeoutMs: number, seconds: number, warmUpEvents: number, judgedPart: number, isMemoryJudged: boolean,
 *   crowds: Crowd[],
 * }} Size `judgedPart`: the share of the other user's first attempts that must
 *   arrive in time; `warmUpEvents` are sent to 50 webhooks beforehand
 */

const waitMaxMs = 2_000;
const growthMaxMb = 64;
const perSecond = 10;
/** Attempts that were started reach the receiver within this time. */
const settleMs = 500;

/**
 * Without the defence: one queue for all receivers, without limits per webhook and user. All but one of the slow
 * attempts keep their workers, because `IN_FLIGHT_MAX` limits the attempts that released theirs.
 */
const withoutLimits = {
  DELIVERY_CONCURRENCY: '64',
  IN_FLIGHT_MAX: '1',
  WEBHOOK_IN_FLIGHT_MAX: '1024',
  USER_IN_FLIGHT_MAX: '1024',
};

export const fault = {
  id: 'F15',
  title: 'receivers hang, with thousands of deliveries waiting for them',
  target: "another user's first attempts within 2 s (p99), memory at most 64 MiB more, lost 0",
  defence: 'limits of attempts in flight, slow attempts that release their worker, a lane for slow webhooks',
  sizes: {
    /** @type {Size} */
    short: {
      timeoutMs: 6_000,
      seconds: 3,
      warmUpEvents: 1,
      judgedPart: 0.5,
      isMemoryJudged: false,
      crowds: [{ name: 'hanging', users: 2, perUser: 40, events: 4, mode: 'hang' }],
    },
    /** @type {Size} */
    long: {
      timeoutMs: 30_000,
      seconds: 45,
      warmUpEvents: 60,
      judgedPart: 0.99,
      isMemoryJudged: true,
      crowds: [
        { name: 'hanging', users: 4, perUser: 50, events: 50, mode: 'hang' },
        { name: 'streaming', users: 4, perUser: 50, events: 50, mode: 'stream' },
        { name: 'many users', users: 200, perUser: 1, events: 50, mode: 'hang' },
      ],
    },
  },

  /** @param {import('./environment.mjs').FaultRun<Size>} run */
  async run({ size, seed, isDefended, print }) {
    /** @type {Record<string, unknown>} */
    const figures = {};
    const violations = [];
    for (const crowd of isDefended ? size.crowds : size.crowds.slice(0, 1)) {
      const result = await runBesideCrowd(crowd, { size, seed, isDefended });
      print(`${crowd.name}: ${JSON.stringify(result.figures)}`);
      figures[crowd.name] = result.figures;
      violations.push(...result.violations.map((violation) => `${crowd.name}: ${violation}`));
    }
    return { figures, violations };
  },
};

/**
 * @param {Crowd} crowd
 * @param {{ size: Size, seed: number, isDefended: boolean }} run
 */
async function runBesideCrowd(crowd, { size, seed, isDefended }) {
  const receiver = await openSlowReceiver({
    hang: { kind: 'hang' },
    stream: { kind: 'stream', everyMs: 200 },
    healthy: { kind: 'respond', status: 200, afterMs: 20 },
  });
  const environment = await openFaultEnvironment({
    seed,
    settings: { ATTEMPT_TIMEOUT_MS: String(size.timeoutMs), LEASE_MS: String(size.timeoutMs * 1.5) },
  });
  try {
    const { users, perUser, mode } = crowd;
    const bad = await environment.addWebhooks({
      users,
      perUser,
      urlOf: (index) => receiver.url(mode, index),
    });
    const [good] = await environment.addWebhooks({ urlOf: () => receiver.url('healthy', 0) });
    if (good === undefined) throw new Error('no webhook was created');
    const warmUpWebhooks = await environment.addWebhooks({
      perUser: 50,
      urlOf: (index) => receiver.url('healthy', index),
    });
    await receiver.addSecrets([...bad, good, ...warmUpWebhooks]);
    const dispatcher = await environment.startDispatcher({ settings: isDefended ? {} : withoutLimits });
    await environment.emitMany(
      [/** @type {string} */ (warmUpWebhooks[0]?.userId), good.userId],
      2 * size.warmUpEvents,
    );
    await environment.untilDrained({ withinMs: 60_000 });

    const memory = watchMemory(dispatcher.pid);
    await environment.emitMany([...new Set(bad.map(({ userId }) => userId))], crowd.events * crowd.users);
    await sleep(settleMs);
    const emitted = await atRate({ perSecond, count: perSecond * size.seconds }, async () => {
      const at = Date.now();
      return { at, eventId: await environment.emit(good.userId) };
    });
    const { maxInFlight, waits } = await firstWaits(emitted, receiver);
    const { growthMb } = memory.stop();
    const audit = await environment.reconcile(receiver);
    const judgedMs = quantile(waits, size.judgedPart);
    const figures = {
      p50Ms: quantile(waits, 0.5),
      p99Ms: quantile(waits, 0.99),
      growthMb,
      inFlightMax: maxInFlight,
      expected: audit.expected,
      lost: audit.lost,
    };
    return { figures, violations: judge({ judgedMs, growthMb }, audit, size) };
  } finally {
    await environment.close();
    await receiver.close();
  }
}

/**
 * Returns the time from the commit of each event to its first request. If an event has not arrived after `waitMaxMs`,
 * its time is measured until then.
 *
 * @param {readonly { at: number, eventId: string }[]} emitted
 * @param {import('./slow-receiver.mjs').SlowReceiver} receiver
 */
async function firstWaits(emitted, receiver) {
  const deadline = performance.now() + waitMaxMs;
  for (;;) {
    const { maxInFlight } = await receiver.read();
    const now = Date.now();
    /** @type {Map<string, number>} */
    const firstArrivals = new Map();
    for (const { eventId, at } of receiver.received)
      if (!firstArrivals.has(eventId)) firstArrivals.set(eventId, at);
    const arrivals = emitted.map(({ eventId }) => firstArrivals.get(encodeId('evt', eventId)));
    if (arrivals.every((at) => at !== undefined) || performance.now() > deadline) {
      return { maxInFlight, waits: emitted.map(({ at }, index) => (arrivals[index] ?? now) - at) };
    }
    await sleep(settleMs);
  }
}

/**
 * @param {{ judgedMs: number, growthMb: number }} measured
 * @param {import('./reconcile.mjs').Figures} audit
 * @param {Size} size
 */
function judge({ judgedMs, growthMb }, audit, { isMemoryJudged, judgedPart }) {
  // By design, deliveries to the crowd are due and still wait.
  const violations = findViolations({ ...audit, waiting: 0, stuck: 0 });
  if (judgedMs > waitMaxMs)
    violations.push(`first attempts of the other user took ${judgedMs} ms (p${judgedPart * 100})`);
  if (isMemoryJudged && growthMb > growthMaxMb) violations.push(`the dispatcher grew by ${growthMb} MiB`);
  return violations;
}
