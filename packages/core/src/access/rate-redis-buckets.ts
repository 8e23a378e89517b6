/**
 * Token buckets in Redis, shared by all processes.
 *
 * 1. One script reads and updates all buckets of a request, so no two requests take the same token. If one bucket is
 *    empty, none is changed.
 * 2. The script uses the clock of Redis, because process clocks may differ. If that clock is set back, buckets may be
 *    empty for longer.
 * 3. The same script records the nonce of a signed request. A replayed nonce takes no tokens, so a replay cannot use up
 *    the limit of the key's owner. If a bucket is empty, the nonce is not recorded, so a key cannot fill the memory
 *    faster than its limit allows.
 * 4. Redis must not evict (`noeviction`) and must persist its log (AOF): a lost nonce would allow a replay within its
 *    window.
 */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { BucketRequest, BucketResult, Buckets } from './rate-buckets.js';

/**
 * KEYS: a nonce if ARGV[1] (its time to live in ms) is not 0, then the buckets. ARGV from 2: the interval and the
 * capacity of each bucket, in microseconds. Returns 1 (taken), 0 (rejected) or -1 (replayed nonce), then the
 * microseconds until each bucket is full.
 */
const SCRIPT = `
local ttl = ARGV[1]
local first = 1
if ttl ~= '0' then
  if redis.call('EXISTS', KEYS[1]) == 1 then return {-1} end
  first = 2
end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local result = {1}
for i = first, #KEYS do
  local at = 2 * (i - first) + 2
  local capacity = tonumber(ARGV[at + 1])
  local fullAt = redis.call('GET', KEYS[i])
  local ahead = fullAt and tonumber(fullAt) - now or 0
  if ahead < 0 then ahead = 0 end
  if ahead > capacity then
    ahead = capacity
    redis.call('SET', KEYS[i], string.format('%.0f', now + ahead), 'PX', math.ceil(ahead / 1000))
  end
  if ahead + ARGV[at] > capacity then result[1] = 0 end
  result[#result + 1] = ahead
end
if result[1] == 0 then return result end
for i = first, #KEYS do
  local slot = i - first + 2
  local ahead = result[slot] + ARGV[2 * (i - first) + 2]
  result[slot] = ahead
  redis.call('SET', KEYS[i], string.format('%.0f', now + ahead), 'PX', math.ceil(ahead / 1000))
end
if ttl ~= '0' then redis.call('SET', KEYS[1], '1', 'PX', ttl) end
return result
`;
const SCRIPT_SHA1 = createHash('sha1').update(SCRIPT).digest('hex');

export interface NonceClaim {
  readonly publicKey: string;
  readonly nonce: string;
  readonly ttlMs: number;
}

export class RedisBuckets implements Buckets {
  constructor(private readonly redis: Redis) {}

  async take({ keys, set }: BucketRequest): Promise<BucketResult> {
    const [outcome, ...untilFullUs] = await this.run(keys, ['0', ...set.amounts]);
    return { isAllowed: outcome === 1, untilFullUs };
  }

  /** Like `take`, for a signed request; returns null if its nonce was already recorded. */
  async takeWithNonce(
    request: BucketRequest,
    { publicKey, nonce, ttlMs }: NonceClaim,
  ): Promise<BucketResult | null> {
    const keys = [`nonce:${publicKey}:${nonce}`, ...request.keys];
    const [outcome, ...untilFullUs] = await this.run(keys, [String(ttlMs), ...request.set.amounts]);
    return outcome === -1 ? null : { isAllowed: outcome === 1, untilFullUs };
  }

  private async run(keys: readonly string[], args: readonly string[]): Promise<number[]> {
    try {
      return (await this.redis.evalsha(SCRIPT_SHA1, keys.length, ...keys, ...args)) as number[];
    } catch (error) {
      // A restarted Redis has no scripts loaded.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return (await this.redis.eval(SCRIPT, keys.length, ...keys, ...args)) as number[];
    }
  }
}
