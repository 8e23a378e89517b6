import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { REDIS_FAILOVER_OPTIONS } from './redis-policy.js';

const SOCKET_TIMEOUT_MS = 1_000;

/** Starts a server that closes the first connection at its first PING, and answers all other commands. */
async function startServer() {
  const connections: Socket[] = [];
  const server = createServer((socket) => {
    const number = connections.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      const isPing = /ping/i.test(data.toString());
      if (isPing && number === 1) return socket.destroy();
      // Sends one response for each command.
      const commands = data.toString().match(/^\*\d+\r$/gm)?.length ?? 1;
      return socket.write('+PONG\r\n'.repeat(commands));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    connections,
    port: (server.address() as AddressInfo).port,
    stop: () => {
      for (const socket of connections) socket.destroy();
      server.close();
    },
  };
}

describe('a re-established connection to Redis', () => {
  it('is not closed when the socket timeout of the previous connection would have ended', async () => {
    const server = await startServer();
    const redis = new Redis(server.port, '127.0.0.1', {
      ...REDIS_FAILOVER_OPTIONS,
      socketTimeout: SOCKET_TIMEOUT_MS,
      enableReadyCheck: false,
      maxRetriesPerRequest: null,
      retryStrategy: () => 10,
    });
    redis.on('error', () => undefined);
    try {
      expect(await redis.ping()).toBe('PONG');
      expect(server.connections.length).toBe(2);
      // A socket timeout that was left over from the first connection would end during this wait.
      await wait(2 * SOCKET_TIMEOUT_MS);
      expect(await redis.ping()).toBe('PONG');
      expect(server.connections.length).toBe(2);
    } finally {
      redis.disconnect();
      server.stop();
    }
  });
});
