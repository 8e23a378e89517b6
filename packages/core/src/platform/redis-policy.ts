import { Redis } from 'ioredis';

const RECONNECT_STEP_MS = 50;
const RECONNECT_MAX_MS = 1_000;

/**
 * Options of every Redis connection that sends commands. A connection closes if the server does not respond within the
 * timeout. A process must resume within 10 s, and the timeouts of two of its connections can follow each other. If the
 * server became read-only after a failover, the client reconnects by host name to reach the new primary, and sends the
 * rejected command again (ioredis' code 2). The delay between two attempts to connect stays short: BullMQ's default
 * delay grows to 20 s.
 */
export const REDIS_FAILOVER_OPTIONS = {
  socketTimeout: 3_000,
  retryStrategy: (attempts: number): number => Math.min(attempts * RECONNECT_STEP_MS, RECONNECT_MAX_MS),
  reconnectOnError: ({ message }: Error) => (message.includes('READONLY') ? 2 : false),
} as const;

/**
 * Options of every queue whose connection fails fast. While BullMQ initializes a queue, it reads the version of Redis. If
 * that one command fails, for example because Redis restarts, BullMQ keeps the error and rejects every later call of the
 * queue. Without the check, the initialization only waits for the connection, and cannot fail.
 */
export const QUEUE_INITIALIZATION = { skipVersionCheck: true } as const;

/**
 * The longest wait for a job in one blocking command. It is shorter than the socket timeout, so that an empty queue
 * does not look like a dead server.
 */
export const REDIS_BLOCK_TIMEOUT_SECONDS = 1;

/**
 * Asserts that Redis rejects writes when full and never evicts keys: eviction would lose jobs, locks and nonces
 * silently.
 *
 * @throws {Error} if Redis may evict keys, or its policy cannot be read
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
        `maxmemory-policy must be noeviction; got ${policy ?? 'no value'}. Set it in the configuration of Redis.`,
      );
    }
  } finally {
    redis.disconnect();
  }
}
