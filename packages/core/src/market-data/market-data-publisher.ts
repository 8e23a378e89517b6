/**
 * The writing side of market data: what the one worker that reads an exchange puts where all APIs look.
 *
 * 1. Only the holder of an exchange's lease writes: each write looks at the lease in the same step. A worker that was
 *    away for longer than its lease finds its next write refused, whatever it believes.
 * 2. The number of a book's messages is counted by Redis, in the step that publishes. Where the count is lost it goes on
 *    from Redis' clock in microseconds, which is far beyond any count: it never goes back.
 * 3. All that is written ends by itself: a snapshot that nobody keeps up is gone within seconds, and isn't taken for the
 *    present.
 */
import type { Redis } from 'ioredis';
import { MarketDataKeys, type PairKey } from './market-data-keys.js';
import type { BookSides, Price } from './market-messages.js';
import { createCommandClient } from './redis-command-client.js';
import { RedisScript } from './redis-script.js';
import { RedisSubscriber } from './redis-subscriber.js';

/** How long a lease holds without being renewed, and how long data holds without being kept up. */
export const MARKET_DATA_LEASE_MS = 8_000;
const SNAPSHOT_MS = 5_000;
const PRICES_MS = 60_000;
/** A count that nobody needs any more. */
const SEQUENCE_MS = 86_400_000;

/** KEYS: lease. ARGV: holder, milliseconds. Answers 1 where the holder has it from now on. */
const HOLD = new RedisScript(`
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`);

const RELEASE = new RedisScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`);

/**
 * KEYS: lease, sequence, book. ARGV: holder, what to do (SNAPSHOT, DELTA, REPEAT, KEEP), the rest of the message, the
 * times to live of sequence and snapshot. REPEAT and KEEP are of the state that the last number stands for. Answers the
 * number as text, or nothing where the lease is another's or there is no number to repeat.
 */
const PUBLISH = new RedisScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
local last = redis.call('GET', KEYS[2])
local action = ARGV[2]
local sequence
if action == 'REPEAT' or action == 'KEEP' then
  if not last then return false end
  sequence = last
elseif last then
  sequence = string.format('%.0f', redis.call('INCR', KEYS[2]))
else
  local time = redis.call('TIME')
  sequence = string.format('%.0f', time[1] * 1000000 + time[2])
  redis.call('SET', KEYS[2], sequence)
end
redis.call('PEXPIRE', KEYS[2], ARGV[4])
local kind, previous = 'SNAPSHOT', 'null'
if action == 'DELTA' then kind, previous = 'DELTA', last or 'null' end
local message = '{"kind":"' .. kind .. '","sequence":' .. sequence .. ',"previousSequence":' .. previous .. ',' .. ARGV[3]
if action ~= 'DELTA' then redis.call('SET', KEYS[3], message, 'PX', ARGV[5]) end
if action ~= 'KEEP' then redis.call('PUBLISH', KEYS[3], message) end
return sequence
`);

/** KEYS: lease, prices. ARGV: holder, milliseconds, the message, then symbol and price in turn. */
const PUBLISH_PRICES = new RedisScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
for at = 4, #ARGV, 2 do redis.call('HSET', KEYS[2], ARGV[at], ARGV[at + 1]) end
redis.call('PEXPIRE', KEYS[2], ARGV[2])
redis.call('PUBLISH', KEYS[2], ARGV[3])
return 1
`);

/** KEYS: wanted. Answers the symbols that somebody wants, and forgets the others. */
const WANTED = new RedisScript(`
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
return redis.call('ZRANGE', KEYS[1], 0, -1)
`);

export interface MarketDataPublisherOptions {
  readonly redisUrl: string;
  readonly prefix: string;
  /** Who writes; no two processes may be called the same. */
  readonly holder: string;
  readonly onError: (error: unknown) => void;
}

/** A book as it stands, and since when. */
export interface PublishedBookState extends BookSides {
  readonly exchangeTimestamp: string;
  readonly receivedAt: string;
}

export type PublishAction = 'SNAPSHOT' | 'DELTA' | 'REPEAT' | 'KEEP';

export class MarketDataPublisher {
  private readonly keys: MarketDataKeys;
  private readonly redis: Redis;
  private readonly channels: RedisSubscriber;
  /** By their channels. */
  private readonly requests = new Map<string, { heard(): void; tell(symbol: string): void }>();
  private readonly holder: string;

  constructor({ redisUrl, prefix, holder, onError }: MarketDataPublisherOptions) {
    this.keys = new MarketDataKeys(prefix);
    this.holder = holder;
    this.redis = createCommandClient(redisUrl, `${prefix}:board`, onError);
    this.channels = new RedisSubscriber(redisUrl, `${prefix}:board`, {
      onMessage: (channel, symbol) => this.requests.get(channel)?.tell(symbol),
      onSubscribed: (channel) => this.requests.get(channel)?.heard(),
      onError,
    });
  }

  /** Takes or renews the lease; false where another worker has it. */
  async acquireLease(exchange: string): Promise<boolean> {
    return (
      (await HOLD.run(this.redis, [this.keys.lease(exchange)], [this.holder, MARKET_DATA_LEASE_MS])) === 1
    );
  }

  /** Lets another worker take over at once. */
  async releaseLease(exchange: string): Promise<void> {
    await RELEASE.run(this.redis, [this.keys.lease(exchange)], [this.holder]);
  }

  /** The symbols whose books somebody wants at this moment. */
  async wantedSymbols(exchange: string): Promise<readonly string[]> {
    return (await WANTED.run(this.redis, [this.keys.interests(exchange)])) as string[];
  }

  /** Tells when a reader needs a snapshot of a book, which it may not have wanted before. Settled once it listens. */
  onSnapshotRequest(exchange: string, tell: (symbol: string) => void): Promise<void> {
    const channel = this.keys.requests(exchange);
    return new Promise((heard) => {
      this.requests.set(channel, { heard, tell });
      this.channels.subscribe(channel);
    });
  }

  /**
   * SNAPSHOT and DELTA tell of a new state; REPEAT tells the present one again, KEEP only stores it for who comes next.
   *
   * @returns false where the lease is another's: nothing was written
   */
  async publish(pair: PairKey, what: PublishAction, state: PublishedBookState): Promise<boolean> {
    const { keys: names } = this;
    const keys = [names.lease(pair.exchange), names.sequence(pair), names.book(pair)];
    const rest = JSON.stringify({ exchange: pair.exchange, symbol: pair.symbol, ...state }).slice(1);
    const args = [this.holder, what, rest, SEQUENCE_MS, SNAPSHOT_MS];
    return (await PUBLISH.run(this.redis, keys, args)) !== null;
  }

  /** @returns false where the lease is another's: nothing was written */
  async publishPrices(exchange: string, prices: readonly Price[]): Promise<boolean> {
    const { keys } = this;
    const rows = prices.flatMap((price) => [price.symbol, JSON.stringify(price)]);
    const args = [this.holder, PRICES_MS, JSON.stringify(prices), ...rows];
    return (await PUBLISH_PRICES.run(this.redis, [keys.lease(exchange), keys.prices(exchange)], args)) === 1;
  }

  close(): void {
    this.redis.disconnect();
    this.channels.close();
  }
}
