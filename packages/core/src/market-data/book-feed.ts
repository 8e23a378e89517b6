/**
 * Reads order books in an API process. The process subscribes once to each book that has subscribers.
 *
 * 1. The first message of a subscription is a SNAPSHOT. Each DELTA applies to the state that the previously delivered
 *    message led to.
 * 2. After a gap (a lost connection, a lost message, another publisher), subscribers get no message until the next
 *    SNAPSHOT, which the feed requests automatically.
 * 3. A slow subscriber gets fewer, but complete, messages; nothing is queued for it.
 * 4. A worker reads a book from the exchange only while interest in it is registered. The feed registers it for 15 s
 *    and renews it every 5 s, so it expires soon after the process ends.
 */
import type { Redis } from 'ioredis';
import { BookReplica } from './book-replica.js';
import { ConflatingConsumer } from './conflating-consumer.js';
import { MarketDataKeys, type PairKey } from './market-data-keys.js';
import type { BookMessage } from './market-messages.js';
import { createCommandClient } from './redis-command-client.js';
import { RedisScript } from './redis-script.js';
import { RedisSubscriber } from './redis-subscriber.js';

const WANTED_TTL_MS = 15_000;
const WANTED_RENEWAL_MS = 5_000;
/** Delay before a subscriber without a snapshot requests it again. */
const SNAPSHOT_RETRY_MS = 500;

/** KEYS: wanted books. ARGV: symbol, time to live in ms. */
const MARK_WANTED = new RedisScript(`
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
  /** Whether the messages delivered so far lead to the current state; false from a gap to the next SNAPSHOT. */
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
  private readonly subscriber: RedisSubscriber;
  private readonly books = new Map<string, SubscribedBook>();
  private readonly timers: readonly NodeJS.Timeout[];

  constructor(private readonly options: MarketFeedOptions) {
    const { redisUrl, prefix, onError } = options;
    this.keys = new MarketDataKeys(prefix);
    this.redis = createCommandClient(redisUrl, `${prefix}:book-feed`, onError);
    this.subscriber = new RedisSubscriber(redisUrl, `${prefix}:book-feed`, {
      onMessage: (channel, message) => this.books.get(channel)?.book.receive(JSON.parse(message)),
      // The snapshot is read after the subscription, so that no message falls between them.
      onSubscribed: (channel) => {
        const subscribed = this.books.get(channel);
        if (subscribed !== undefined) this.requestSnapshot(subscribed).catch(onError);
      },
      onError,
    });
    this.timers = [
      // Renews the interest and reads the stored snapshot. If a book's last message was lost, only this snapshot
      // reveals the loss.
      setInterval(
        () => this.forEachBook((subscribed) => this.requestSnapshot(subscribed)),
        WANTED_RENEWAL_MS,
      ),
      setInterval(
        () =>
          this.forEachBook((subscribed) =>
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
        this.subscriber.unsubscribe(channel);
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
    this.subscriber.close();
  }

  private open(channel: string, pair: PairKey): SubscribedBook {
    const subscribed = { pair, book: new BookReplica() };
    this.books.set(channel, subscribed);
    this.subscriber.subscribe(channel);
    return subscribed;
  }

  /** Reads the stored snapshot. If it does not close the gap, requests a new one. */
  private async requestSnapshot({ pair, book }: SubscribedBook): Promise<void> {
    await this.markWanted(pair);
    const stored = await this.redis.get(this.keys.book(pair));
    if (stored !== null) book.receive(JSON.parse(stored));
    if (book.needsSnapshot) await this.redis.publish(this.keys.requests(pair.exchange), pair.symbol);
  }

  private async markWanted({ exchange, symbol }: PairKey): Promise<void> {
    await MARK_WANTED.run(this.redis, [this.keys.wantedBooks(exchange)], [symbol, WANTED_TTL_MS]);
  }

  private forEachBook(work: (subscribed: SubscribedBook) => Promise<void> | undefined): void {
    for (const subscribed of this.books.values()) work(subscribed)?.catch(this.options.onError);
  }
}
