import { setTimeout as wait } from 'node:timers/promises';
import { encodeId } from '@trading-automation/contracts';
import { openFaultEnvironment } from './environment.mjs';
import { openRecordingReceiver } from './receiver.mjs';
import { findViolations } from './reconcile.mjs';
import { openRedis } from './redis-control.mjs';
import { openTcpProxy } from './tcp-proxy.mjs';

/**
 * The connections to Redis fail in five ways: they are killed repeatedly, the network is interrupted, the server dies,
 * the server becomes a replica that rejects writes, or it stops responding while its host name moves to another server.
 * Without the defence, workers often keep a dead connection and never take a job again.
 */

const clientKills = 20;
const killEveryMs = 100;
const cutMs = 500;
const probesPerSecond = 20;

export const fault = {
  id: 'F10',
  title:
    'repeated `CLIENT KILL`, a lost connection, failover of Redis, a server that becomes a read-only replica, a host name that resolves to a new address',
  target: 'lost 0, duplicates 0; workers resume within 10 s, without a restart',
  defence: 'reconnection',
  sizes: {
    short: {
      disruptions: ['clientKills', 'cut', 'demotion', 'move'],
      resumedMaxMs: 10_000,
      settings: { SWEEP_MS: '500' },
    },
    long: {
      disruptions: ['clientKills', 'cut', 'failover', 'demotion', 'move', 'clientKills', 'move'],
      resumedMaxMs: 10_000,
      settings: {},
    },
  },

  /** @param {import('./environment.mjs').FaultRun<any>} run */
  async run({ size, seed, isDefended, print }) {
    const receiver = await openRecordingReceiver();
    const environment = await openFaultEnvironment({ seed, redis: 'appendonly', settings: size.settings });
    const proxy = await openTcpProxy(environment.redis.port);
    /** @type {RedisServers} */
    const servers = { folder: environment.folder, proxy, instances: [environment.redis] };
    try {
      const webhooks = await environment.addWebhooks({ users: 10, perUser: 1, receiver });
      const userIds = webhooks.map(({ userId }) => userId);
      await environment.startDispatcher({
        settings: { REDIS_URL: proxy.through(environment.redisUrl) },
        ...(isDefended ? {} : { sabotage: 'no-redis-reconnect' }),
      });
      /** @type {Record<string, number>} */
      const resumedMs = {};
      for (const name of /** @type {(keyof typeof disruptions)[]} */ (size.disruptions)) {
        await environment.emitMany(userIds, probesPerSecond, { perSecond: 2 * probesPerSecond });
        await disruptions[name](servers);
        const tookMs = await timeToResume(environment, userIds, receiver, isDefended ? 60_000 : 3_000);
        resumedMs[name] = Math.max(resumedMs[name] ?? 0, tookMs);
        print(`${name}: ${tookMs} ms`);
      }
      print(
        `all deliveries finished: ${await environment.untilDrained({ withinMs: isDefended ? 60_000 : 1_000 })}`,
      );
      const figures = await environment.reconcile(receiver);
      const violations = findViolations(figures);
      for (const [name, tookMs] of Object.entries(resumedMs))
        if (tookMs > size.resumedMaxMs) violations.push(`${name}: workers resumed only after ${tookMs} ms`);
      return { figures: { ...figures, resumedMs }, violations };
    } finally {
      await environment.close();
      await receiver.close();
      await proxy.close();
      for (const server of servers.instances.slice(1)) await server.close();
    }
  },
};

/**
 * @typedef {{
 *   folder: string, proxy: import('./tcp-proxy.mjs').TcpProxy,
 *   instances: import('./redis-control.mjs').RedisControl[],
 * }} RedisServers the dispatcher uses the last of the instances
 */

const disruptions = {
  /** Ends all client connections, repeatedly. @param {RedisServers} servers */
  async clientKills({ instances }) {
    for (let i = 0; i < clientKills; i++) {
      await instances.at(-1)?.killClients();
      await wait(killEveryMs);
    }
  },
  /** Interrupts the network for `cutMs`. @param {RedisServers} servers */
  async cut({ proxy }) {
    proxy.refuse();
    await wait(cutMs);
    proxy.accept();
  },
  /** Kills the primary and promotes its replica. @param {RedisServers} servers */
  async failover(servers) {
    const { primary, replica } = await addReplica(servers);
    await primary.kill();
    await replica.becomePrimary();
    servers.proxy.redirect(replica.port);
  },
  /**
   * Promotes the replica and makes the primary a replica. Connections to the old primary stay open, but may only read.
   * @param {RedisServers} servers
   */
  async demotion(servers) {
    const { primary, replica } = await addReplica(servers);
    await replica.becomePrimary();
    servers.proxy.redirect(replica.port);
    await primary.becomeReplicaOf(replica.port);
  },
  /** Stops all traffic of the primary without closing connections, and moves its host name to the replica. @param {RedisServers} servers */
  async move(servers) {
    const { replica } = await addReplica(servers);
    servers.proxy.freezeAndRedirect(replica.port);
    await replica.becomePrimary();
  },
};

/** @param {RedisServers} servers */
async function addReplica({ folder, instances }) {
  const primary = /** @type {import('./redis-control.mjs').RedisControl} */ (instances.at(-1));
  const replica = await openRedis({ folder });
  instances.push(replica);
  await replica.becomeReplicaOf(primary.port);
  return { primary, replica };
}

/**
 * Commits events until one of them is delivered. Returns the time that this took, or Infinity after `timeoutMs`.
 *
 * @param {import('./environment.mjs').FaultEnvironment} environment
 * @param {string[]} userIds
 * @param {import('./receiver.mjs').RecordingReceiver} receiver
 * @param {number} timeoutMs
 */
async function timeToResume(environment, userIds, receiver, timeoutMs) {
  const startedAt = Date.now();
  const receivedBefore = receiver.received.length;
  /** @type {Set<string>} */
  const probes = new Set();
  for (let i = 0; Date.now() - startedAt < timeoutMs; i++) {
    const userId = /** @type {string} */ (userIds[i % userIds.length]);
    probes.add(encodeId('evt', await environment.emit(userId)));
    await wait(1_000 / probesPerSecond);
    const first = receiver.received.slice(receivedBefore).find(({ eventId }) => probes.has(eventId));
    if (first !== undefined) return first.at - startedAt;
  }
  return Infinity;
}
