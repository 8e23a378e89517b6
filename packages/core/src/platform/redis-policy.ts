import { Redis } from 'ioredis';

/**
 * For every connection that sends commands: a server that vanished without a word is given up when it does not answer,
 * and one that may only read since another took its place is left for whoever its name leads to by then.
 */
export const REDIS_FAILOVER_OPTIONS = {
  socketTimeout: 5_000,
  reconnectOnError: ({ message }: Error) => (message.includes('READONLY') ? 2 : false),
} as const;

/** The longest wait for a job in one command: shorter than a connection may say nothing, for an empty queue is no dead server. */
export const REDIS_BLOCK_TIMEOUT_SECONDS = 3;

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
