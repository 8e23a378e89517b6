import { until } from '../launch/first-trade/scenario.mjs';
import { openLedgerReceiver } from './receiver.mjs';
import { wrongsOf } from './reconcile.mjs';
import { openFaultWorld } from './world.mjs';

/** A receiver whose every request ends the dispatcher that sent it, three times in a row. */

const kills = 3;
/** BullMQ with its defaults, and without a sweeper. */
const withoutSweeper = { SWEEP_MS: '600000' };

/** @type {import('./world.mjs').Fault} */
export const fault = {
  id: 'F4',
  title: '`kill -9` of the dispatcher of the same attempt, three times in a row',
  target: 'delivered all the same, under the same number, with what waits behind it',
  defence: 'a count of stalls without end, and the sweeper',
  sizes: {
    short: { settings: { SILENCE_MS: '1000' }, sabotage: ['short-locks'], holds: 1, withinMs: 30_000 },
    long: { settings: {}, sabotage: [], holds: 20, withinMs: 60_000 },
  },

  async run({ size, seed, isDefended }) {
    let isHolding = true;
    const receiver = await openLedgerReceiver({ answer: () => (isHolding ? undefined : 204) });
    // What is never taken up is waited for less long.
    const withinMs = isDefended ? size.withinMs : size.withinMs / 3;
    const world = await openFaultWorld({ seed, settings: size.settings });
    const options = isDefended
      ? { sabotage: size.sabotage }
      : { settings: withoutSweeper, sabotage: ['stock-stalled-count', ...size.sabotage] };
    try {
      const hooks = await world.addHooks({ users: size.holds, receiver });
      for (const { userId } of hooks) await world.emit(userId);
      for (let kill = 0; kill < kills; kill++) {
        const dispatcher = await world.startDispatcher(options);
        const isAsked = await until(
          async () => receiver.inFlight.size,
          (count) => count === size.holds,
          withinMs,
        ).catch(() => false);
        await world.crash(dispatcher);
        if (isAsked === false) break;
      }
      isHolding = false;
      await world.startDispatcher(options);
      await world.drained({ withinMs });
      const figures = await world.reconcile(receiver);
      const verdict = wrongsOf(figures, { duplicatesMax: kills * size.holds });
      if (figures.requests < (kills + 1) * size.holds) verdict.push(`${figures.requests} requests in all`);
      const numbers = new Set(receiver.received.map(({ attempt }) => attempt));
      if (numbers.size > 1) verdict.push('the attempt changed its number');
      return { figures: { ...figures, kills }, verdict };
    } finally {
      await world.close();
      await receiver.close();
    }
  },
};
