/**
 * Publishes market data to Redis. The one worker that reads an exchange writes here, and all API processes read it.
 *
 * 1. Only the holder of an exchange's lease writes: each write checks the lease atomically. If a worker stalls for
 *    longer than its lease, its next write fails.
 * 2. Redis counts the sequence of a book's messages, in the step that publishes. If the count is lost, it continues
 *    from Redis' clock in microseconds. This is far above any count, so the sequence never decreases.
 * 3. All written data expires. A snapshot that no worker refreshes disappears within seconds, so that readers do not
 *    take it for the current state.
 */
import type { Redis } from 'ioredis';
import { MarketDataKeys, type PairKey } from './market-data-keys.js';
import type { BookSides, Price } from './market-messages.js';
import { createCommandClient } from './redis-command-client.js';
import { RedisScript } from './redis-script.js';
import { RedisSubscriber } from './redis-subscriber.js';

/** Time to live of a lease without renewal. */
export const MARKET_DATA_LEASE_MS = 8_000;
const SNAPSHOT_MS = 5_000;
const PRICES_MS = 60_000;
/** Time to live of an unused sequence. */
const SEQUENCE_MS = 86_400_000;

/** KEYS: lease. ARGV: holder, milliseconds. Returns 1 if the holder has the lease. */
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
 * KEYS: lease, sequence, book. ARGV: holder, action (SNAPSHOT, DELTA, REPEAT, KEEP), the rest of the message, the times
 * to live of sequence and snapshot. REPEAT and KEEP write the state again under the last sequence. Returns the sequence
 * as a string; nothing if another worker holds the lease or no sequence exists yet.
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

/** KEYS: lease, prices. ARGV: holder, milliseconds, the message, then alternately symbol and price. */
const PUBLISH_PRICES = new RedisScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
for at = 4, #ARGV, 2 do redis.call('HSET', KEYS[2], ARGV[at], ARGV[at + 1]) end
redis.call('PEXPIRE', KEYS[2], ARGV[2])
redis.call('PUBLISH', KEYS[2], ARGV[3])
return 1
`);

/** KEYS: interests. Removes expired symbols and returns the others. */
const INTERESTS = new RedisScript(`
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
return redis.call('ZRANGE', KEYS[1], 0, -1)
`);

export interface MarketDataPublisherOptions {
  readonly redisUrl: string;
  readonly prefix: string;
  /** The name of this publisher; unique among processes. */
  readonly holder: string;
  readonly onError: (error: unknown) => void;
}

/** The current state of a book, with its timestamps. */
export interface PublishedBookState extends BookSides {
  readonly exchangeTimestamp: string;
  readonly receivedAt: string;
}

export type PublishAction = 'SNAPSHOT' | 'DELTA' | 'REPEAT' | 'KEEP';

export class MarketDataPublisher {
  private readonly keys: MarketDataKeys;
  private readonly redis: Redis;
  private readonly channels: RedisSubscriber;
  /** The handlers of snapshot requests, by channel. */
  private readonly requestHandlers = new Map<
    string,
    { onSubscribed(): void; onRequest(symbol: string): void }
  >();
  private readonly holder: string;

  constructor({ redisUrl, prefix, holder, onError }: MarketDataPublisherOptions) {
    this.keys = new MarketDataKeys(prefix);
    this.holder = holder;
    this.redis = createCommandClient(redisUrl, `${prefix}:publisher`, onError);
    this.channels = new RedisSubscriber(redisUrl, `${prefix}:publisher`, {
      onMessage: (channel, symbol) => this.requestHandlers.get(channel)?.onRequest(symbol),
      onSubscribed: (channel) => this.requestHandlers.get(channel)?.onSubscribed(),
      onError,
    });
  }

  /** Acquires or renews the lease. Returns false if another worker holds it. */
  async acquireLease(exchange: string): Promise<boolean> {
    return (
      (await HOLD.run(this.redis, [this.keys.lease(exchange)], [this.holder, MARKET_DATA_LEASE_MS])) === 1
    );
  }

  /** Releases the lease, so that another worker can take over immediately. */
  async releaseLease(exchange: string): Promise<void> {
    await RELEASE.run(this.redis, [this.keys.lease(exchange)], [this.holder]);
  }

  /** Returns the symbols whose books readers currently need. */
  async wantedSymbols(exchange: string): Promise<readonly string[]> {
    return (await INTERESTS.run(this.redis, [this.keys.interests(exchange)])) as string[];
  }

  /**
   * Calls `onRequest` with a symbol when a reader requests a snapshot, even without registered interest in the book.
   * Resolves once subscribed.
   */
  onSnapshotRequest(exchange: string, onRequest: (symbol: string) => void): Promise<void> {
    const channel = this.keys.requests(exchange);
    return new Promise((onSubscribed) => {
      this.requestHandlers.set(channel, { onSubscribed, onRequest });
      this.channels.subscribe(channel);
    });
  }

  /**
   * SNAPSHOT and DELTA publish a new state. REPEAT publishes the current state again. KEEP only stores it, for new
   * readers.
   *
   * @returns false if another worker holds the lease and nothing was written
   */
  async publish(pair: PairKey, action: PublishAction, state: PublishedBookState): Promise<boolean> {
    const keys = [this.keys.lease(pair.exchange), this.keys.sequence(pair), this.keys.book(pair)];
    const messageRest = JSON.stringify({ exchange: pair.exchange, symbol: pair.symbol, ...state }).slice(1);
    const args = [this.holder, action, messageRest, SEQUENCE_MS, SNAPSHOT_MS];
    return (await PUBLISH.run(this.redis, keys, args)) !== null;
  }

  /** @returns false if another worker holds the lease and nothing was written */
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
