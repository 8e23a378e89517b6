import type { Decimal } from '@trading-automation/contracts';
import type { PairKey } from './market-data-keys.js';

/** Price and amount; in a DELTA an amount of 0 takes the level out. */
export type Level = readonly [price: Decimal, amount: Decimal];

/** What stands in a book, or what changed in it. Bids fall and asks rise. */
export interface BookSides {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

/**
 * One message about an order book.
 *
 * - `sequence` is the product's own number, per book, growing and beyond 32 bits; it goes on where another worker takes
 *   over, and is never used twice for two states of a book.
 * - A DELTA follows the message with the number `previousSequence`. Whoever has another is missing something.
 * - A SNAPSHOT is the whole book and follows nothing: `previousSequence` is null.
 */
export interface BookMessage extends PairKey, BookSides {
  readonly kind: 'SNAPSHOT' | 'DELTA';
  readonly sequence: number;
  readonly previousSequence: number | null;
  /** When the exchange says that it was so, ISO 8601. */
  readonly exchangeTimestamp: string;
  /** When the worker heard of it, ISO 8601. */
  readonly receivedAt: string;
}

/** The last price that a pair traded at, in quote currency. */
export interface Price extends PairKey {
  readonly price: Decimal;
  readonly exchangeTimestamp: string;
  readonly receivedAt: string;
}
