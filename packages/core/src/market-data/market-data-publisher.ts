/**
 * Publishes market data to Redis. One worker at a time reads an exchange and publishes its data to all API processes.
 *
 * 1. Only the holder of an exchange's lease writes: each write checks the lease atomically. If a worker stalls for
 *    longer than its lease, its next write fails.
 * 2. Redis increments a book's sequence in the script that publishes the message. If Redis loses the sequence, the next
 *    one is Redis' clock in microseconds. That is above every earlier sequence, so the sequence never decreases.
 * 3. All written data expires. A snapshot that no worker refreshes expires after 5 s, so that readers do not take it
 *    for the current state.
 */
import type { Redis } from 'ioredis';
import { MarketDataKeys, type PairKey } from './market-data-keys.js';
import type { BookSides, Price } from './market-messages.js';
import { createCommandClient } from './redis-command-client.js';
import { RedisScript } from './redis-script.js';
import { RedisSubscriber } from './redis-subscriber.js';

/** Time to live of a lease without renewal. */
export const MARKET_DATA_LEASE_MS = 8_000;
const SNAPSHOT_TTL_MS = 5_000;
const PRICES_TTL_MS = 60_000;
/** Time to live of an unused sequence. */
const SEQUENCE_TTL_MS = 86_400_000;

/** KEYS: lease. ARGV: holder, time to live in ms. Returns 1 if the holder has the lease. */
const ACQUIRE_LEASE = new RedisScript(`
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`);

/** KEYS: lease. ARGV: holder. */
const RELEASE_LEASE = new RedisScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`);

/**
 * KEYS: lease, sequence, book. ARGV: holder, PublishAction, the message's JSON object without its `{` (the script puts
 * `{`, kind and sequences before it), and the times to live of sequence and snapshot in ms. REPEAT and KEEP use the
 * last sequence again. Returns the sequence as a string. Returns nothing if another worker holds the lease, or for
 * REPEAT and KEEP if no sequence exists.
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

/** KEYS: lease, prices. ARGV: holder, time to live in ms, the message, then alternately symbol and price. */
const PUBLISH_PRICES = new RedisScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
for at = 4, #ARGV, 2 do redis.call('HSET', KEYS[2], ARGV[at], ARGV[at + 1]) end
redis.call('PEXPIRE', KEYS[2], ARGV[2])
redis.call('PUBLISH', KEYS[2], ARGV[3])
return 1
`);

/** KEYS: wanted books. Removes expired symbols and returns the others. */
const READ_WANTED = new RedisScript(`
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

/**
 * How a state is published: SNAPSHOT and DELTA publish a new state. REPEAT publishes the current state again, as a
 * snapshot. KEEP only stores the current state as a snapshot, for new readers.
 */
export type PublishAction = 'SNAPSHOT' | 'DELTA' | 'REPEAT' | 'KEEP';

export class MarketDataPublisher {
  private readonly keys: MarketDataKeys;
  private readonly redis: Redis;
  private readonly subscriber: RedisSubscriber;
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
    this.subscriber = new RedisSubscriber(redisUrl, `${prefix}:publisher`, {
      onMessage: (channel, symbol) => this.requestHandlers.get(channel)?.onRequest(symbol),
      onSubscribed: (channel) => this.requestHandlers.get(channel)?.onSubscribed(),
      onError,
    });
  }

  /** Acquires or renews the lease. Returns false if another worker holds it. */
  async acquireLease(exchange: string): Promise<boolean> {
    return (
      (await ACQUIRE_LEASE.run(
        this.redis,
        [this.keys.lease(exchange)],
        [this.holder, MARKET_DATA_LEASE_MS],
      )) === 1
    );
  }

  /** Releases the lease, so that another worker can take over immediately. */
  async releaseLease(exchange: string): Promise<void> {
    await RELEASE_LEASE.run(this.redis, [this.keys.lease(exchange)], [this.holder]);
  }

  /** Returns the symbols whose books readers currently need. */
  async wantedSymbols(exchange: string): Promise<readonly string[]> {
    return (await READ_WANTED.run(this.redis, [this.keys.wantedBooks(exchange)])) as string[];
  }

  /**
   * Calls `onRequest` with the symbol whenever a reader requests a snapshot of a book, even if no reader has
   * marked the book as wanted. Resolves once Redis has confirmed the subscription to these requests.
   */
  onSnapshotRequest(exchange: string, onRequest: (symbol: string) => void): Promise<void> {
    const channel = this.keys.requests(exchange);
    return new Promise((onSubscribed) => {
      this.requestHandlers.set(channel, { onSubscribed, onRequest });
      this.subscriber.subscribe(channel);
    });
  }

  /**
   * Publishes the state of a book. For DELTA, `state` contains only the changes.
   *
   * @returns false if nothing was written, because another worker holds the lease, or because REPEAT or KEEP found
   *   no sequence
   */
  async publish(pair: PairKey, action: PublishAction, state: PublishedBookState): Promise<boolean> {
    const keys = [this.keys.lease(pair.exchange), this.keys.sequence(pair), this.keys.book(pair)];
    const messageRest = JSON.stringify({ exchange: pair.exchange, symbol: pair.symbol, ...state }).slice(1);
    const args = [this.holder, action, messageRest, SEQUENCE_TTL_MS, SNAPSHOT_TTL_MS];
    return (await PUBLISH.run(this.redis, keys, args)) !== null;
  }

  /** Publishes and stores prices. @returns false if another worker holds the lease and nothing was written */
  async publishPrices(exchange: string, prices: readonly Price[]): Promise<boolean> {
    const { keys } = this;
    const rows = prices.flatMap((price) => [price.symbol, JSON.stringify(price)]);
    const args = [this.holder, PRICES_TTL_MS, JSON.stringify(prices), ...rows];
    return (await PUBLISH_PRICES.run(this.redis, [keys.lease(exchange), keys.prices(exchange)], args)) === 1;
  }

  close(): void {
    this.redis.disconnect();
    this.subscriber.close();
  }
}
