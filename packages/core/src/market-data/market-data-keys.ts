import type { World } from '@trading-automation/contracts';

/** What everything of a world begins with: the worlds may share a Redis. */
export const marketDataPrefix = (world: World): string => `market-${world}`;

/** One order book. */
export interface PairKey {
  /** The exchange's id. */
  readonly exchange: string;
  readonly symbol: string;
}

/** What market data is called in Redis; `prefix` keeps worlds, and tests, apart. */
export class MarketDataKeys {
  constructor(private readonly prefix: string) {}

  /** Who publishes an exchange's market data, while it lives. */
  lease(exchange: string): string {
    return `${this.prefix}:lease:${exchange}`;
  }

  /** Symbols whose books somebody wants, each with the instant until which, in milliseconds of Redis' clock. */
  interests(exchange: string): string {
    return `${this.prefix}:wanted:${exchange}`;
  }

  /** Where readers ask for a snapshot, by its symbol. */
  requests(exchange: string): string {
    return `${this.prefix}:requests:${exchange}`;
  }

  /** Both the channel of a book and the key of its latest snapshot. */
  book({ exchange, symbol }: PairKey): string {
    return `${this.prefix}:book:${exchange}:${symbol}`;
  }

  /** The number of the last message about a book. */
  sequence({ exchange, symbol }: PairKey): string {
    return `${this.prefix}:sequence:${exchange}:${symbol}`;
  }

  /** Both the channel of an exchange's prices and the key of the latest. */
  prices(exchange: string): string {
    return `${this.prefix}:prices:${exchange}`;
  }
}
