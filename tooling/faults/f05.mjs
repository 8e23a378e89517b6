import { setTimeout as wait } from 'node:timers/promises';
import { openFaultEnvironment } from './environment.mjs';
import { openRecordingReceiver } from './receiver.mjs';
import { findViolations } from './reconcile.mjs';

/** A rolling deployment: under load, one dispatcher after another is stopped and replaced by a new one. */

const exitMaxMs = 35_000;
const withoutGrace = { STOP_GRACE_MS: '10' };
/** The setting of a deployment. The development launcher sets a shorter time. */
const withGrace = { STOP_GRACE_MS: '33000' };

/** @type {import('./environment.mjs').Fault} */
export const fault = {
  id: 'F5',
  title: 'every dispatcher gets SIGTERM, one after another, under load',
  target: 'lost 0, duplicates 0, no attempt interrupted, each process ends within 35 s with code 0',
  defence: 'the grace period for running attempts at shutdown',
  sizes: {
    short: {
      rounds: 2,
      dispatchers: 2,
      users: 10,
      perSecond: 40,
      slowMs: 800,
      slowChance: 0.3,
      betweenMs: 500,
    },
    long: {
      rounds: 6,
      dispatchers: 3,
      users: 100,
      perSecond: 120,
      slowMs: 20_000,
      slowChance: 0.02,
      betweenMs: 3_000,
    },
  },

  async run({ size, seed, isDefended, print }) {
    const settings = isDefended ? withGrace : withoutGrace;
    const environment = await openFaultEnvironment({ seed, settings });
    const receiver = await openRecordingReceiver({
      respond: async () => {
        await wait(environment.random.happens(size.slowChance) ? size.slowMs : 20);
        return 204;
      },
    });
    try {
      const webhooks = await environment.addWebhooks({ users: size.users, receiver });
      const running = await Promise.all(
        Array.from({ length: size.dispatchers }, () => environment.startDispatcher()),
      );
      let isOver = false;
      const producing = environment.emitMany(
        webhooks.map(({ userId }) => userId),
        Number.POSITIVE_INFINITY,
        { perSecond: size.perSecond, until: () => isOver },
      );
      const exits = [];
      for (let round = 0; round < size.rounds; round++) {
        await wait(size.betweenMs);
        const [oldDispatcher, newDispatcher] = [running.shift(), await environment.startDispatcher()];
        running.push(newDispatcher);
        const exit = await oldDispatcher?.kill('SIGTERM');
        if (exit !== undefined) exits.push(exit);
      }
      isOver = true;
      await producing;
      await environment.untilDrained({ withinMs: 60_000 });
      const figures = await environment.reconcile(receiver);
      const exitMs = Math.round(Math.max(...exits.map(({ tookMs }) => tookMs)));
      const interrupted = receiver.received.filter(({ isInterrupted }) => isInterrupted).length;
      print(`longest stop ${exitMs} ms`);
      const violations = findViolations(figures);
      if (interrupted > 0) violations.push(`${interrupted} attempts were interrupted`);
      if (exitMs > exitMaxMs) violations.push(`a stop took ${exitMs} ms`);
      const badExits = exits.filter(({ code }) => code !== 0).length;
      if (badExits > 0) violations.push(`${badExits} dispatchers did not exit with code 0`);
      return { figures: { ...figures, stops: exits.length, exitMs, interrupted }, violations };
    } finally {
      await environment.close();
      await receiver.close();
    }
  },
};
