import { setTimeout as wait } from 'node:timers/promises';
import { openFaultEnvironment } from './environment.mjs';
import { latenessOf } from './lateness.mjs';
import { openRecordingReceiver } from './receiver.mjs';
import { findViolations } from './reconcile.mjs';
import { rejectOneInEight } from './reject-one-in-eight.mjs';

/**
 * Redis loses all its data while attempts run and others wait for their retry: once through FLUSHALL, which its clients do
 * not notice, and once because an empty Redis replaces it. Postgres knows which deliveries are due, and when.
 */

export const fault = {
  id: 'F7',
  title: '`FLUSHALL`, and replacing Redis by an empty one',
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

  /** @param {import('./environment.mjs').FaultRun<any>} run */
  async run({ size, seed, isDefended, print }) {
    const receiver = await openRecordingReceiver({ respond: rejectOneInEight });
    const environment = await openFaultEnvironment({
      seed,
      redis: 'appendonly',
      settings: { ...size.settings, ...(isDefended ? {} : { SWEEP_MS: '600000' }) },
    });
    try {
      const webhooks = await environment.addWebhooks({ users: size.users, perUser: 2, receiver });
      await environment.startDispatcher();
      const { events, perSecond } = size;
      for (const loseData of [() => environment.redis.flush(), () => environment.redis.replaceWithEmpty()]) {
        const producing = environment.emitMany(
          [...new Set(webhooks.map(({ userId }) => userId))],
          events / 2,
          {
            perSecond,
          },
        );
        await wait((events / 2 / perSecond) * 1_000 * environment.random.between(0.7, 1));
        await loseData();
        await producing;
      }
      print(
        `all deliveries finished: ${await environment.untilDrained({ withinMs: isDefended ? 150_000 : 4_000 })}`,
      );
      const figures = await environment.reconcile(receiver);
      const late = await latenessOf(environment);
      const violations = findViolations(figures);
      if (late.maxMs > size.lateMaxMs) violations.push(`an attempt arrived ${late.maxMs} ms late`);
      return { figures: { ...figures, late }, violations };
    } finally {
      await environment.close();
      await receiver.close();
    }
  },
};
