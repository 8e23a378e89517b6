import type { MarketDataPublisher, Price } from '@trading-automation/core/market-data';
import type { ExchangeVenue } from '@trading-automation/exchanges';
import { ReconnectingStream } from './reconnecting-stream.js';

const PUBLISH_EVERY_MS = 250;
const STORE_EVERY_MS = 1_000;

/** What market data needs from the pair catalogue. */
export interface PairSource {
  activeSymbols(exchange: string): Promise<readonly string[]>;
  storePrices(exchange: string, prices: Readonly<Record<string, string>>): Promise<void>;
}

export interface PricePublisherDependencies {
  readonly venue: ExchangeVenue;
  readonly symbols: readonly string[];
  readonly publisher: MarketDataPublisher;
  readonly pairs: PairSource;
  readonly onError: (error: unknown) => void;
}

/** Publishes the last prices of a venue's pairs several times a second, and stores them with the pairs every second. */
export class PricePublisher {
  private readonly stream: ReconnectingStream;
  private readonly timers: readonly NodeJS.Timeout[];
  private unpublished = new Map<string, Price>();
  private unstored = new Map<string, Price>();

  constructor(private readonly parts: PricePublisherDependencies) {
    const { venue, symbols, onError } = parts;
    this.stream = new ReconnectingStream({
      open: (onLost) =>
        venue.watchPrices(symbols, {
          onConnected: () => this.stream.resetBackoff(),
          onPrice: (symbol, price, exchangeTimestamp) =>
            this.take({
              exchange: venue.id,
              symbol,
              price,
              exchangeTimestamp: exchangeTimestamp.toISOString(),
              receivedAt: new Date().toISOString(),
            }),
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

  private take(price: Price): void {
    this.unpublished.set(price.symbol, price);
    this.unstored.set(price.symbol, price);
  }

  private async publishPending(): Promise<void> {
    if (this.unpublished.size === 0) return;
    const prices = [...this.unpublished.values()];
    this.unpublished = new Map();
    await this.parts.publisher.publishPrices(this.parts.venue.id, prices);
  }

  private async store(): Promise<void> {
    if (this.unstored.size === 0) return;
    const prices = [...this.unstored.values()].map(({ symbol, price }) => [symbol, price]);
    this.unstored = new Map();
    await this.parts.pairs.storePrices(this.parts.venue.id, Object.fromEntries(prices));
  }
}
