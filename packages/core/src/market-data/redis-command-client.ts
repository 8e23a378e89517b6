import { Redis } from 'ioredis';
import { REDIS_FAILOVER_OPTIONS } from '../platform/index.js';

type OnError = (error: unknown) => void;

/** For commands: what isn't done within a moment fails, for what comes next overtakes it. `name` is for operators. */
export function createCommandClient(redisUrl: string, name: string, onError: OnError): Redis {
  const redis = new Redis(redisUrl, {
    connectionName: name,
    maxRetriesPerRequest: 1,
    commandTimeout: 2_000,
    ...REDIS_FAILOVER_OPTIONS,
  });
  return redis.on('error', onError);
}
