import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../launch/first-trade/scenario.mjs';
import { openFaultEnvironment } from './environment.mjs';
import { openRecordingReceiver } from './receiver.mjs';
import { findViolations } from './reconcile.mjs';

/**
 * One process only fans out and another only sends. The process that fans out is killed in the middle of every burst of
 * events, and a new one replaces it. No attempt is interrupted by these kills, so no duplicate is allowed.
 */

const resumedMaxMs = 5_000;
/** About how long it takes to write and fan out one burst. */
const burstMs = 150;

/** @type {import('./environment.mjs').Fault} */
export const fault = {
  id: 'F2',
  title: '`kill -9` of the relay while it fans out',
  target: "lost 0, duplicates 0, everything fanned out within 5 s of the next relay's start",
  defence: 'progress and deliveries in one transaction',
  sizes: {
    short: { kills: 2, users: 10, burst: 200 },
    long: { kills: 50, users: 50, burst: 200 },
  },

  async run({ size, seed, isDefended }) {
    const receiver = await openRecordingReceiver();
    const environment = await openFaultEnvironment({ seed });
    // Both sabotage files make a dispatcher only fan out. The second one also removes the defence.
    const sabotage = isDefended ? 'only-relay' : 'progress-in-own-transaction';
    try {
      const webhooks = await environment.addWebhooks({ users: size.users, receiver });
      const userIds = webhooks.map(({ userId }) => userId);
      const [, first] = await Promise.all([
        environment.startDispatcher({ sabotage: 'only-sender' }),
        environment.startDispatcher({ sabotage }),
      ]);
      let relay = first;
      let resumedMs = 0;
      for (let kill = 0; kill < size.kills; kill++) {
        const writing = environment.emitMany(userIds, size.burst);
        await wait(environment.random.between(0, burstMs));
        await relay.kill();
        await writing;
        relay = await environment.startDispatcher({ sabotage });
        const readyAt = performance.now();
        await until(
          () => environment.backlog(),
          ({ events }) => events === 0,
        );
        resumedMs = Math.max(resumedMs, Math.round(performance.now() - readyAt));
      }
      await environment.untilDrained({ withinMs: 60_000 });
      const figures = await environment.reconcile(receiver);
      const violations = findViolations(figures);
      if (resumedMs > resumedMaxMs)
        violations.push(`fan-out ended only ${resumedMs} ms after the next relay's start`);
      return { figures: { ...figures, kills: size.kills, resumedMs }, violations };
    } finally {
      await environment.close();
      await receiver.close();
    }
  },
};
