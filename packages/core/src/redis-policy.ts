import { Redis } from 'ioredis';

/**
 * Redis must refuse writes when it is full, and never throw keys away: an evicting instance would lose jobs, locks and
 * nonces without a word.
 *
 * @throws where it evicts, or can't be asked
 */
export async function assertNoEviction(redisUrl: string): Promise<void> {
  const redis = new Redis(redisUrl, {
    lazyConnect: true,
    maxRetriesPerRequest: 1,
    retryStrategy: () => null,
    disconnectTimeout: 100,
  });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    const policy = /^maxmemory_policy:(\S+)/m.exec(await redis.info('memory'))?.[1];
    if (policy !== 'noeviction') {
      throw new Error(
        `Redis must run with maxmemory-policy noeviction, and has ${policy ?? 'none that it tells'}`,
      );
    }
  } finally {
    redis.disconnect();
  }
}
