import { REDIS_FAILOVER_OPTIONS } from '@trading-automation/core';
import type { NonceSource } from '@trading-automation/exchanges/ccxt';
import { Redis } from 'ioredis';
import type { RedisCallBudgetSettings } from './redis-call-budget.js';

const COMMAND_TIMEOUT_MS = 250;
/** A key that was not used for so long begins again with the clock, which is higher by then. */
const KEPT_MS = 86_400_000;

/** Returns the higher of the clock and the last nonce plus one. Microseconds are exact in a double until 2255. */
const NEXT = `
  local following = math.max(tonumber(redis.call('GET', KEYS[1]) or '0') + 1, tonumber(ARGV[1]))
  redis.call('SET', KEYS[1], string.format('%.0f', following), 'PX', ARGV[2])
  return string.format('%.0f', following)`;

/**
 * Rising nonces of API keys, shared by all workers in Redis. While Redis is unavailable, a worker uses its own clock:
 * only one worker owns an account, and all clocks are close to each other.
 */
export class RedisNonces implements NonceSource {
  private readonly redis: Redis;
  private readonly prefix: string;
  /** The highest nonce that this worker has used. */
  private highest = 0;

  constructor(
    { redisUrl, commandTimeoutMs = COMMAND_TIMEOUT_MS, prefix }: RedisCallBudgetSettings,
    private readonly onError: (error: unknown) => void,
  ) {
    // Most deployments have no exchange with rising nonces, and need no connection.
    this.redis = new Redis(redisUrl, {
      lazyConnect: true,
      maxRetriesPerRequest: 1,
      commandTimeout: commandTimeoutMs,
      disconnectTimeout: 200,
      ...REDIS_FAILOVER_OPTIONS,
    });
    this.redis.on('error', onError);
    this.prefix = prefix;
  }

  async next(key: string): Promise<number> {
    const clock = Math.max(this.highest + 1, Date.now() * 1_000);
    // Counts as used already, so that calls that begin now never get it, too.
    this.highest = clock;
    const shared = await this.redis
      .eval(NEXT, 1, `${this.prefix}:nonces:${key}`, clock, KEPT_MS)
      .catch((error: unknown) => {
        this.onError(error);
        return clock;
      });
    const nonce = Number(shared);
    this.highest = Math.max(this.highest, nonce);
    return nonce;
  }

  close(): void {
    this.redis.disconnect();
  }
}
