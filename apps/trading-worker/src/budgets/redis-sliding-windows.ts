/**
 * Counts in Redis how much of an exchange's limits all workers together have used.
 *
 * 1. One script counts and grants, so two workers never get the same token. It uses the clock of Redis. A request names
 *    several counters, for example that of an address and that of a user: it gets what all of them allow.
 * 2. A limit applies to every time range that has the length of its window, whenever the range starts. Usage is counted
 *    in tenths of the window. It is kept for two tenths longer than the window: one for the current tenth, and one
 *    because a granted token may be spent up to a tenth later.
 * 3. A token that is granted but never spent counts as spent.
 */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

const SLOTS_PER_WINDOW = 10;

/**
 * KEYS: the key of the pause, then the keys of the counters of all requests. ARGV, for each request: the wanted tokens,
 * the minimum to grant, the tokens that were spent without a grant (of the first counter), the number of counters, then
 * for each counter the ceiling and the window in ms. Returns the remaining ms of the pause, then for each request the
 * granted tokens, the ms after which a new request may get more, and the number of the first counter that allowed less
 * than the minimum, from 1; 0 if each allowed it.
 */
const SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local reply = {math.max(0, redis.call('PTTL', KEYS[1]))}
local key, at = 1, 0
while at < #ARGV do
  local wanted, minimum, spent = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  local counters = tonumber(ARGV[at + 4])
  local granted, retry, short = wanted, 1, 0
  for i = 1, counters do
    local ceiling, window = tonumber(ARGV[at + 3 + 2 * i]), tonumber(ARGV[at + 4 + 2 * i])
    local slot_ms = window / ${SLOTS_PER_WINDOW}
    local slot = math.floor(now / slot_ms)
    local first = slot - ${SLOTS_PER_WINDOW} - 1
    local used, oldest = 0, slot
    local slots = redis.call('HGETALL', KEYS[key + i])
    for j = 1, #slots, 2 do
      local at_slot = tonumber(slots[j])
      if at_slot < first then
        redis.call('HDEL', KEYS[key + i], slots[j])
      else
        used = used + tonumber(slots[j + 1])
        if at_slot < oldest then oldest = at_slot end
      end
    end
    local free = ceiling - used
    if i == 1 then free = free - spent end
    if free < wanted then
      retry = math.max(retry, math.ceil((oldest + ${SLOTS_PER_WINDOW} + 2) * slot_ms - now))
    end
    if free < minimum and short == 0 then short = i end
    granted = math.min(granted, free)
  end
  if reply[1] > 0 or granted < minimum then granted = 0 end
  for i = 1, counters do
    local window = tonumber(ARGV[at + 4 + 2 * i])
    local amount = granted
    if i == 1 then amount = amount + spent end
    if amount > 0 then
      redis.call('HINCRBY', KEYS[key + i], math.floor(now / (window / ${SLOTS_PER_WINDOW})), amount)
      redis.call('PEXPIRE', KEYS[key + i], 2 * window)
    end
  end
  reply[#reply + 1] = granted
  reply[#reply + 1] = retry
  reply[#reply + 1] = short
  key = key + counters
  at = at + 4 + 2 * counters
end
return reply
`;
const SCRIPT_SHA1 = createHash('sha1').update(SCRIPT).digest('hex');

/** Sets a pause of ARGV[1] ms, unless a longer one is already set. */
const PAUSE = `
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], '1', 'PX', ARGV[1]) end
`;

/** A counter of a limit. */
export interface Counter {
  /** The whole key of the counter, without the prefix of the deployment. */
  readonly key: string;
  /** The maximum that is granted in any time range of `windowMs`. */
  readonly ceiling: number;
  readonly windowMs: number;
}

export interface TokenRequest {
  /** All of these counters must allow the tokens. */
  readonly counters: readonly Counter[];
  readonly wanted: number;
  /** The minimum to grant; if fewer tokens are available, none is granted. At least 1. */
  readonly minimum: number;
  /** Tokens of the first counter that were spent while Redis was unavailable. */
  readonly spent: number;
}

interface TokenGrant {
  /** All wanted tokens, or as many as are available; 0 if these are fewer than the minimum. */
  readonly granted: number;
  /** The time after which a new request may get more. */
  readonly retryInMs: number;
  /** The index of the first counter that allowed less than the minimum; -1 if each allowed it. */
  readonly shortIndex: number;
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

  /**
   * Requests tokens.
   *
   * @param scope the exchange and the local address whose pause applies
   * @throws if Redis is unavailable
   */
  async acquire(scope: string, requests: readonly TokenRequest[]): Promise<AcquiredTokens> {
    const counters = requests.flatMap((request) => request.counters);
    const keys = [this.pauseKey(scope), ...counters.map(({ key }) => `${this.prefix}:budget:${key}`)];
    const args = requests.flatMap(({ counters: own, wanted, minimum, spent }) => [
      wanted,
      minimum,
      spent,
      own.length,
      ...own.flatMap(({ ceiling, windowMs }) => [ceiling, windowMs]),
    ]);
    const [pausedMs = 0, ...rest] = await this.run(keys, args);
    return {
      pausedMs,
      grants: requests.map((_, i) => {
        const [granted = 0, retryInMs = 1, short = 0] = rest.slice(3 * i, 3 * i + 3);
        return { granted, retryInMs, shortIndex: short - 1 };
      }),
    };
  }

  /** @throws if Redis is unavailable */
  async pause(scope: string, forMs: number): Promise<void> {
    await this.redis.eval(PAUSE, 1, this.pauseKey(scope), Math.ceil(forMs));
  }

  private pauseKey(scope: string): string {
    return `${this.prefix}:budget:${scope}:pause`;
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
