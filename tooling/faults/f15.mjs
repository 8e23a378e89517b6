import { setTimeout as sleep } from 'node:timers/promises';
import { encodeId } from '@trading-automation/contracts';
import { atRate, quantile, watchMemory } from './measures.mjs';
import { wrongsOf } from './reconcile.mjs';
import { openSlowReceiver } from './slow-receiver.mjs';
import { openFaultWorld } from './world.mjs';

/**
 * Receivers that hang or stream without end, with thousands of deliveries waiting for them, and a user whose receiver is
 * well. Three crowds are bad in different ways: webhooks of a few users that hang all at once, the same with answers
 * that never end, and hanging webhooks of as many users, where no user's cap helps.
 *
 * @typedef {{ name: string, users: number, perUser: number, events: number, mode: 'hang' | 'stream' }} Crowd
 *   each of the users gets `events` events, and is owed each of them at each of its webhooks
 * @typedef {{
 *   timeoutMs: number, seconds: number, warmUpEvents: number, judgedPart: number, isMemoryJudged: boolean,
 *   crowds: Crowd[],
 * }} Size `judgedPart` of the other user's first attempts must come in time; `warmUpEvents` go to 50 webhooks before
 */

const waitMaxMs = 2_000;
const growthMaxMb = 64;
const perSecond = 10;
/** Attempts that were begun are on their way this soon. */
const settleMs = 500;

/** One lane for all receivers: a plain worker of the queue. */
const plainWorker = {
  DELIVERY_CONCURRENCY: '64',
  IN_FLIGHT_MAX: '1',
  WEBHOOK_IN_FLIGHT_MAX: '1024',
  USER_IN_FLIGHT_MAX: '1024',
};

export const fault = {
  id: 'F15',
  title: 'receivers hang, with thousands of deliveries waiting for them',
  target: "another user's first attempts within 2 s (p99), memory at most 64 MiB more, nothing lost",
  defence: 'limits of attempts in flight, places that are given back, a lane for slow webhooks',
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
        { name: 'strangers', users: 200, perUser: 1, events: 50, mode: 'hang' },
      ],
    },
  },

  /** @param {import('./world.mjs').FaultRun<Size>} run */
  async run({ size, seed, isDefended, say }) {
    /** @type {Record<string, unknown>} */
    const figures = {};
    const verdict = [];
    for (const crowd of isDefended ? size.crowds : size.crowds.slice(0, 1)) {
      const one = await besideCrowd(crowd, { size, seed, isDefended });
      say(`${crowd.name}: ${JSON.stringify(one.figures)}`);
      figures[crowd.name] = one.figures;
      verdict.push(...one.verdict.map((wrong) => `${crowd.name}: ${wrong}`));
    }
    return { figures, verdict };
  },
};

/**
 * @param {Crowd} crowd
 * @param {{ size: Size, seed: number, isDefended: boolean }} run
 */
async function besideCrowd(crowd, { size, seed, isDefended }) {
  const receiver = await openSlowReceiver({
    hang: { kind: 'hang' },
    stream: { kind: 'stream', everyMs: 200 },
    well: { kind: 'answer', status: 200, afterMs: 20 },
  });
  const world = await openFaultWorld({
    seed,
    settings: { ATTEMPT_TIMEOUT_MS: String(size.timeoutMs), LEASE_MS: String(size.timeoutMs * 1.5) },
  });
  try {
    const { users, perUser, mode } = crowd;
    const bad = await world.addHooks({ users, perUser, urlOf: (index) => receiver.url(mode, index) });
    const [good] = await world.addHooks({ urlOf: () => receiver.url('well', 0) });
    if (good === undefined) throw new Error('no webhook was made');
    const others = await world.addHooks({ perUser: 50, urlOf: (index) => receiver.url('well', index) });
    await receiver.trust([...bad, good, ...others]);
    const dispatcher = await world.startDispatcher({ settings: isDefended ? {} : plainWorker });
    await world.emitMany([/** @type {string} */ (others[0]?.userId), good.userId], 2 * size.warmUpEvents);
    await world.drained({ withinMs: 60_000 });

    const memory = watchMemory(dispatcher.pid);
    await world.emitMany([...new Set(bad.map(({ userId }) => userId))], crowd.events * crowd.users);
    await sleep(settleMs);
    const emitted = await atRate({ perSecond, count: perSecond * size.seconds }, async () => {
      const at = Date.now();
      return { at, eventId: await world.emit(good.userId) };
    });
    const { most, waits } = await firstWaits(emitted, receiver);
    const { growthMb } = memory.stop();
    const audit = await world.reconcile(receiver);
    const judgedMs = quantile(waits, size.judgedPart);
    const figures = {
      p50Ms: quantile(waits, 0.5),
      p99Ms: quantile(waits, 0.99),
      growthMb,
      inFlightMost: most,
      owed: audit.owed,
      lost: audit.lost,
    };
    return { figures, verdict: judge({ judgedMs, growthMb }, audit, size) };
  } finally {
    await world.close();
    await receiver.close();
  }
}

/**
 * From the commit of each event to its first request; what does not come in time for any of them waits until now.
 *
 * @param {readonly { at: number, eventId: string }[]} emitted
 * @param {import('./slow-receiver.mjs').SlowReceiver} receiver
 */
async function firstWaits(emitted, receiver) {
  const deadline = performance.now() + waitMaxMs;
  for (;;) {
    const { most } = await receiver.read();
    const now = Date.now();
    /** @type {Map<string, number>} */
    const cameAt = new Map();
    for (const { eventId, at } of receiver.received) if (!cameAt.has(eventId)) cameAt.set(eventId, at);
    const came = emitted.map(({ eventId }) => cameAt.get(encodeId('evt', eventId)));
    if (came.every((at) => at !== undefined) || performance.now() > deadline) {
      return { most, waits: emitted.map(({ at }, index) => (came[index] ?? now) - at) };
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
  // What is owed to the crowd is due and waits for its turn, by design.
  const verdict = wrongsOf({ ...audit, waiting: 0, stuck: 0 });
  if (judgedMs > waitMaxMs)
    verdict.push(`first attempts of the other user took ${judgedMs} ms (p${judgedPart * 100})`);
  if (isMemoryJudged && growthMb > growthMaxMb) verdict.push(`the dispatcher grew by ${growthMb} MiB`);
  return verdict;
}
