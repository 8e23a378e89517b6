import { setTimeout as wait } from 'node:timers/promises';
import { openFaultEnvironment } from './environment.mjs';
import { openRecordingReceiver } from './receiver.mjs';
import { findViolations } from './reconcile.mjs';
import { openTcpProxy } from './tcp-proxy.mjs';

/**
 * Every round trip to Postgres takes half a second. For a while no statement ends at all, so every connection of the
 * pool is in use. Two dispatchers share the work, and each could wrongly consider the other dead. BullMQ's locks on
 * jobs could then prevent duplicates, too. Therefore Redis is flushed all the time, so that only leases prevent them.
 */

const flushEveryMs = 250;

/**
 * Settings of the run without the defence: a lease ends before the result is recorded, so the attempt is sent again.
 */
const shortLeases = { ATTEMPT_TIMEOUT_MS: '60', LEASE_MS: '100', SILENCE_MS: '100', SWEEP_MS: '50' };

export const fault = {
  id: 'F12',
  title: 'Postgres is slow (500 ms a round trip), and the pool is exhausted',
  target: 'lost 0, duplicates 0, no dispatcher exits',
  defence: 'leases longer than the slowest write of a result',
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

  /** @param {import('./environment.mjs').FaultRun<any>} run */
  async run({ size, seed, isDefended, print }) {
    const receiver = await openRecordingReceiver();
    const environment = await openFaultEnvironment({
      seed,
      settings: { ...size.settings, ...(isDefended ? {} : shortLeases) },
    });
    const proxy = await openTcpProxy(Number(new URL(environment.databaseUrl).port));
    try {
      const webhooks = await environment.addWebhooks({ users: size.users, perUser: 4, receiver });
      const settings = { DATABASE_URL: proxy.through(environment.databaseUrl) };
      const dispatchers = await Promise.all([
        environment.startDispatcher({ settings }),
        environment.startDispatcher({ settings }),
      ]);
      let ended = 0;
      for (const dispatcher of dispatchers) void dispatcher.ended.then(() => ended++);
      proxy.delay(size.roundTripMs / 2);
      const producing = environment.emitMany(
        [...new Set(webhooks.map(({ userId }) => userId))],
        size.events,
        {
          perSecond: size.perSecond,
        },
      );
      await whileFlushed(environment.redis, async () => {
        await wait((size.events / size.perSecond / 2) * 1_000);
        await environment.blockDeliveries(size.lockedMs);
        await producing;
        print(
          `all deliveries finished: ${await environment.untilDrained({ withinMs: isDefended ? 240_000 : 20_000 })}`,
        );
      });
      const figures = await environment.reconcile(receiver);
      const violations = findViolations(figures);
      if (ended > 0) violations.push(`${ended} dispatchers exited`);
      return { figures: { ...figures, ended }, violations };
    } finally {
      await environment.close();
      await receiver.close();
      await proxy.close();
    }
  },
};

/**
 * Flushes Redis again and again while `work` runs.
 *
 * @param {import('./redis-control.mjs').RedisControl} redis
 * @param {() => Promise<void>} work
 */
async function whileFlushed(redis, work) {
  let isOver = false;
  const flush = async () => {
    while (!isOver) {
      await redis.flush();
      await wait(flushEveryMs);
    }
  };
  await Promise.all([
    flush(),
    work().finally(() => {
      isOver = true;
    }),
  ]);
}
