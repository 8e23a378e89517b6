import { Redis } from 'ioredis';
import { REDIS_FAILOVER_OPTIONS } from '../platform/index.js';

type OnError = (error: unknown) => void;

/**
 * Creates a Redis client for commands. A command fails after 2 s, because newer data has superseded its data by then.
 * Operators see `name` as the connection's name.
 */
export function createCommandClient(redisUrl: string, name: string, onError: OnError): Redis {
  const redis = new Redis(redisUrl, {
    connectionName: name,
    maxRetriesPerRequest: 1,
    commandTimeout: 2_000,
    ...REDIS_FAILOVER_OPTIONS,
  });
  return redis.on('error', onError);
}
