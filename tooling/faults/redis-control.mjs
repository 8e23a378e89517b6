import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { makeFolder } from '../launch/files.mjs';
import { freePort } from '../launch/ports.mjs';
import { signalTree } from '../launch/processes.mjs';
import { prepareRedis } from '../launch/redis.mjs';
import { startServer } from './server-process.mjs';

/**
 * Starts a separate Redis server, which a fault may kill and suspend. After `kill`, the server stays down
 * until `start`.
 *
 * @param {{
 *   folder: string, mode?: 'appendonly' | 'plain', port?: number, maxMemory?: string,
 * }} options `folder` is for the server's data; `plain` stores nothing on the disk; `maxMemory` in Redis's notation: `32mb`
 */
export async function openRedis({ folder, mode = 'appendonly', port, maxMemory = '0' }) {
  const ownPort = port ?? (await freePort());
  const dataDir = join(folder, `redis-${ownPort}`);
  makeFolder(folder, 0o755);
  const prepared = await prepareRedis({
    dataDir,
    port: ownPort,
    logFile: join(folder, `redis-${ownPort}.log`),
    isTemporary: mode === 'plain',
    print: () => undefined,
  });
  // A replica is synchronised immediately; by default, Redis waits for more replicas first.
  prepared.command.args.push('--maxmemory', maxMemory, '--repl-diskless-sync-delay', '0');
  /** @type {import('./server-process.mjs').ServerProcess | undefined} */
  let running = await startServer(prepared);

  const kill = async () => {
    const last = running;
    running = undefined;
    await last?.kill();
  };
  const start = async () => {
    running ??= await startServer(prepared);
  };
  /**
   * Sends one command over a new connection.
   *
   * @param {string} name
   * @param {...string} values
   */
  const command = async (name, ...values) => {
    const client = new Redis(prepared.url, { lazyConnect: true, retryStrategy: () => null });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await client.call(name, ...values);
    } finally {
      client.disconnect();
    }
  };

  return {
    url: prepared.url,
    port: ownPort,
    command,
    /** Kills the server with SIGKILL. */
    kill,
    /** Starts the server again, with the data of its append-only file if it has one. Resolves once it responds. */
    start,
    /** Suspends the server with SIGSTOP: connections stay open and get no response until `resume`. */
    pause() {
      if (running !== undefined) signalTree(running.pid, 'SIGSTOP');
    },
    resume() {
      if (running !== undefined) signalTree(running.pid, 'SIGCONT');
    },
    /** Deletes all data, with FLUSHALL. */
    async flush() {
      await command('FLUSHALL');
    },
    /** Replaces the server with an empty Redis at the same address. */
    async replaceWithEmpty() {
      await kill();
      rmSync(dataDir, { recursive: true, force: true });
      makeFolder(dataDir, 0o700);
      await start();
    },
    /** Ends all client connections, including those that wait in a blocking command. */
    async killClients() {
      for (const type of ['normal', 'pubsub']) await command('CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes');
    },
    /** Makes the server a primary. */
    async becomePrimary() {
      await command('REPLICAOF', 'NO', 'ONE');
    },
    /**
     * Makes the server a replica of the Redis at `primaryPort`. Resolves once the two are connected.
     *
     * @param {number} primaryPort
     */
    async becomeReplicaOf(primaryPort) {
      await command('REPLICAOF', '127.0.0.1', String(primaryPort));
      while (!String(await command('INFO', 'replication')).includes('master_link_status:up')) await wait(50);
    },
    async usedMemoryBytes() {
      return Number(/used_memory:(\d+)/.exec(String(await command('INFO', 'memory')))?.[1]);
    },
    async close() {
      // The process may be suspended, and must be resumed before it can end.
      if (running !== undefined) signalTree(running.pid, 'SIGCONT');
      await kill();
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof openRedis>>} RedisControl */
