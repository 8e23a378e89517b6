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
 * Reads last prices in an API process. The first message of a subscription contains all known prices of the exchange;
 * each later message contains the changed prices. Nothing is queued for a slow subscriber: it gets all prices again.
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
      onMessage: (channel, message) => this.receive(channel, JSON.parse(message)),
      onSubscribed: (channel) => {
        for (const exchange of this.exchanges.keys()) {
          if (this.keys.prices(exchange) === channel) this.read(exchange).catch(onError);
        }
      },
      onError,
    });
  }

  /** Subscribes to prices. If `onPrices` returns a promise, the next message is delivered after it settles. */
  subscribe(exchange: string, onPrices: (prices: readonly Price[]) => void | Promise<void>): Subscription {
    const subscribed = this.exchanges.get(exchange) ?? this.open(exchange);
    const allPrices = () => (subscribed.latest.size > 0 ? [...subscribed.latest.values()] : undefined);
    const leave = () => {
      consumer.close();
      subscribed.consumers.delete(consumer);
      if (subscribed.consumers.size === 0 && this.exchanges.get(exchange) === subscribed) {
        this.exchanges.delete(exchange);
        this.channels.unsubscribe(this.keys.prices(exchange));
      }
    };
    const consumer = new ConflatingConsumer<readonly Price[]>(onPrices, allPrices, (error) => {
      leave();
      this.options.onError(error);
    });
    subscribed.consumers.add(consumer);
    const snapshot = allPrices();
    if (snapshot !== undefined) consumer.offer(snapshot);
    return { close: leave };
  }

  close(): void {
    this.exchanges.clear();
    this.redis.disconnect();
    this.channels.close();
  }

  private open(exchange: string): SubscribedPrices {
    const subscribed = {
      latest: new Map<string, Price>(),
      consumers: new Set<ConflatingConsumer<readonly Price[]>>(),
    };
    this.exchanges.set(exchange, subscribed);
    this.channels.subscribe(this.keys.prices(exchange));
    return subscribed;
  }

  private async read(exchange: string): Promise<void> {
    const stored = await this.redis.hvals(this.keys.prices(exchange));
    if (stored.length > 0)
      this.applyPrices(
        exchange,
        stored.map((price) => JSON.parse(price)),
      );
  }

  private receive(channel: string, prices: readonly Price[]): void {
    const exchange = prices[0]?.exchange ?? '';
    if (this.keys.prices(exchange) === channel) this.applyPrices(exchange, prices);
  }

  private applyPrices(exchange: string, prices: readonly Price[]): void {
    const subscribed = this.exchanges.get(exchange);
    if (subscribed === undefined) return;
    const isNewer = ({ symbol, price, receivedAt }: Price) => {
      const known = subscribed.latest.get(symbol);
      if (known === undefined || known.receivedAt < receivedAt) return true;
      return known.receivedAt === receivedAt && known.price !== price;
    };
    const changed = prices.filter(isNewer);
    if (changed.length === 0) return;
    for (const price of changed) subscribed.latest.set(price.symbol, price);
    for (const consumer of subscribed.consumers) consumer.offer(changed);
  }
}
