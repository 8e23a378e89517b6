import { setTimeout as wait } from 'node:timers/promises';
import { openLedgerReceiver } from './receiver.mjs';
import { wrongsOf } from './reconcile.mjs';
import { refuseSome } from './refusing-some.mjs';
import { openFaultWorld } from './world.mjs';

/**
 * Redis has 32 MB and something else fills them. It refuses every write, and never throws away what it holds: jobs can
 * neither be added nor taken. That must be said aloud, and be over as soon as there is room again.
 */

const fillerBytes = 3 * 2 ** 20;
const loudLevels = ['warn', 'error', 'fatal'];

export const fault = {
  id: 'F9',
  title: 'Redis is full (`maxmemory` 32 MB, noeviction)',
  target: 'lost 0; it is said in the log; work resumes within 20 s of there being room, without a restart',
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

  /** @param {import('./world.mjs').FaultRun<any>} run */
  async run({ size, seed, isDefended, say }) {
    const receiver = await openLedgerReceiver({ answer: refuseSome });
    const world = await openFaultWorld({
      seed,
      redis: 'appendonly',
      redisMaxMemory: '32mb',
      settings: { ...size.settings, ...(isDefended ? {} : { SWEEP_MS: '600000' }) },
    });
    try {
      const hooks = await world.addHooks({ users: size.users, perUser: 2, receiver });
      const dispatcher = await world.startDispatcher();
      const { perSecond } = size;
      const part = Math.round(size.events / 3);
      const userIds = [...new Set(hooks.map(({ userId }) => userId))];
      await world.emitMany(userIds, part, { perSecond });
      const fillers = await fill(world.redis);
      const memoryMb = Math.round((await world.redis.usedMemoryBytes()) / 2 ** 20);
      await world.emitMany(userIds, part, { perSecond });
      await wait(size.fullMs);
      const isLoud = dispatcher.lines.some(saysFull);
      await world.redis.tell('DEL', ...fillers);
      const roomAt = Date.now();
      await world.emitMany(userIds, part, { perSecond });
      say(`drained: ${await world.drained({ withinMs: isDefended ? 90_000 : 3_000 })}`);
      const resumedMs = (receiver.received.find(({ at }) => at > roomAt)?.at ?? Infinity) - roomAt;
      const figures = await world.reconcile(receiver);
      const verdict = wrongsOf(figures);
      if (!isLoud) verdict.push('the dispatcher did not say that Redis is full');
      if (resumedMs > size.resumedMaxMs) verdict.push(`work resumed after ${resumedMs} ms`);
      return { figures: { ...figures, memoryMb, isLoud, resumedMs }, verdict };
    } finally {
      await world.close();
      await receiver.close();
    }
  },
};

/**
 * Fills a Redis beyond its limit: a write is refused where the limit is passed, and not where it will be. The
 * command is a small one, because its own bytes count, too.
 *
 * @param {import('./redis-control.mjs').RedisControl} redis
 * @returns {Promise<string[]>} the keys that fill it
 */
async function fill(redis) {
  /** @type {string[]} */
  const keys = [];
  for (;;) {
    const key = `filler-${keys.length}`;
    const isRefused = await redis.tell('SETRANGE', key, String(fillerBytes), 'x').then(
      () => false,
      (/** @type {Error} */ { message }) => message.includes('OOM'),
    );
    if (isRefused) return keys;
    keys.push(key);
  }
}

/** @param {string} line */
function saysFull(line) {
  try {
    const { level, err } = JSON.parse(line);
    return loudLevels.includes(level) && JSON.stringify(err ?? '').includes('OOM');
  } catch {
    return false;
  }
}
