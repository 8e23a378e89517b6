import { setTimeout as wait } from 'node:timers/promises';
import { openLedgerReceiver } from './receiver.mjs';
import { wrongsOf } from './reconcile.mjs';
import { openFaultWorld } from './world.mjs';

/** A rolling deployment: one dispatcher after another is stopped, under load, and replaced by a new one. */

const exitMaxMs = 35_000;
const withoutGrace = { STOP_GRACE_MS: '10' };
/** As a service has it that is deployed; one at a developer's desk is given less. */
const withGrace = { STOP_GRACE_MS: '33000' };

/** @type {import('./world.mjs').Fault} */
export const fault = {
  id: 'F5',
  title: 'SIGTERM of every dispatcher, one after another, under load',
  target: 'lost 0, duplicates 0, no attempt cut, each over within 35 s with code 0',
  defence: 'the time that a stop gives to running attempts',
  sizes: {
    short: { rounds: 2, dispatchers: 2, users: 10, perSecond: 40, slowMs: 800, slow: 0.3, betweenMs: 500 },
    long: {
      rounds: 6,
      dispatchers: 3,
      users: 100,
      perSecond: 120,
      slowMs: 20_000,
      slow: 0.02,
      betweenMs: 3_000,
    },
  },

  async run({ size, seed, isDefended, say }) {
    const settings = isDefended ? withGrace : withoutGrace;
    const world = await openFaultWorld({ seed, settings });
    const receiver = await openLedgerReceiver({
      answer: async () => {
        await wait(world.random.happens(size.slow) ? size.slowMs : 20);
        return 204;
      },
    });
    try {
      const hooks = await world.addHooks({ users: size.users, receiver });
      const running = await Promise.all(
        Array.from({ length: size.dispatchers }, () => world.startDispatcher()),
      );
      let isOver = false;
      const producing = world.emitMany(
        hooks.map(({ userId }) => userId),
        Number.POSITIVE_INFINITY,
        { perSecond: size.perSecond, until: () => isOver },
      );
      const endings = [];
      for (let round = 0; round < size.rounds; round++) {
        await wait(size.betweenMs);
        const [leaving, coming] = [running.shift(), await world.startDispatcher()];
        running.push(coming);
        const ending = await leaving?.kill('SIGTERM');
        if (ending !== undefined) endings.push(ending);
      }
      isOver = true;
      await producing;
      await world.drained({ withinMs: 60_000 });
      const figures = await world.reconcile(receiver);
      const exitMs = Math.round(Math.max(...endings.map(({ tookMs }) => tookMs)));
      const cut = receiver.received.filter(({ isCut }) => isCut).length;
      say(`longest stop ${exitMs} ms`);
      const verdict = wrongsOf(figures);
      if (cut > 0) verdict.push(`${cut} attempts cut`);
      if (exitMs > exitMaxMs) verdict.push(`a stop took ${exitMs} ms`);
      const bad = endings.filter(({ code }) => code !== 0).length;
      if (bad > 0) verdict.push(`${bad} did not end with code 0`);
      return { figures: { ...figures, stops: endings.length, exitMs, cut }, verdict };
    } finally {
      await world.close();
      await receiver.close();
    }
  },
};
