import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Queue } from 'bullmq';
import { TRADES_QUEUE, TradeQueue, TradeQueueConnection } from './trade-queue.js';

const redisUrl = new URL(process.env.TEST_REDIS_URL ?? '');

/** Opens a TCP proxy to Redis that the test can close. */
async function openProxy() {
  const sockets = new Set<Socket>();
  const server = createServer((clientSocket) => {
    const redisSocket = connect(Number(redisUrl.port), redisUrl.hostname);
    for (const [from, to] of [
      [clientSocket, redisSocket],
      [redisSocket, clientSocket],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined).on('close', () => to.destroy());
      from.pipe(to);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `redis://127.0.0.1:${port}`,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

describe('the trade queue', () => {
  it('rejects a trade immediately while Redis is unavailable', async () => {
    const prefix = `spec-${randomBytes(6).toString('hex')}`;
    const proxy = await openProxy();
    const errors: unknown[] = [];
    const connection = new TradeQueueConnection(proxy.url, (error) => errors.push(error));
    const trades = new TradeQueue(
      new Queue(TRADES_QUEUE, { ...connection.queueOptions(), connection: connection.redis, prefix }),
      connection,
    );
    const queue = new Queue(TRADES_QUEUE, { connection: { url: redisUrl.href }, prefix });
    await trades.add(['one']);
    expect(await queue.count()).toBe(1);

    proxy.close();
    await expect(trades.add(['two'])).rejects.toThrow();
    expect(errors.length).toBeGreaterThan(0);
    await trades.close();
    await queue.obliterate({ force: true });
    await queue.close();
  });
});
