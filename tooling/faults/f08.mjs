import { setTimeout as wait } from 'node:timers/promises';
import { keepCalling, openCaller, statuses } from './callers.mjs';
import { openLedgerReceiver } from './receiver.mjs';
import { wrongsOf } from './reconcile.mjs';
import { openFaultWorld } from './world.mjs';

/**
 * Redis is down for a long time, then suspended for a long time, which is worse: every caller waits. Meanwhile events
 * are committed and requests with an API key are served; only signed requests need Redis, for their nonces. Once it is
 * back, the backlog must go out faster than it came in.
 */

/** The longest that a request with a key may wait for a suspended Redis. */
const keyedMaxMs = 5_000;

export const fault = {
  id: 'F8',
  title: 'Redis is down for a long time, then suspended for a long time (SIGSTOP)',
  target:
    'lost 0; requests with a key are served, signed ones get 503; the backlog of 60,000 is gone in 10 min, at twice the rate of arrival',
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

  /** @param {import('./world.mjs').FaultRun<any>} run */
  async run({ size, seed, isDefended, say }) {
    const receiver = await openLedgerReceiver();
    const world = await openFaultWorld({
      seed,
      redis: 'appendonly',
      settings: { ...size.settings, ...(isDefended ? {} : { SWEEP_MS: '600000' }) },
    });
    try {
      const hooks = await world.addHooks({ users: size.users, perUser: 4, receiver });
      const [api] = await Promise.all([world.startApi(), world.startDispatcher()]);
      const caller = await openCaller(world, api.url, receiver);
      const userIds = [...new Set(hooks.map(({ userId }) => userId))];
      /** @type {Stage} */
      const stage = { world, caller, userIds, size };
      const gone = await absence(
        stage,
        size.downMs,
        {
          begin: () => world.redis.kill(),
          end: () => world.redis.start(),
        },
        isDefended,
      );
      say(`down: ${JSON.stringify(gone.figures)}`);
      const stopped = await absence(
        stage,
        size.pauseMs,
        {
          begin: async () => world.redis.pause(),
          end: async () => world.redis.resume(),
        },
        isDefended,
      );
      say(`standing still: ${JSON.stringify(stopped.figures)}`);
      await caller.settle();
      const figures = await world.reconcile(receiver);
      return {
        figures: { ...figures, down: gone.figures, stopped: stopped.figures },
        verdict: [...wrongsOf(figures), ...gone.verdict, ...stopped.verdict],
      };
    } finally {
      await world.close();
      await receiver.close();
    }
  },
};

/**
 * @typedef {{
 *   world: import('./world.mjs').FaultWorld, caller: import('./callers.mjs').Caller, userIds: string[], size: any,
 * }} Stage
 */

/**
 * Sends events and requests while Redis is unavailable, and measures the time that the backlog takes afterwards.
 *
 * @param {Stage} stage
 * @param {number} awayMs
 * @param {{ begin: () => Promise<void>, end: () => Promise<void> }} away
 * @param {boolean} isDefended
 */
async function absence({ world, caller, userIds, size }, awayMs, away, isDefended) {
  await away.begin();
  const keyed = keepCalling(() => caller.change());
  const signed = keepCalling(() => caller.sign());
  await world.emitMany(userIds, Math.round((size.perSecond * awayMs) / 1_000), { perSecond: size.perSecond });
  // The last requests are sent while it is unavailable, and get their responses.
  const [keyedAnswers, signedAnswers] = await Promise.all([keyed.stop(), signed.stop()]);
  // What was committed is fanned out with or without Redis.
  await fannedOut(world);
  const { deliveries } = await world.backlog();
  await away.end();
  const from = performance.now();
  await world.drained({ withinMs: isDefended ? size.drainMaxMs : 3_000 });
  const drainedMs = performance.now() - from;

  const figures = {
    backlog: deliveries,
    arrivalsPerSecond: size.perSecond * 4,
    drainedMs: Math.round(drainedMs),
    drainedPerSecond: Math.round(deliveries / (drainedMs / 1_000)),
    keyed: statuses(keyedAnswers),
    keyedMostMs: Math.round(Math.max(...keyedAnswers.map(({ tookMs }) => tookMs))),
    signed: statuses(signedAnswers),
  };
  const verdict = [];
  const refused = keyedAnswers.filter(({ status }) => status < 200 || status > 299);
  const admitted = signedAnswers.filter(({ status }) => status !== 503);
  if (refused.length > 0) verdict.push(`${refused.length} requests with a key were not served`);
  if (admitted.length > 0) verdict.push(`${admitted.length} signed requests were not answered with 503`);
  if (figures.keyedMostMs > keyedMaxMs) verdict.push(`a request with a key took ${figures.keyedMostMs} ms`);
  if (drainedMs > size.drainMaxMs) verdict.push(`the backlog took ${figures.drainedMs} ms`);
  if (deliveries > 1_000 && figures.drainedPerSecond < 2 * figures.arrivalsPerSecond)
    verdict.push(`the backlog went out at ${figures.drainedPerSecond} a second`);
  return { figures, verdict };
}

/** @param {import('./world.mjs').FaultWorld} world */
async function fannedOut(world) {
  while ((await world.backlog()).events > 0) await wait(50);
}
