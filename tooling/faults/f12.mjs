import { setTimeout as wait } from 'node:timers/promises';
import { openLedgerReceiver } from './receiver.mjs';
import { wrongsOf } from './reconcile.mjs';
import { openTcpProxy } from './tcp-proxy.mjs';
import { openFaultWorld } from './world.mjs';

/**
 * Every round trip to Postgres takes half a second, and for a while no statement ends at all, so every connection of
 * the pool is taken and waits. Two dispatchers share the work, and each could consider the other dead. Jobs would hide
 * it if they did. Therefore Redis constantly forgets all jobs here, so that only leases protect.
 */

const forgettingMs = 250;

/** What an attempt may take and be recorded in is over before the record is: the other one sends it again. */
const hastyLeases = { ATTEMPT_TIMEOUT_MS: '60', LEASE_MS: '100', SILENCE_MS: '100', SWEEP_MS: '50' };

export const fault = {
  id: 'F12',
  title: 'Postgres is slow (500 ms a round trip), and the pool is exhausted',
  target: 'lost 0, duplicates 0, no dispatcher exits',
  defence: 'leases longer than the slowest record',
  sizes: {
    short: {
      users: 5,
      events: 10,
      perSecond: 40,
      roundTripMs: 120,
      lockedMs: 400,
      settings: { SWEEP_MS: '500' },
    },
    long: { users: 20, events: 800, perSecond: 10, roundTripMs: 500, lockedMs: 12_000, settings: {} },
  },

  /** @param {import('./world.mjs').FaultRun<any>} run */
  async run({ size, seed, isDefended, say }) {
    const receiver = await openLedgerReceiver();
    const world = await openFaultWorld({
      seed,
      settings: { ...size.settings, ...(isDefended ? {} : hastyLeases) },
    });
    const proxy = await openTcpProxy(Number(new URL(world.databaseUrl).port));
    try {
      const hooks = await world.addHooks({ users: size.users, perUser: 4, receiver });
      const settings = { DATABASE_URL: proxy.through(world.databaseUrl) };
      const dispatchers = await Promise.all([
        world.startDispatcher({ settings }),
        world.startDispatcher({ settings }),
      ]);
      let ended = 0;
      for (const dispatcher of dispatchers) void dispatcher.ended.then(() => ended++);
      proxy.delay(size.roundTripMs / 2);
      const producing = world.emitMany([...new Set(hooks.map(({ userId }) => userId))], size.events, {
        perSecond: size.perSecond,
      });
      let isOver = false;
      const forgetting = forgetJobs(world.redis, () => isOver);
      await wait((size.events / size.perSecond / 2) * 1_000);
      await world.query(lockFor(size.lockedMs));
      await producing;
      say(`drained: ${await world.drained({ withinMs: isDefended ? 240_000 : 20_000 })}`);
      isOver = true;
      await forgetting;
      const figures = await world.reconcile(receiver);
      const verdict = wrongsOf(figures);
      if (ended > 0) verdict.push(`${ended} dispatchers ended`);
      return { figures: { ...figures, ended }, verdict };
    } finally {
      await world.close();
      await receiver.close();
      await proxy.close();
    }
  },
};

/**
 * @param {import('./redis-control.mjs').RedisControl} redis
 * @param {() => boolean} isOver
 */
async function forgetJobs(redis, isOver) {
  while (!isOver()) {
    await redis.flush();
    await wait(forgettingMs);
  }
}

/**
 * Holds every change of a delivery back for a while.
 *
 * @param {number} ms
 */
const lockFor = (ms) =>
  `DO $$ BEGIN LOCK TABLE webhook_deliveries IN EXCLUSIVE MODE; PERFORM pg_sleep(${ms / 1_000}); END $$`;
