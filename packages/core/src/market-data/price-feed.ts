import type { Redis } from 'ioredis';
import type { MarketFeedOptions, Subscription } from './book-feed.js';
import { ConflatingConsumer } from './conflating-consumer.js';
import { MarketDataKeys } from './market-data-keys.js';
import type { Price } from './market-messages.js';
import { createCommandClient } from './redis-command-client.js';
import { RedisSubscriber } from './redis-subscriber.js';

interface ExchangePrices {
  readonly latest: Map<string, Price>;
  readonly consumers: Set<ConflatingConsumer<readonly Price[]>>;
}

/**
 * Reads last prices in an API process. The first message of a subscription contains all known prices of the exchange;
 * each later message contains the changed prices. Nothing is queued for a slow subscriber: its next message contains
 * all prices again.
 */
export class PriceFeed {
  private readonly keys: MarketDataKeys;
  private readonly redis: Redis;
  private readonly subscriber: RedisSubscriber;
  private readonly exchanges = new Map<string, ExchangePrices>();

  constructor(private readonly options: MarketFeedOptions) {
    const { redisUrl, prefix, onError } = options;
    this.keys = new MarketDataKeys(prefix);
    this.redis = createCommandClient(redisUrl, `${prefix}:price-feed`, onError);
    this.subscriber = new RedisSubscriber(redisUrl, `${prefix}:price-feed`, {
      onMessage: (channel, message) => this.receive(channel, JSON.parse(message)),
      onSubscribed: (channel) => {
        for (const exchange of this.exchanges.keys()) {
          if (this.keys.prices(exchange) === channel) this.readStoredPrices(exchange).catch(onError);
        }
      },
      onError,
    });
  }

  /** Subscribes to prices. If `onPrices` returns a promise, the next message is delivered after it settles. */
  subscribe(exchange: string, onPrices: (prices: readonly Price[]) => void | Promise<void>): Subscription {
    const exchangePrices = this.exchanges.get(exchange) ?? this.open(exchange);
    const allPrices = () =>
      exchangePrices.latest.size > 0 ? [...exchangePrices.latest.values()] : undefined;
    const leave = () => {
      consumer.close();
      exchangePrices.consumers.delete(consumer);
      if (exchangePrices.consumers.size === 0 && this.exchanges.get(exchange) === exchangePrices) {
        this.exchanges.delete(exchange);
        this.subscriber.unsubscribe(this.keys.prices(exchange));
      }
    };
    const consumer = new ConflatingConsumer<readonly Price[]>(onPrices, allPrices, (error) => {
      leave();
      this.options.onError(error);
    });
    exchangePrices.consumers.add(consumer);
    const snapshot = allPrices();
    if (snapshot !== undefined) consumer.offer(snapshot);
    return { close: leave };
  }

  close(): void {
    this.exchanges.clear();
    this.redis.disconnect();
    this.subscriber.close();
  }

  private open(exchange: string): ExchangePrices {
    const exchangePrices = {
      latest: new Map<string, Price>(),
      consumers: new Set<ConflatingConsumer<readonly Price[]>>(),
    };
    this.exchanges.set(exchange, exchangePrices);
    this.subscriber.subscribe(this.keys.prices(exchange));
    return exchangePrices;
  }

  private async readStoredPrices(exchange: string): Promise<void> {
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
    const exchangePrices = this.exchanges.get(exchange);
    if (exchangePrices === undefined) return;
    const isNewer = ({ symbol, price, receivedAt }: Price) => {
      const known = exchangePrices.latest.get(symbol);
      if (known === undefined || known.receivedAt < receivedAt) return true;
      return known.receivedAt === receivedAt && known.price !== price;
    };
    const changed = prices.filter(isNewer);
    if (changed.length === 0) return;
    for (const price of changed) exchangePrices.latest.set(price.symbol, price);
    for (const consumer of exchangePrices.consumers) consumer.offer(changed);
  }
}
