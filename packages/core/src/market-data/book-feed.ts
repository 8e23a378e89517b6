/**
 * Reads order books in an API process. The process subscribes once to each book that its consumers need.
 *
 * 1. The first message of a subscription is a SNAPSHOT; each DELTA follows the message before it.
 * 2. A gap (a lost connection, a lost message, another publisher) heals automatically: subscribers get no message until
 *    the next SNAPSHOT.
 * 3. A slow subscriber gets fewer, but complete, messages; nothing is queued for it.
 * 4. A worker reads a book from the exchange while a reader has registered interest in it. The feed renews the
 *    interest; it expires when the process ends.
 */
import type { Redis } from 'ioredis';
import { BookReplica } from './book-replica.js';
import { ConflatingConsumer } from './conflating-consumer.js';
import { MarketDataKeys, type PairKey } from './market-data-keys.js';
import type { BookMessage } from './market-messages.js';
import { createCommandClient } from './redis-command-client.js';
import { RedisScript } from './redis-script.js';
import { RedisSubscriber } from './redis-subscriber.js';

const INTEREST_TTL_MS = 15_000;
const INTEREST_RENEWAL_MS = 5_000;
/** Delay before a subscriber without a snapshot requests it again. */
const SNAPSHOT_RETRY_MS = 500;

/** KEYS: interests. ARGV: symbol, time to live in milliseconds. */
const REGISTER_INTEREST = new RedisScript(`
local time = redis.call('TIME')
local untilMs = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[2]
redis.call('ZADD', KEYS[1], 'GT', string.format('%.0f', untilMs), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`);

export interface MarketFeedOptions {
  readonly redisUrl: string;
  /** The key prefix that the market data publishers use. */
  readonly prefix: string;
  /**
   * Called for every failure; no failure stops the feed. Also called if a subscriber throws, which ends its
   * subscription.
   */
  readonly onError: (error: unknown) => void;
}

export interface Subscription {
  close(): void;
}

export interface BookSubscription extends Subscription {
  /** Whether the last delivered message is the current state; false until a gap is healed. */
  readonly isCurrent: boolean;
}

/** A source of order books. */
export type BookSource = Pick<BookFeed, 'subscribe'>;

interface SubscribedBook {
  readonly pair: PairKey;
  readonly book: BookReplica;
}

export class BookFeed {
  private readonly keys: MarketDataKeys;
  private readonly redis: Redis;
  private readonly channels: RedisSubscriber;
  private readonly books = new Map<string, SubscribedBook>();
  private readonly timers: readonly NodeJS.Timeout[];

  constructor(private readonly options: MarketFeedOptions) {
    const { redisUrl, prefix, onError } = options;
    this.keys = new MarketDataKeys(prefix);
    this.redis = createCommandClient(redisUrl, `${prefix}:book-feed`, onError);
    this.channels = new RedisSubscriber(redisUrl, `${prefix}:book-feed`, {
      onMessage: (channel, message) => this.books.get(channel)?.book.receive(JSON.parse(message)),
      // The snapshot is read only after subscribing, so that no message between the two is missed.
      onSubscribed: (channel) => {
        const subscribed = this.books.get(channel);
        if (subscribed !== undefined) this.requestSnapshot(subscribed).catch(onError);
      },
      onError,
    });
    this.timers = [
      // This also reads the stored snapshot: without further messages of a book, nothing else reveals a lost message.
      setInterval(() => this.forAll((subscribed) => this.requestSnapshot(subscribed)), INTEREST_RENEWAL_MS),
      setInterval(
        () =>
          this.forAll((subscribed) =>
            subscribed.book.needsSnapshot ? this.requestSnapshot(subscribed) : undefined,
          ),
        SNAPSHOT_RETRY_MS,
      ),
    ];
    for (const timer of this.timers) timer.unref();
  }

  /** Subscribes to a book. If `onMessage` returns a promise, the next message is delivered after it settles. */
  subscribe(pair: PairKey, onMessage: (message: BookMessage) => void | Promise<void>): BookSubscription {
    const channel = this.keys.book(pair);
    const subscribed = this.books.get(channel) ?? this.open(channel, pair);
    const { book } = subscribed;
    const leave = () => {
      book.remove(consumer);
      if (book.isUnused && this.books.get(channel) === subscribed) {
        this.books.delete(channel);
        this.channels.unsubscribe(channel);
      }
    };
    const consumer = new ConflatingConsumer(onMessage, book.currentSnapshot, (error) => {
      leave();
      this.options.onError(error);
    });
    book.add(consumer);
    return {
      close: leave,
      get isCurrent() {
        return !book.needsSnapshot;
      },
    };
  }

  close(): void {
    for (const timer of this.timers) clearInterval(timer);
    this.books.clear();
    this.redis.disconnect();
    this.channels.close();
  }

  private open(channel: string, pair: PairKey): SubscribedBook {
    const subscribed = { pair, book: new BookReplica() };
    this.books.set(channel, subscribed);
    this.channels.subscribe(channel);
    return subscribed;
  }

  /** Reads the stored snapshot. If it does not close the gap, requests a new one. */
  private async requestSnapshot({ pair, book }: SubscribedBook): Promise<void> {
    await this.registerInterest(pair);
    const stored = await this.redis.get(this.keys.book(pair));
    if (stored !== null) book.receive(JSON.parse(stored));
    if (book.needsSnapshot) await this.redis.publish(this.keys.requests(pair.exchange), pair.symbol);
  }

  private async registerInterest({ exchange, symbol }: PairKey): Promise<void> {
    await REGISTER_INTEREST.run(this.redis, [this.keys.interests(exchange)], [symbol, INTEREST_TTL_MS]);
  }

  private forAll(work: (subscribed: SubscribedBook) => Promise<void> | undefined): void {
    for (const subscribed of this.books.values()) work(subscribed)?.catch(this.options.onError);
  }
}
