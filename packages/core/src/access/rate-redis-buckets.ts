/**
 * The buckets that all processes share, in Redis.
 *
 * 1. One script reads and fills all buckets of a request, so that no two requests see the same token, whichever
 *    process asks; where one bucket refuses, none is filled.
 * 2. The clock is that of Redis: the processes' own may differ. Set back, it leaves buckets empty and no worse.
 * 3. The nonce of a signed request is recorded by the same script. Seen before, it fills nothing: who replays a request
 *    can't use up its owner's tokens. Where a bucket refuses, it is not recorded: the request was not let in, and a
 *    holder of a key can't fill the memory faster than the limit.
 * 4. The Redis behind it must not evict (`noeviction`) and must keep its log (AOF): a nonce that is forgotten within its
 *    window lets a request in twice.
 */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { BucketRequest, BucketResult, Buckets } from './rate-buckets.js';

/**
 * KEYS: a nonce where ARGV[1] (its time to live in ms) is not 0, then the buckets. ARGV from 2: the interval and the
 * capacity of each bucket, in microseconds. Answers 1 (taken), 0 (refused) or -1 (the nonce was there), then for each
 * bucket the microseconds until it is full.
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
local answer = {1}
for i = first, #KEYS do
  local at = 2 * (i - first) + 2
  local capacity = tonumber(ARGV[at + 1])
  local kept = redis.call('GET', KEYS[i])
  local ahead = kept and tonumber(kept) - now or 0
  if ahead < 0 then ahead = 0 end
  if ahead > capacity then
    ahead = capacity
    redis.call('SET', KEYS[i], string.format('%.0f', now + ahead), 'PX', math.ceil(ahead / 1000))
  end
  if ahead + ARGV[at] > capacity then answer[1] = 0 end
  answer[#answer + 1] = ahead
end
if answer[1] == 0 then return answer end
for i = first, #KEYS do
  local slot = i - first + 2
  local ahead = answer[slot] + ARGV[2 * (i - first) + 2]
  answer[slot] = ahead
  redis.call('SET', KEYS[i], string.format('%.0f', now + ahead), 'PX', math.ceil(ahead / 1000))
end
if ttl ~= '0' then redis.call('SET', KEYS[1], '1', 'PX', ttl) end
return answer
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
    return { isAllowed: outcome === 1, refillUs: untilFullUs };
  }

  /** As `take`, for a signed request; null where its nonce was recorded before. */
  async takeWithNonce(
    claim: BucketRequest,
    { publicKey, nonce, ttlMs }: NonceClaim,
  ): Promise<BucketResult | null> {
    const keys = [`nonce:${publicKey}:${nonce}`, ...claim.keys];
    const [outcome, ...untilFullUs] = await this.run(keys, [String(ttlMs), ...claim.set.amounts]);
    return outcome === -1 ? null : { isAllowed: outcome === 1, refillUs: untilFullUs };
  }

  private async run(keys: readonly string[], args: readonly string[]): Promise<number[]> {
    try {
      return (await this.redis.evalsha(SCRIPT_SHA1, keys.length, ...keys, ...args)) as number[];
    } catch (error) {
      // A Redis that was started anew knows no script.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return (await this.redis.eval(SCRIPT, keys.length, ...keys, ...args)) as number[];
    }
  }
}
