/**
 * Counts in Redis how much of an exchange's limits all workers together have used.
 *
 * 1. One script counts and grants, so two workers never get the same token. It uses the clock of Redis. A request names
 *    several counters, for example that of an address and that of a user: it gets what all of them allow.
 * 2. A limit applies to every time range that has the length of its window, whenever the range starts. Usage is counted
 *    in fiftieths of the window. It is kept for longer than the window: for the fiftieth in which it was granted, and for
 *    the time after which a granted token may still arrive at the exchange. Of a minute, 5 % of the limit is lost by this.
 * 3. A token that is granted but never spent counts as spent.
 */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/** A counter is a hash of amounts by the start of their slot, in tenths of the window since the epoch. */
const UNITS_PER_WINDOW = 10;
const SLOTS_PER_UNIT = 5;
/** How long after the grant a token may arrive at the exchange: prefetched tokens live for 600 ms. At most a tenth of the window. */
const LATE_MS = 2_000;

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
    local unit_ms = window / ${UNITS_PER_WINDOW}
    local kept_ms = window + math.min(${LATE_MS}, unit_ms)
    local used, ends = 0, now + kept_ms
    local slots = redis.call('HGETALL', KEYS[key + i])
    for j = 1, #slots, 2 do
      -- The previous release counts in whole tenths, without a decimal point.
      local width = string.find(slots[j], '.', 1, true) and ${1 / SLOTS_PER_UNIT} or 1
      local ends_at = (tonumber(slots[j]) + width) * unit_ms + kept_ms
      if ends_at <= now then
        redis.call('HDEL', KEYS[key + i], slots[j])
      else
        used = used + tonumber(slots[j + 1])
        ends = math.min(ends, ends_at)
      end
    end
    local free = ceiling - used
    if i == 1 then free = free - spent end
    if free < wanted then
      retry = math.max(retry, math.ceil(ends - now))
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
      local slots = math.floor(now * ${UNITS_PER_WINDOW * SLOTS_PER_UNIT} / window)
      redis.call('HINCRBY', KEYS[key + i], string.format('%.1f', slots / ${SLOTS_PER_UNIT}), amount)
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
