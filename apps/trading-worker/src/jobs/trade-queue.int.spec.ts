import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { eventually } from '@trading-automation/runtime/testing';
import { Queue } from 'bullmq';
import { TcpProxy } from '../../../graphql-api/test/tcp-proxy.js';
import { TRADES_QUEUE, TradeQueue, TradeQueueConnection } from './trade-queue.js';

const redisUrl = process.env.TEST_REDIS_URL ?? '';

/** Opens the queue of the product through a proxy, and a second queue that reads the same jobs directly. */
async function openQueue() {
  const prefix = `spec-${randomBytes(6).toString('hex')}`;
  const proxy = await TcpProxy.start(redisUrl);
  const errors: unknown[] = [];
  const connection = new TradeQueueConnection(proxy.url, (error) => errors.push(error));
  const trades = new TradeQueue(
    new Queue(TRADES_QUEUE, { ...connection.queueOptions(), connection: connection.redis, prefix }),
    connection,
  );
  const queue = new Queue(TRADES_QUEUE, { connection: { url: redisUrl }, prefix });
  const close = async () => {
    await trades.close();
    await queue.obliterate({ force: true });
    await queue.close();
    await proxy.close();
  };
  return { proxy, errors, connection, trades, queue, close };
}

describe('the trade queue', () => {
  it('rejects a trade immediately while Redis is unavailable', async () => {
    const { proxy, errors, trades, queue, close } = await openQueue();
    await trades.add(['one']);
    expect(await queue.count()).toBe(1);
    proxy.refuseConnections();
    await expect(trades.add(['two'])).rejects.toThrow();
    expect(errors.length).toBeGreaterThan(0);
    await close();
  });

  it('accepts trades again after Redis was lost during the first connection', async () => {
    const { proxy, connection, trades, queue, close } = await openQueue();
    let closeCount = 0;
    connection.redis.on('close', () => closeCount++);
    await once(connection.redis, 'ready');
    const reopenPort = proxy.closePort();
    // By then, a command that was sent on the first connection has failed.
    await eventually(() => closeCount > 4);
    await reopenPort();
    await eventually(() => connection.redis.status === 'ready');
    await trades.add(['one']);
    expect(await queue.count()).toBe(1);
    await close();
  });
});
