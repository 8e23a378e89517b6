import type { Redis } from 'ioredis';
import type { MarketFeedOptions, Subscription } from './book-feed.js';
import { ConflatingConsumer } from './conflating-consumer.js';
import { MarketDataKeys } from './market-data-keys.js';
import type { Price } from './market-messages.js';
import { createCommandClient } from './redis-command-client.js';
import { RedisSubscriber } from './redis-subscriber.js';

interface SubscribedPrices {
  readonly latest: Map<string, Price>;
  readonly consumers: Set<ConflatingConsumer<readonly Price[]>>;
}

/**
 * The reading side of last prices, for an API. The first message of a subscription is all prices of the exchange, as soon
 * as there are any; each after it those that changed. Whoever takes its time gets all of them again, and nothing is
 * queued for it.
 */
export class PriceFeed {
  private readonly keys: MarketDataKeys;
  private readonly redis: Redis;
  private readonly channels: RedisSubscriber;
  private readonly exchanges = new Map<string, SubscribedPrices>();

  constructor(private readonly options: MarketFeedOptions) {
    const { redisUrl, prefix, onError } = options;
    this.keys = new MarketDataKeys(prefix);
    this.redis = createCommandClient(redisUrl, `${prefix}:price-feed`, onError);
    this.channels = new RedisSubscriber(redisUrl, `${prefix}:price-feed`, {
      onMessage: (channel, text) => this.receive(channel, JSON.parse(text)),
      onSubscribed: (channel) => {
        for (const exchange of this.exchanges.keys()) {
          if (this.keys.prices(exchange) === channel) this.read(exchange).catch(onError);
        }
      },
      onError,
    });
  }

  /** `onPrices` may answer with a promise: until it is settled, nothing more is handed over. */
  subscribe(exchange: string, onPrices: (prices: readonly Price[]) => void | Promise<void>): Subscription {
    const followed = this.exchanges.get(exchange) ?? this.follow(exchange);
    const present = () => (followed.latest.size > 0 ? [...followed.latest.values()] : undefined);
    const leave = () => {
      consumer.close();
      followed.consumers.delete(consumer);
      if (followed.consumers.size === 0 && this.exchanges.get(exchange) === followed) {
        this.exchanges.delete(exchange);
        this.channels.unsubscribe(this.keys.prices(exchange));
      }
    };
    const consumer = new ConflatingConsumer<readonly Price[]>(onPrices, present, (error) => {
      leave();
      this.options.onError(error);
    });
    followed.consumers.add(consumer);
    const now = present();
    if (now !== undefined) consumer.offer(now);
    return { close: leave };
  }

  close(): void {
    this.exchanges.clear();
    this.redis.disconnect();
    this.channels.close();
  }

  private follow(exchange: string): SubscribedPrices {
    const followed = {
      latest: new Map<string, Price>(),
      consumers: new Set<ConflatingConsumer<readonly Price[]>>(),
    };
    this.exchanges.set(exchange, followed);
    this.channels.subscribe(this.keys.prices(exchange));
    return followed;
  }

  private async read(exchange: string): Promise<void> {
    const kept = await this.redis.hvals(this.keys.prices(exchange));
    if (kept.length > 0)
      this.applyPrices(
        exchange,
        kept.map((text) => JSON.parse(text)),
      );
  }

  private receive(channel: string, prices: readonly Price[]): void {
    const exchange = prices[0]?.exchange ?? '';
    if (this.keys.prices(exchange) === channel) this.applyPrices(exchange, prices);
  }

  private applyPrices(exchange: string, prices: readonly Price[]): void {
    const followed = this.exchanges.get(exchange);
    if (followed === undefined) return;
    const isNews = ({ symbol, price, receivedAt }: Price) => {
      const known = followed.latest.get(symbol);
      if (known === undefined || known.receivedAt < receivedAt) return true;
      return known.receivedAt === receivedAt && known.price !== price;
    };
    const news = prices.filter(isNews);
    if (news.length === 0) return;
    for (const price of news) followed.latest.set(price.symbol, price);
    for (const consumer of followed.consumers) consumer.offer(news);
  }
}
