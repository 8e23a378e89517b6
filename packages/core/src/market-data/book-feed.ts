/**
 * The reading side of order books, for an API: each book that somebody subscribes to is followed once per process.
 *
 * 1. The first message of a subscription is a SNAPSHOT; each DELTA after it follows the message before.
 * 2. A gap (a lost connection, a message that never came, another publisher) heals by itself: the subscriber gets nothing
 *    until it gets a SNAPSHOT.
 * 3. A subscriber that takes its time gets fewer and whole messages; nothing is queued for it.
 * 4. A book is read from the exchange while somebody wants it: the wish is renewed, and ends by itself with the process.
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
/** How long a snapshot may keep somebody waiting before it is asked for again. */
const ASK_EVERY_MS = 500;

/** KEYS: wanted. ARGV: symbol, for how many milliseconds. */
const REGISTER_INTEREST = new RedisScript(`
local time = redis.call('TIME')
local untilMs = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[2]
redis.call('ZADD', KEYS[1], 'GT', string.format('%.0f', untilMs), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`);

export interface MarketFeedOptions {
  readonly redisUrl: string;
  /** As the workers' boards have it. */
  readonly prefix: string;
  /** Told of every failure, none of which ends the feed; and of a subscriber that threw, whose subscription is over. */
  readonly onError: (error: unknown) => void;
}

export interface Subscription {
  close(): void;
}

export interface BookSubscription extends Subscription {
  /** Whether what was handed over last is the present: false while a gap is waiting to be healed. */
  readonly isCurrent: boolean;
}

/** Where books are had from. */
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
      onMessage: (channel, text) => this.books.get(channel)?.book.receive(JSON.parse(text)),
      // The channel first: what is told after the snapshot was read must not be missed.
      onSubscribed: (channel) => {
        const followed = this.books.get(channel);
        if (followed !== undefined) this.requestSnapshot(followed).catch(onError);
      },
      onError,
    });
    this.timers = [
      // Reads what is kept, too: a last message that was lost before a book fell silent shows nowhere else.
      setInterval(() => this.forAll((followed) => this.requestSnapshot(followed)), INTEREST_RENEWAL_MS),
      setInterval(
        () => this.forAll((one) => (one.book.needsSnapshot ? this.requestSnapshot(one) : undefined)),
        ASK_EVERY_MS,
      ),
    ];
    for (const timer of this.timers) timer.unref();
  }

  /** `onMessage` may answer with a promise: until it is settled, nothing more is handed over. */
  subscribe(pair: PairKey, onMessage: (message: BookMessage) => void | Promise<void>): BookSubscription {
    const channel = this.keys.book(pair);
    const followed = this.books.get(channel) ?? this.follow(channel, pair);
    const { book } = followed;
    const leave = () => {
      book.remove(consumer);
      if (book.isUnused && this.books.get(channel) === followed) {
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

  private follow(channel: string, pair: PairKey): SubscribedBook {
    const followed = { pair, book: new BookReplica() };
    this.books.set(channel, followed);
    this.channels.subscribe(channel);
    return followed;
  }

  /** Reads the snapshot that is kept; where it doesn't help, asks for one. */
  private async requestSnapshot({ pair, book }: SubscribedBook): Promise<void> {
    await this.registerInterest(pair);
    const kept = await this.redis.get(this.keys.book(pair));
    if (kept !== null) book.receive(JSON.parse(kept));
    if (book.needsSnapshot) await this.redis.publish(this.keys.requests(pair.exchange), pair.symbol);
  }

  private async registerInterest({ exchange, symbol }: PairKey): Promise<void> {
    await REGISTER_INTEREST.run(this.redis, [this.keys.interests(exchange)], [symbol, INTEREST_TTL_MS]);
  }

  private forAll(work: (followed: SubscribedBook) => Promise<void> | undefined): void {
    for (const followed of this.books.values()) work(followed)?.catch(this.options.onError);
  }
}
