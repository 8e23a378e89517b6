import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { newUuid } from '@trading-automation/persistence';
import { createLogger } from '@trading-automation/runtime';
import { eventually } from '@trading-automation/runtime/testing';
import { Queue } from 'bullmq';
import { TcpProxy } from '../../graphql-api/test/tcp-proxy.js';
import { ATTEMPT_QUEUES, AttemptQueue, AttemptQueueConnection } from '../src/delivery/attempt-queue.js';

const redisUrl = process.env.TEST_REDIS_URL ?? '';

describe('the attempt queue', () => {
  it('takes jobs of both lanes after Redis was lost during the first connection', async () => {
    const prefix = `spec-${randomBytes(6).toString('hex')}`;
    const proxy = await TcpProxy.start(redisUrl);
    const connection = new AttemptQueueConnection(proxy.url, () => undefined);
    const producer = (lane: 'main' | 'slow') =>
      new Queue(ATTEMPT_QUEUES[lane], {
        ...connection.queueOptions(lane),
        connection: connection.redis,
        prefix,
      });
    const attempts = new AttemptQueue(
      producer('main'),
      producer('slow'),
      connection,
      createLogger('spec', 'silent'),
    );
    let closeCount = 0;
    connection.redis.on('close', () => closeCount++);
    await once(connection.redis, 'ready');
    const reopenPort = proxy.closePort();
    // By then, a command that was sent on the first connection has failed.
    await eventually(() => closeCount > 4);
    await reopenPort();
    await eventually(() => connection.redis.status === 'ready');
    await attempts.add([
      { deliveryId: newUuid(), attempt: 1, lane: 'main' },
      { deliveryId: newUuid(), attempt: 1, lane: 'slow' },
    ]);
    const depths = await Promise.all([attempts.depth('main'), attempts.depth('slow')]);
    expect(depths.map(({ waiting }) => waiting)).toEqual([1, 1]);
    await attempts.close();
    for (const name of Object.values(ATTEMPT_QUEUES)) {
      const queue = new Queue(name, { connection: { url: redisUrl }, prefix });
      await queue.obliterate({ force: true });
      await queue.close();
    }
    await proxy.close();
  });
});
