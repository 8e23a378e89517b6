import type { World } from '@trading-automation/contracts';

/** Returns the prefix of all keys of a world. Both worlds may share one Redis. */
export const marketDataPrefix = (world: World): string => `market-${world}`;

/** Identifies one order book. */
export interface PairKey {
  /** The exchange's id. */
  readonly exchange: string;
  readonly symbol: string;
}

/** The names of the market data keys in Redis. `prefix` separates worlds and tests. */
export class MarketDataKeys {
  constructor(private readonly prefix: string) {}

  /** The lease of the worker that publishes an exchange's market data. */
  lease(exchange: string): string {
    return `${this.prefix}:lease:${exchange}`;
  }

  /** A sorted set: the symbols whose books readers need. The score is the expiry in ms, by Redis' clock. */
  wantedBooks(exchange: string): string {
    return `${this.prefix}:wanted:${exchange}`;
  }

  /** The channel on which readers request snapshots. A message is the symbol of a book. */
  requests(exchange: string): string {
    return `${this.prefix}:requests:${exchange}`;
  }

  /** Both the channel of a book and the key of its latest snapshot. */
  book({ exchange, symbol }: PairKey): string {
    return `${this.prefix}:book:${exchange}:${symbol}`;
  }

  /** The sequence of the last message about a book. */
  sequence({ exchange, symbol }: PairKey): string {
    return `${this.prefix}:sequence:${exchange}:${symbol}`;
  }

  /** Both the channel of an exchange's prices and the key of the latest prices. */
  prices(exchange: string): string {
    return `${this.prefix}:prices:${exchange}`;
  }
}
