import type { Decimal } from '@trading-automation/contracts';
import type { PairKey } from './market-data-keys.js';

/** Price and amount. In a DELTA an amount of 0 removes the level. */
export type Level = readonly [price: Decimal, amount: Decimal];

/** The levels of a book, or its changes. Bids are in descending and asks in ascending order of price. */
export interface BookSides {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

/**
 * One message about an order book.
 *
 * - `sequence` is the product's number of the book's state, not the exchange's. It always increases, even when another
 *   worker takes over, and may exceed 32 bits. No two states of a book have the same sequence.
 * - A DELTA follows the message with the sequence `previousSequence`. A reader at another sequence has missed a
 *   message.
 * - A SNAPSHOT is the whole book and follows nothing: `previousSequence` is null.
 */
export interface BookMessage extends PairKey, BookSides {
  readonly kind: 'SNAPSHOT' | 'DELTA';
  readonly sequence: number;
  readonly previousSequence: number | null;
  /** Time of the state according to the exchange, ISO 8601. */
  readonly exchangeTimestamp: string;
  /** Time at which the worker received the state, ISO 8601. */
  readonly receivedAt: string;
}

/** The last price at which a pair traded, in quote currency. */
export interface Price extends PairKey {
  readonly price: Decimal;
  readonly exchangeTimestamp: string;
  readonly receivedAt: string;
}
