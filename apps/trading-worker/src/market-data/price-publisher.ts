import type { Price } from '@trading-automation/core/market-data';
import { ReconnectingStream } from './reconnecting-stream.js';
import type { VenueFeed } from './venue-feed.js';

const PUBLISH_EVERY_MS = 250;
const STORE_EVERY_MS = 1_000;

/** Publishes the last prices of a venue's pairs every 250 ms, and stores them in the rows of the pairs every second. */
export class PricePublisher {
  private readonly stream: ReconnectingStream;
  private readonly timers: readonly NodeJS.Timeout[];
  private unpublished = new Map<string, Price>();
  private unstored = new Map<string, Price>();

  constructor(
    private readonly feed: VenueFeed,
    symbols: readonly string[],
    onError: (error: unknown) => void,
  ) {
    this.stream = new ReconnectingStream({
      open: (onLost) =>
        feed.watchPrices(symbols, {
          onConnected: () => this.stream.resetBackoff(),
          onPrice: (price) => this.receive(price),
          onLost,
        }),
      onLost: onError,
    });
    this.timers = [
      setInterval(() => this.publishPending().catch(onError), PUBLISH_EVERY_MS),
      setInterval(() => this.store().catch(onError), STORE_EVERY_MS),
    ];
  }

  async close(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await this.stream.close();
  }

  private receive(price: Price): void {
    this.unpublished.set(price.symbol, price);
    this.unstored.set(price.symbol, price);
  }

  private async publishPending(): Promise<void> {
    if (this.unpublished.size === 0) return;
    const prices = [...this.unpublished.values()];
    this.unpublished = new Map();
    await this.feed.publishPrices(prices);
  }

  private async store(): Promise<void> {
    if (this.unstored.size === 0) return;
    const prices = this.unstored.values();
    this.unstored = new Map();
    await this.feed.storePrices(prices);
  }
}
