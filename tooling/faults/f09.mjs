import { setTimeout as wait } from 'node:timers/promises';
import { openFaultEnvironment } from './environment.mjs';
import { openRecordingReceiver } from './receiver.mjs';
import { findViolations } from './reconcile.mjs';
import { rejectOneInEight } from './reject-one-in-eight.mjs';

/**
 * Redis may use 32 MB, and data of another program fills them. With noeviction it rejects every write, so jobs can
 * neither be added nor taken. The dispatcher must log this, and resume as soon as memory is free again.
 */

const fillerBytes = 3 * 2 ** 20;
const warningLevels = ['warn', 'error', 'fatal'];

export const fault = {
  id: 'F9',
  title: 'Redis is full (`maxmemory` 32 MB, noeviction)',
  target:
    'lost 0; the log reports that Redis is full; work resumes within 20 s of free memory, without a restart',
  defence: 'the sweeper',
  sizes: {
    short: {
      users: 10,
      events: 60,
      perSecond: 60,
      fullMs: 600,
      resumedMaxMs: 20_000,
      settings: { SWEEP_MS: '500' },
    },
    long: { users: 100, events: 5_000, perSecond: 100, fullMs: 60_000, resumedMaxMs: 20_000, settings: {} },
  },

  /** @param {import('./environment.mjs').FaultRun<any>} run */
  async run({ size, seed, isDefended, print }) {
    const receiver = await openRecordingReceiver({ respond: rejectOneInEight });
    const environment = await openFaultEnvironment({
      seed,
      redis: 'appendonly',
      redisMaxMemory: '32mb',
      settings: { ...size.settings, ...(isDefended ? {} : { SWEEP_MS: '600000' }) },
    });
    try {
      const webhooks = await environment.addWebhooks({ users: size.users, perUser: 2, receiver });
      const dispatcher = await environment.startDispatcher();
      const { perSecond } = size;
      const eventsPerPhase = Math.round(size.events / 3);
      const userIds = [...new Set(webhooks.map(({ userId }) => userId))];
      await environment.emitMany(userIds, eventsPerPhase, { perSecond });
      const fillerKeys = await fill(environment.redis);
      const memoryMb = Math.round((await environment.redis.usedMemoryBytes()) / 2 ** 20);
      await environment.emitMany(userIds, eventsPerPhase, { perSecond });
      await wait(size.fullMs);
      const isLogged = dispatcher.lines.some(reportsFullRedis);
      await environment.redis.command('DEL', ...fillerKeys);
      const freedAt = Date.now();
      await environment.emitMany(userIds, eventsPerPhase, { perSecond });
      print(
        `all deliveries finished: ${await environment.untilDrained({ withinMs: isDefended ? 90_000 : 3_000 })}`,
      );
      const resumedMs = (receiver.received.find(({ at }) => at > freedAt)?.at ?? Infinity) - freedAt;
      const figures = await environment.reconcile(receiver);
      const violations = findViolations(figures);
      if (!isLogged) violations.push('the dispatcher did not log that Redis is full');
      if (resumedMs > size.resumedMaxMs) violations.push(`work resumed only after ${resumedMs} ms`);
      return { figures: { ...figures, memoryMb, isLogged, resumedMs }, violations };
    } finally {
      await environment.close();
      await receiver.close();
    }
  },
};

/**
 * Fills Redis beyond its limit. Redis rejects a write only if the limit was already exceeded before it. SETRANGE
 * allocates 3 MB with a short command; a long command would itself exceed the limit.
 *
 * @param {import('./redis-control.mjs').RedisControl} redis
 * @returns {Promise<string[]>} the keys that occupy the memory
 */
async function fill(redis) {
  /** @type {string[]} */
  const keys = [];
  for (;;) {
    const key = `filler-${keys.length}`;
    const isRejected = await redis.command('SETRANGE', key, String(fillerBytes), 'x').then(
      () => false,
      (/** @type {Error} */ { message }) => message.includes('OOM'),
    );
    if (isRejected) return keys;
    keys.push(key);
  }
}

/** @param {string} line */
function reportsFullRedis(line) {
  try {
    const { level, err } = JSON.parse(line);
    return warningLevels.includes(level) && JSON.stringify(err ?? '').includes('OOM');
  } catch {
    return false;
  }
}
