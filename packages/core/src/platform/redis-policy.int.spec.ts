import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { Redis } from 'ioredis';
import { assertNoEviction, REDIS_BLOCK_TIMEOUT_SECONDS, REDIS_FAILOVER_OPTIONS } from './redis-policy.js';

/** Starts a server that answers every Redis command with an INFO response that contains `policy`. */
async function startRedisWithPolicy(policy: string) {
  const info = `redis_version:7.0.15\r\nloading:0\r\nmaxmemory_policy:${policy}\r\n`;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      for (const _command of chunk.toString().match(/^\*\d+\r$/gm) ?? [])
        socket.write(`$${info.length}\r\n${info}\r\n`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('assertNoEviction', () => {
  it('accepts the server of these tests, which does not evict keys', async () => {
    await expect(assertNoEviction(process.env.TEST_REDIS_URL ?? '')).resolves.toBeUndefined();
  });

  it.each(['allkeys-lru', 'volatile-lru', 'volatile-ttl'])(
    'rejects a server with the eviction policy %s',
    async (policy) => {
      const { server, url } = await startRedisWithPolicy(policy);
      await expect(assertNoEviction(url)).rejects.toThrow(`noeviction; got ${policy}`);
      server.close();
    },
  );

  it('rejects an unreachable server', async () => {
    const { server, url } = await startRedisWithPolicy('noeviction');
    server.close();
    await once(server, 'close');
    await expect(assertNoEviction(url)).rejects.toThrow();
  });
});

describe('a connection to a Redis that became read-only after a failover', () => {
  /**
   * Starts a proxy. Its first connection gets responses of a read-only server; later ones reach the server of
   * the tests.
   */
  async function startFailoverProxy() {
    const { hostname, port } = new URL(process.env.TEST_REDIS_URL ?? '');
    let connections = 0;
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      if (connections++ === 0) {
        socket.on('data', (chunk) => {
          for (const command of chunk.toString().split(/(?=^\*\d+\r$)/m)) {
            if (/^info\r$/im.test(command)) socket.write('$0\r\n\r\n');
            else if (/^set\r$/im.test(command))
              socket.write("-READONLY You can't write against a read only replica.\r\n");
            else socket.write('+OK\r\n');
          }
        });
        return;
      }
      const upstream = connect(Number(port), hostname).on('error', () => socket.destroy());
      socket.pipe(upstream).pipe(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { server, url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  it('is replaced by a connection to the new primary, and the rejected command is sent again', async () => {
    const { server, url } = await startFailoverProxy();
    const redis = new Redis(url, { ...REDIS_FAILOVER_OPTIONS, maxRetriesPerRequest: null });
    redis.on('error', () => undefined);
    try {
      await expect(redis.set('redis policy: moved', '1', 'EX', 60)).resolves.toBe('OK');
    } finally {
      redis.disconnect();
      server.close();
    }
  });
});

describe('the socket timeout', () => {
  const { socketTimeout } = REDIS_FAILOVER_OPTIONS;

  it('leaves at least 3 of the 10 s within which a process must resume, even after two timeouts in a row', () => {
    expect(2 * socketTimeout).toBeLessThanOrEqual(10_000 - 3_000);
  });

  it('is at least 2 s longer than a blocking command on an empty queue, also on a busy machine', () => {
    expect(socketTimeout - REDIS_BLOCK_TIMEOUT_SECONDS * 1_000).toBeGreaterThanOrEqual(2_000);
  });
});

it('a lost connection is tried again after at most a second, however long Redis was unavailable', () => {
  const { retryStrategy } = REDIS_FAILOVER_OPTIONS;
  expect([1, 2, 20, 21, 1_000].map(retryStrategy)).toEqual([50, 100, 1_000, 1_000, 1_000]);
});
