import { setTimeout as wait } from 'node:timers/promises';
import { encodeId } from '@trading-automation/contracts';
import { openLedgerReceiver } from './receiver.mjs';
import { wrongsOf } from './reconcile.mjs';
import { openRedis } from './redis-control.mjs';
import { openTcpProxy } from './tcp-proxy.mjs';
import { openFaultWorld } from './world.mjs';

/**
 * The connections to Redis are lost in every way there is: killed in storms, with the server, with a server that turns
 * into somebody's copy and refuses writes, and with one that vanishes without a word while its name moves on. Workers
 * that look connected and take nothing are the classic end of this.
 */

const storms = 20;
const stormMs = 100;
const cutMs = 500;
const probesPerSecond = 20;

export const fault = {
  id: 'F10',
  title: 'repeated `CLIENT KILL`, failover of Redis, a host name that moves',
  target: 'lost 0, duplicates 0; workers resume within 10 s, without a restart',
  defence: 'reconnection',
  sizes: {
    short: {
      turns: ['storm', 'cut', 'demotion', 'move'],
      resumedMaxMs: 10_000,
      settings: { SWEEP_MS: '500' },
    },
    long: {
      turns: ['storm', 'cut', 'failover', 'demotion', 'move', 'storm', 'move'],
      resumedMaxMs: 10_000,
      settings: {},
    },
  },

  /** @param {import('./world.mjs').FaultRun<any>} run */
  async run({ size, seed, isDefended, say }) {
    const receiver = await openLedgerReceiver();
    const world = await openFaultWorld({ seed, redis: 'appendonly', settings: size.settings });
    const proxy = await openTcpProxy(world.redis.port);
    /** @type {Estate} */
    const estate = { folder: world.folder, proxy, servers: [world.redis] };
    try {
      const hooks = await world.addHooks({ users: 10, perUser: 1, receiver });
      const userIds = hooks.map(({ userId }) => userId);
      await world.startDispatcher({
        settings: { REDIS_URL: proxy.through(world.redisUrl) },
        ...(isDefended ? {} : { sabotage: 'no-redis-reconnect' }),
      });
      /** @type {Record<string, number>} */
      const resumedMs = {};
      for (const turn of /** @type {(keyof typeof turns)[]} */ (size.turns)) {
        await world.emitMany(userIds, probesPerSecond, { perSecond: 2 * probesPerSecond });
        await turns[turn](estate);
        const tookMs = await timeToResume(world, userIds, receiver, isDefended ? 60_000 : 3_000);
        resumedMs[turn] = Math.max(resumedMs[turn] ?? 0, tookMs);
        say(`${turn}: ${tookMs} ms`);
      }
      say(`drained: ${await world.drained({ withinMs: isDefended ? 60_000 : 1_000 })}`);
      const figures = await world.reconcile(receiver);
      const verdict = wrongsOf(figures);
      for (const [turn, tookMs] of Object.entries(resumedMs))
        if (tookMs > size.resumedMaxMs) verdict.push(`${turn}: workers resumed after ${tookMs} ms`);
      return { figures: { ...figures, resumedMs }, verdict };
    } finally {
      await world.close();
      await receiver.close();
      await proxy.close();
      for (const server of estate.servers.slice(1)) await server.close();
    }
  },
};

/**
 * @typedef {{
 *   folder: string, proxy: import('./tcp-proxy.mjs').TcpProxy,
 *   servers: import('./redis-control.mjs').RedisControl[],
 * }} Estate the last of the servers is the one that is served from
 */

const turns = {
  /** @param {Estate} estate */
  async storm({ servers }) {
    for (let i = 0; i < storms; i++) {
      await servers.at(-1)?.killClients();
      await wait(stormMs);
    }
  },
  /** The network is gone for a moment. @param {Estate} estate */
  async cut({ proxy }) {
    proxy.refuse();
    await wait(cutMs);
    proxy.accept();
  },
  /** The server dies, and its copy takes its place. @param {Estate} estate */
  async failover(estate) {
    const { master, copy } = await withCopy(estate);
    await master.kill();
    await copy.follow();
    estate.proxy.lead(copy.port);
  },
  /** The replica becomes the primary, and the server its replica: connections stay open, and may only read. @param {Estate} estate */
  async demotion(estate) {
    const { master, copy } = await withCopy(estate);
    await copy.follow();
    estate.proxy.lead(copy.port);
    await master.follow(copy.port);
  },
  /** The server is gone without a word, and its name leads to its copy. @param {Estate} estate */
  async move(estate) {
    const { copy } = await withCopy(estate);
    estate.proxy.abandon(copy.port);
    await copy.follow();
  },
};

/** @param {Estate} estate */
async function withCopy({ folder, servers }) {
  const master = /** @type {import('./redis-control.mjs').RedisControl} */ (servers.at(-1));
  const copy = await openRedis({ folder });
  servers.push(copy);
  await copy.follow(master.port);
  return { master, copy };
}

/**
 * From now until one of the events that are committed from now on is delivered.
 *
 * @param {import('./world.mjs').FaultWorld} world
 * @param {string[]} userIds
 * @param {import('./receiver.mjs').LedgerReceiver} receiver
 * @param {number} patienceMs
 */
async function timeToResume(world, userIds, receiver, patienceMs) {
  const from = Date.now();
  const known = receiver.received.length;
  /** @type {Set<string>} */
  const probes = new Set();
  for (let i = 0; Date.now() - from < patienceMs; i++) {
    const userId = /** @type {string} */ (userIds[i % userIds.length]);
    probes.add(encodeId('evt', await world.emit(userId)));
    await wait(1_000 / probesPerSecond);
    const first = receiver.received.slice(known).find(({ eventId }) => probes.has(eventId));
    if (first !== undefined) return first.at - from;
  }
  return Infinity;
}
