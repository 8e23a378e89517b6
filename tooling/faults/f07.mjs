import { setTimeout as wait } from 'node:timers/promises';
import { latenessOf } from './lateness.mjs';
import { openLedgerReceiver } from './receiver.mjs';
import { wrongsOf } from './reconcile.mjs';
import { refuseSome } from './refusing-some.mjs';
import { openFaultWorld } from './world.mjs';

/**
 * Everything that Redis holds is taken away while attempts run and others wait for their time: once by FLUSHALL, which
 * its clients do not notice, once by another, empty Redis in its place. Postgres knows what is owed, and when.
 */

export const fault = {
  id: 'F7',
  title: '`FLUSHALL`, and an empty Redis in place of the full one',
  target: 'lost 0, early 0; due deliveries run again within 60 s',
  defence: 'the sweeper',
  sizes: {
    short: {
      users: 10,
      events: 60,
      perSecond: 120,
      lateMaxMs: 60_000,
      settings: { SWEEP_MS: '500', RETRY_DELAYS_MS: '1200,1300,1400,1500' },
    },
    long: {
      users: 100,
      events: 5_000,
      perSecond: 40,
      lateMaxMs: 60_000,
      settings: { RETRY_DELAYS_MS: '5000,30000,30000,30000' },
    },
  },

  /** @param {import('./world.mjs').FaultRun<any>} run */
  async run({ size, seed, isDefended, say }) {
    const receiver = await openLedgerReceiver({ answer: refuseSome });
    const world = await openFaultWorld({
      seed,
      redis: 'appendonly',
      settings: { ...size.settings, ...(isDefended ? {} : { SWEEP_MS: '600000' }) },
    });
    try {
      const hooks = await world.addHooks({ users: size.users, perUser: 2, receiver });
      await world.startDispatcher();
      const { events, perSecond } = size;
      for (const takeAway of [() => world.redis.flush(), () => world.redis.replaceWithEmpty()]) {
        const producing = world.emitMany([...new Set(hooks.map(({ userId }) => userId))], events / 2, {
          perSecond,
        });
        await wait((events / 2 / perSecond) * 1_000 * world.random.between(0.7, 1));
        await takeAway();
        await producing;
      }
      say(`drained: ${await world.drained({ withinMs: isDefended ? 150_000 : 4_000 })}`);
      const figures = await world.reconcile(receiver);
      const late = await latenessOf(world);
      const verdict = wrongsOf(figures);
      if (late.mostMs > size.lateMaxMs) verdict.push(`an attempt came ${late.mostMs} ms late`);
      return { figures: { ...figures, late }, verdict };
    } finally {
      await world.close();
      await receiver.close();
    }
  },
};
