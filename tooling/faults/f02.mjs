import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../launch/first-trade/scenario.mjs';
import { openLedgerReceiver } from './receiver.mjs';
import { wrongsOf } from './reconcile.mjs';
import { openFaultWorld } from './world.mjs';

/**
 * One process fans out and another sends, so that no duplicate is excused: the one that fans out is killed in the
 * middle of every burst of events, and another takes its place.
 */

const resumedMaxMs = 5_000;
/** A burst is written and fanned out within about as long. */
const burstMs = 150;

/** @type {import('./world.mjs').Fault} */
export const fault = {
  id: 'F2',
  title: '`kill -9` of the relay while it fans out',
  target: 'lost 0, duplicates 0, all of it fanned out within 5 s of the next relay',
  defence: 'progress and deliveries in one transaction',
  sizes: {
    short: { kills: 2, users: 10, burst: 200 },
    long: { kills: 50, users: 50, burst: 200 },
  },

  async run({ size, seed, isDefended }) {
    const receiver = await openLedgerReceiver();
    const world = await openFaultWorld({ seed });
    const sabotage = isDefended ? 'relay-alone' : 'progress-apart';
    try {
      const hooks = await world.addHooks({ users: size.users, receiver });
      const userIds = hooks.map(({ userId }) => userId);
      const [, first] = await Promise.all([
        world.startDispatcher({ sabotage: 'sender-alone' }),
        world.startDispatcher({ sabotage }),
      ]);
      let relay = first;
      let resumedMs = 0;
      for (let kill = 0; kill < size.kills; kill++) {
        const writing = world.emitMany(userIds, size.burst);
        await wait(world.random.between(0, burstMs));
        await relay.kill();
        await writing;
        relay = await world.startDispatcher({ sabotage });
        const readyAt = performance.now();
        await until(
          () => world.backlog(),
          ({ events }) => events === 0,
        );
        resumedMs = Math.max(resumedMs, Math.round(performance.now() - readyAt));
      }
      await world.drained({ withinMs: 60_000 });
      const figures = await world.reconcile(receiver);
      const verdict = wrongsOf(figures);
      if (resumedMs > resumedMaxMs) verdict.push(`fanned out ${resumedMs} ms after the next relay's start`);
      return { figures: { ...figures, kills: size.kills, resumedMs }, verdict };
    } finally {
      await world.close();
      await receiver.close();
    }
  },
};
