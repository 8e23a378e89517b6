import type {
  MarketDataPublisher,
  Price,
  PublishAction,
  PublishedBookState,
} from '@trading-automation/core/market-data';
import type { BookHandler, ExchangeError, ExchangeVenue, VenueStream } from '@trading-automation/exchanges';

/** The methods of the pair catalogue that market data needs. */
export interface PairSource {
  activeSymbols(exchange: string): Promise<readonly string[]>;
  storePrices(
    exchange: string,
    prices: readonly { readonly symbol: string; readonly price: string; readonly at: Date }[],
  ): Promise<void>;
}

interface PriceStreamHandler {
  onConnected(): void;
  onPrice(price: Price): void;
  onLost(error: ExchangeError): void;
}

/** Gives access to the market data of one exchange: its streams, its pairs, and its lease and messages in Redis. */
export class VenueFeed {
  constructor(
    private readonly venue: ExchangeVenue,
    private readonly publisher: MarketDataPublisher,
    private readonly pairs: PairSource,
  ) {}

  /** Acquires or renews the lease of the venue. Returns false if another worker holds it. */
  acquireLease(): Promise<boolean> {
    return this.publisher.acquireLease(this.venue.id);
  }

  releaseLease(): Promise<void> {
    return this.publisher.releaseLease(this.venue.id);
  }

  /** Returns the symbols for which a client requested the order book. */
  wantedSymbols(): Promise<readonly string[]> {
    return this.publisher.wantedSymbols(this.venue.id);
  }

  /** Calls `onRequest` with a symbol when an API process requests a snapshot of the symbol's order book. */
  onSnapshotRequest(onRequest: (symbol: string) => void): Promise<void> {
    return this.publisher.onSnapshotRequest(this.venue.id, onRequest);
  }

  activeSymbols(): Promise<readonly string[]> {
    return this.pairs.activeSymbols(this.venue.id);
  }

  watchPrices(symbols: readonly string[], handler: PriceStreamHandler): VenueStream {
    return this.venue.watchPrices(symbols, {
      onConnected: () => handler.onConnected(),
      onPrice: (symbol, price, exchangeTimestamp) =>
        handler.onPrice({
          exchange: this.venue.id,
          symbol,
          price,
          exchangeTimestamp: exchangeTimestamp.toISOString(),
          receivedAt: new Date().toISOString(),
        }),
      onLost: (error) => handler.onLost(error),
    });
  }

  watchBook(symbol: string, handler: BookHandler): VenueStream {
    return this.venue.watchBook(symbol, handler);
  }

  async publishPrices(prices: readonly Price[]): Promise<void> {
    await this.publisher.publishPrices(this.venue.id, prices);
  }

  /** Stores the last price of each symbol in the row of its pair. */
  async storePrices(prices: Iterable<Price>): Promise<void> {
    const observed = [...prices].map(({ symbol, price, exchangeTimestamp }) => {
      return { symbol, price, at: new Date(exchangeTimestamp) };
    });
    await this.pairs.storePrices(this.venue.id, observed);
  }

  /** Returns false if another worker holds the lease, or if Redis has lost the order book's sequence number. */
  publishBook(symbol: string, action: PublishAction, state: PublishedBookState): Promise<boolean> {
    return this.publisher.publish({ exchange: this.venue.id, symbol }, action, state);
  }
}
