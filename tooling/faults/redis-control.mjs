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
 * A Redis of one's own, to be mistreated. It stays down when it is killed, until `start`.
 *
 * @param {{
 *   folder: string, mode?: 'appendonly' | 'plain', port?: number, maxMemory?: string,
 * }} options `folder` is where it keeps its file; `plain` keeps nothing; `maxMemory` as Redis writes it: `32mb`
 */
export async function openRedis({ folder, mode = 'appendonly', port, maxMemory = '0' }) {
  const ownPort = port ?? (await freePort());
  const dataDir = join(folder, `redis-${ownPort}`);
  makeFolder(folder, 0o755);
  const prepared = await prepareRedis({
    dataDir,
    port: ownPort,
    logFile: join(folder, `redis-${ownPort}.log`),
    throwAway: mode === 'plain',
    say: () => undefined,
  });
  // A copy of it is made at once, and not when others might come for one, too.
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
   * One command over a connection of its own.
   *
   * @param {string} name
   * @param {...string} values
   */
  const tell = async (name, ...values) => {
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
    tell,
    /** `kill -9`. */
    kill,
    /** Begins it again, from its append-only file where it keeps one; resolves once it answers. */
    start,
    /** SIGSTOP: connections stay open and get no response until `resume`. */
    pause() {
      if (running !== undefined) signalTree(running.pid, 'SIGSTOP');
    },
    resume() {
      if (running !== undefined) signalTree(running.pid, 'SIGCONT');
    },
    /** FLUSHALL. */
    async flush() {
      await tell('FLUSHALL');
    },
    /** Another Redis at the same address, that knows of nothing. */
    async replaceWithEmpty() {
      await kill();
      rmSync(dataDir, { recursive: true, force: true });
      makeFolder(dataDir, 0o700);
      await start();
    },
    /** Ends every connection of every client, those that wait in a blocking command too. */
    async killClients() {
      for (const type of ['normal', 'pubsub']) await tell('CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes');
    },
    /**
     * Makes it a replica of another Redis or, without a port, a primary: the two halves of a failover.
     *
     * @param {number} [masterPort]
     */
    async follow(masterPort) {
      if (masterPort === undefined) {
        await tell('REPLICAOF', 'NO', 'ONE');
        return;
      }
      await tell('REPLICAOF', '127.0.0.1', String(masterPort));
      while (!String(await tell('INFO', 'replication')).includes('master_link_status:up')) await wait(50);
    },
    async usedMemoryBytes() {
      return Number(/used_memory:(\d+)/.exec(String(await tell('INFO', 'memory')))?.[1]);
    },
    async close() {
      // A suspended process cannot end.
      if (running !== undefined) signalTree(running.pid, 'SIGCONT');
      await kill();
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof openRedis>>} RedisControl */
