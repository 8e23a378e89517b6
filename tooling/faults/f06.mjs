import { setTimeout as wait } from 'node:timers/promises';
import { openLedgerReceiver } from './receiver.mjs';
import { wrongsOf } from './reconcile.mjs';
import { refuseSome } from './refusing-some.mjs';
import { openFaultWorld } from './world.mjs';

/**
 * Redis is killed repeatedly while events arrive and failed attempts wait in it for their retry. Its file contains
 * everything that it acknowledged; the sweeper later adds the jobs that it could not accept.
 */

export const fault = {
  id: 'F6',
  title: '`kill -9` of Redis, with its append-only file synced every second',
  target: 'lost 0, duplicates 0',
  defence: 'the append-only file and the sweeper',
  sizes: {
    short: { users: 10, kills: 2, downMs: 200, events: 80, perSecond: 80, settings: { SWEEP_MS: '500' } },
    long: { users: 100, kills: 10, downMs: 2_000, events: 5_000, perSecond: 75, settings: {} },
  },

  /** @param {import('./world.mjs').FaultRun<any>} run */
  async run({ size, seed, isDefended, say }) {
    const receiver = await openLedgerReceiver({ answer: refuseSome });
    const world = await openFaultWorld({
      seed,
      redis: isDefended ? 'appendonly' : 'plain',
      settings: { ...size.settings, ...(isDefended ? {} : { SWEEP_MS: '600000' }) },
    });
    try {
      const hooks = await world.addHooks({ users: size.users, perUser: 2, receiver });
      await world.startDispatcher();
      const { events, perSecond, kills, downMs } = size;
      const producing = world.emitMany([...new Set(hooks.map(({ userId }) => userId))], events, {
        perSecond,
      });
      const turnMs = (events / perSecond / kills) * 1_000;
      for (let kill = 0; kill < kills; kill++) {
        await wait((turnMs - downMs) * world.random.between(0.3, 0.9));
        await world.redis.kill();
        await wait(downMs);
        await world.redis.start();
      }
      await producing;
      say(`drained: ${await world.drained({ withinMs: isDefended ? 90_000 : 2_500 })}`);
      const figures = await world.reconcile(receiver);
      return { figures: { ...figures, kills }, verdict: wrongsOf(figures) };
    } finally {
      await world.close();
      await receiver.close();
    }
  },
};
