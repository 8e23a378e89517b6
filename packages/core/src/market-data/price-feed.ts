import type { Redis } from 'ioredis';
import type { FeedOptions, Subscription } from './book-feed.js';
import { Consumer } from './consumer.js';
import type { Price } from './market-messages.js';
import { MarketNames } from './market-names.js';
import { RedisChannels } from './redis-channels.js';
import { commandsTo } from './redis-clients.js';

interface FollowedPrices {
  readonly latest: Map<string, Price>;
  readonly consumers: Set<Consumer<readonly Price[]>>;
}

/**
 * The reading side of last prices, for an API. The first message of a subscription is all prices of the exchange, as soon
 * as there are any; each after it those that changed. Whoever takes its time gets all of them again, and nothing is
 * queued for it.
 */
export class PriceFeed {
  private readonly names: MarketNames;
  private readonly redis: Redis;
  private readonly channels: RedisChannels;
  private readonly exchanges = new Map<string, FollowedPrices>();

  constructor(private readonly options: FeedOptions) {
    const { redisUrl, prefix, onError } = options;
    this.names = new MarketNames(prefix);
    this.redis = commandsTo(redisUrl, `${prefix}:price-feed`, onError);
    this.channels = new RedisChannels(redisUrl, `${prefix}:price-feed`, {
      onMessage: (channel, text) => this.receive(channel, JSON.parse(text)),
      onHearing: (channel) => {
        for (const exchange of this.exchanges.keys()) {
          if (this.names.prices(exchange) === channel) this.read(exchange).catch(onError);
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
        this.channels.leave(this.names.prices(exchange));
      }
    };
    const consumer = new Consumer<readonly Price[]>(onPrices, present, (error) => {
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

  private follow(exchange: string): FollowedPrices {
    const followed = { latest: new Map<string, Price>(), consumers: new Set<Consumer<readonly Price[]>>() };
    this.exchanges.set(exchange, followed);
    this.channels.join(this.names.prices(exchange));
    return followed;
  }

  private async read(exchange: string): Promise<void> {
    const kept = await this.redis.hvals(this.names.prices(exchange));
    if (kept.length > 0)
      this.take(
        exchange,
        kept.map((text) => JSON.parse(text)),
      );
  }

  private receive(channel: string, prices: readonly Price[]): void {
    const exchange = prices[0]?.exchange ?? '';
    if (this.names.prices(exchange) === channel) this.take(exchange, prices);
  }

  private take(exchange: string, prices: readonly Price[]): void {
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
