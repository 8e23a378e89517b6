/**
 * Counts in Redis how much of an exchange's limits all workers together have used.
 *
 * 1. One script counts and grants, so two workers never get the same token. It uses the clock of Redis.
 * 2. A limit applies to every time range that has the length of its window, whenever the range starts. Usage is counted
 *    in tenths of the window. It is kept for two tenths longer than the window: one for the current tenth, and one
 *    because a granted token may be spent up to a tenth later.
 * 3. A token that is granted but never spent counts as spent.
 */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

const SLOTS_PER_WINDOW = 10;

/**
 * KEYS: the key of the pause, then the key of each request. ARGV, for each request: the ceiling, the window in ms, the
 * wanted tokens, the minimum to grant, and the tokens that were spent without a grant. Returns the remaining ms of the
 * pause, then for each request the granted tokens and the ms after which a new request may get more.
 */
const SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local reply = {math.max(0, redis.call('PTTL', KEYS[1]))}
for i = 2, #KEYS do
  local at = 5 * (i - 2)
  local ceiling, window = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local wanted, minimum, spent = tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4]), tonumber(ARGV[at + 5])
  local slot_ms = window / ${SLOTS_PER_WINDOW}
  local slot = math.floor(now / slot_ms)
  local first = slot - ${SLOTS_PER_WINDOW} - 1
  local used, oldest = 0, slot
  local slots = redis.call('HGETALL', KEYS[i])
  for j = 1, #slots, 2 do
    local at_slot = tonumber(slots[j])
    if at_slot < first then
      redis.call('HDEL', KEYS[i], slots[j])
    else
      used = used + tonumber(slots[j + 1])
      if at_slot < oldest then oldest = at_slot end
    end
  end
  local granted = 0
  if reply[1] == 0 then granted = math.min(wanted, ceiling - used - spent) end
  if granted < minimum then granted = 0 end
  if granted + spent > 0 then
    redis.call('HINCRBY', KEYS[i], slot, granted + spent)
    redis.call('PEXPIRE', KEYS[i], 2 * window)
  end
  reply[#reply + 1] = granted
  reply[#reply + 1] = math.max(1, math.ceil((oldest + ${SLOTS_PER_WINDOW} + 2) * slot_ms - now))
end
return reply
`;
const SCRIPT_SHA1 = createHash('sha1').update(SCRIPT).digest('hex');

/** Sets a pause of ARGV[1] ms, unless a longer one is already set. */
const PAUSE = `
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], '1', 'PX', ARGV[1]) end
`;

export interface TokenRequest {
  readonly key: string;
  /** The maximum that is granted in any time range of `windowMs`. */
  readonly ceiling: number;
  readonly windowMs: number;
  readonly wanted: number;
  /** The minimum to grant; if fewer tokens are available, none is granted. At least 1. */
  readonly minimum: number;
  /** Tokens that were spent while Redis was unavailable. */
  readonly spent: number;
}

interface TokenGrant {
  /** All wanted tokens, or as many as are available; 0 if these are fewer than the minimum. */
  readonly granted: number;
  /** The time after which a new request may get more. */
  readonly retryInMs: number;
}

export interface AcquiredTokens {
  /** The remaining time in which no call to the exchange may be sent. 0: no pause. */
  readonly pausedMs: number;
  /** One grant for each request, in the order of the requests. */
  readonly grants: readonly TokenGrant[];
}

export class RedisSlidingWindows {
  constructor(
    private readonly redis: Redis,
    private readonly prefix: string,
  ) {}

  /** Requests tokens. @throws if Redis is unavailable */
  async acquire(venue: string, requests: readonly TokenRequest[]): Promise<AcquiredTokens> {
    const keys = [
      this.pauseKey(venue),
      ...requests.map(({ key }) => `${this.prefix}:budget:${venue}:${key}`),
    ];
    const args = requests.flatMap(({ ceiling, windowMs, wanted, minimum, spent }) => [
      ceiling,
      windowMs,
      wanted,
      minimum,
      spent,
    ]);
    const [pausedMs = 0, ...rest] = await this.run(keys, args);
    return {
      pausedMs,
      grants: requests.map((_, i) => ({ granted: rest[2 * i] ?? 0, retryInMs: rest[2 * i + 1] ?? 1 })),
    };
  }

  /** @throws if Redis is unavailable */
  async pause(venue: string, forMs: number): Promise<void> {
    await this.redis.eval(PAUSE, 1, this.pauseKey(venue), Math.ceil(forMs));
  }

  private pauseKey(venue: string): string {
    return `${this.prefix}:budget:${venue}:pause`;
  }

  private async run(keys: readonly string[], args: readonly number[]): Promise<number[]> {
    try {
      return (await this.redis.evalsha(SCRIPT_SHA1, keys.length, ...keys, ...args)) as number[];
    } catch (error) {
      // A restarted Redis has no cached scripts.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return (await this.redis.eval(SCRIPT, keys.length, ...keys, ...args)) as number[];
    }
  }
}
