import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { assertNoEviction } from './redis-policy.js';

/** A server that answers every command of the protocol with the same INFO. */
async function redisWith(policy: string) {
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

describe('the check of Redis at boot', () => {
  it('passes the one of these tests, which evicts nothing', async () => {
    await expect(assertNoEviction(process.env.TEST_REDIS_URL ?? '')).resolves.toBeUndefined();
  });

  it.each(['allkeys-lru', 'volatile-lru', 'volatile-ttl'])(
    'refuses one that evicts by %s',
    async (policy) => {
      const { server, url } = await redisWith(policy);
      await expect(assertNoEviction(url)).rejects.toThrow(`noeviction, and has ${policy}`);
      server.close();
    },
  );

  it('refuses one that is not there', async () => {
    const { server, url } = await redisWith('noeviction');
    server.close();
    await once(server, 'close');
    await expect(assertNoEviction(url)).rejects.toThrow();
  });
});
