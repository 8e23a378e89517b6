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
 * 4. The same script compares the memory of nonces with the one that Postgres confirmed, because a Redis that lost nonces
 *    would accept a replay: see nonce-epoch.ts.
 * 5. Redis must not evict (`noeviction`) and must persist its log (AOF): a lost nonce would allow a replay within its
 *    window.
 */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { NonceEpoch, NonceExpectation } from './nonce-epoch.js';
import type { BucketRequest, BucketResult, Buckets } from './rate-buckets.js';

/**
 * KEYS: if ARGV[1] (the time to live of a nonce in ms) is not 0, the nonce, the epoch and the number of nonces; then the
 * buckets. ARGV from 2: the interval and the capacity of each bucket, in microseconds; for a nonce, the last three are the
 * expected epoch, server and least number of nonces. Returns 1 (taken), 0 (rejected), -1 (replayed nonce) or -2 (another
 * memory), then the microseconds until each bucket is full; for a recorded nonce, the last is the number of nonces.
 */
const SCRIPT = `
local ttl = ARGV[1]
local first = 1
if ttl ~= '0' then
  if redis.call('GET', KEYS[2]) ~= ARGV[#ARGV - 2] then return {-2} end
  local server = string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)')
  if server ~= ARGV[#ARGV - 1] then return {-2} end
  if tonumber(redis.call('GET', KEYS[3]) or '0') < tonumber(ARGV[#ARGV]) then return {-2} end
  if redis.call('EXISTS', KEYS[1]) == 1 then return {-1} end
  first = 4
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
if ttl ~= '0' then
  redis.call('SET', KEYS[1], '1', 'PX', ttl)
  result[#result + 1] = redis.call('INCR', KEYS[3])
end
return result
`;
const SCRIPT_SHA1 = createHash('sha1').update(SCRIPT).digest('hex');

export interface NonceClaim {
  readonly publicKey: string;
  readonly nonce: string;
  readonly ttlMs: number;
}

export class RedisBuckets implements Buckets {
  /** @param epoch what Redis must match to record nonces. Without it, no nonce is recorded */
  constructor(
    private readonly redis: Redis,
    private readonly epoch?: Pick<NonceEpoch, 'expectation' | 'observe' | 'refuse'>,
  ) {}

  async take({ keys, set }: BucketRequest): Promise<BucketResult> {
    const [outcome, ...untilFullUs] = await this.run(keys, ['0', ...set.amounts]);
    return { isAllowed: outcome === 1, untilFullUs };
  }

  /**
   * Like `take`, for a signed request; returns null if its nonce was already recorded.
   *
   * @throws {DomainError} `service_unavailable` while Redis may have lost nonces
   */
  async takeWithNonce(
    request: BucketRequest,
    { publicKey, nonce, ttlMs }: NonceClaim,
  ): Promise<BucketResult | null> {
    const { epoch } = this;
    if (epoch === undefined) throw new Error('Nonces are not recorded without an epoch.');
    const expected = epoch.expectation();
    const keys = [`nonce:${publicKey}:${nonce}`, expected.epochKey, expected.claimsKey, ...request.keys];
    const args = [String(ttlMs), ...request.set.amounts, ...argsOf(expected)];
    const [outcome, ...untilFullUs] = await this.run(keys, args);
    if (outcome === -2) throw epoch.refuse();
    if (outcome === -1) return null;
    if (outcome === 1) epoch.observe(expected.epoch, untilFullUs.pop()!);
    return { isAllowed: outcome === 1, untilFullUs };
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

function argsOf({ epoch, server, claims }: NonceExpectation): readonly string[] {
  return [epoch, server, String(claims)];
}
