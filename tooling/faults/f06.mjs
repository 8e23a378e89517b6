import { setTimeout as wait } from 'node:timers/promises';
import { openFaultEnvironment } from './environment.mjs';
import { openRecordingReceiver } from './receiver.mjs';
import { findViolations } from './reconcile.mjs';
import { rejectOneInEight } from './reject-one-in-eight.mjs';

/**
 * Redis is killed repeatedly while events arrive and failed attempts wait in Redis for their retry. Its append-only file
 * restores the jobs; the sweeper later adds the jobs that Redis could not accept or lost.
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

  /** @param {import('./environment.mjs').FaultRun<any>} run */
  async run({ size, seed, isDefended, print }) {
    const receiver = await openRecordingReceiver({ respond: rejectOneInEight });
    const environment = await openFaultEnvironment({
      seed,
      redis: isDefended ? 'appendonly' : 'plain',
      settings: { ...size.settings, ...(isDefended ? {} : { SWEEP_MS: '600000' }) },
    });
    try {
      const webhooks = await environment.addWebhooks({ users: size.users, perUser: 2, receiver });
      await environment.startDispatcher();
      const { events, perSecond, kills, downMs } = size;
      const producing = environment.emitMany([...new Set(webhooks.map(({ userId }) => userId))], events, {
        perSecond,
      });
      const killEveryMs = (events / perSecond / kills) * 1_000;
      for (let kill = 0; kill < kills; kill++) {
        await wait((killEveryMs - downMs) * environment.random.between(0.3, 0.9));
        await environment.redis.kill();
        await wait(downMs);
        await environment.redis.start();
      }
      await producing;
      print(
        `all deliveries finished: ${await environment.untilDrained({ withinMs: isDefended ? 90_000 : 2_500 })}`,
      );
      const figures = await environment.reconcile(receiver);
      return { figures: { ...figures, kills }, violations: findViolations(figures) };
    } finally {
      await environment.close();
      await receiver.close();
    }
  },
};
