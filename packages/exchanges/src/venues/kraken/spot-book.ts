/**
 * Kraken's spot order books on the stream: https://docs.kraken.com/exchange/guides/websockets/spot-book-v2
 *
 * The messages have no sequence numbers. Each has a checksum of the ten best levels of both sides, from which a lost
 * message follows.
 */
import { crc32 } from 'node:zlib';
import type { Decimal } from '@trading-automation/contracts';
import { Precise } from 'ccxt/js/src/base/Precise';
import { z } from 'zod';
import type { BookReader } from '../../ccxt/declaration.js';
import { jsonDecimal, parseResponse } from '../../ccxt/parse-response.js';
import type { BookLevel } from '../../port.js';

/** The levels of a side that the stream reports. */
export const BOOK_DEPTH = 100;
const CHECKED_LEVELS = 10;

const level = z
  .object({ price: jsonDecimal, qty: jsonDecimal })
  .transform(({ price, qty }): BookLevel => [price, qty]);
const side = z.array(level).default([]);
const message = z.object({
  channel: z.literal('book'),
  type: z.enum(['snapshot', 'update']),
  data: z.tuple([
    z.object({
      bids: side,
      asks: side,
      checksum: z.number(),
      timestamp: z.string().optional(),
    }),
  ]),
});
const channel = z.object({ channel: z.literal('book') });

/** The digits after the point with which the checksum counts prices and amounts. */
export interface BookDigits {
  readonly price: number;
  readonly amount: number;
}

/** Parses the messages of one book, and numbers them. */
export function spotBookReader(digits: BookDigits): BookReader {
  const [bids, asks] = [new Side(true), new Side(false)];
  let sequence = 0;
  /** False until a snapshot arrives, and after a checksum that does not match. */
  let isComplete = false;
  return {
    read: (received) => {
      if (!channel.safeParse(received).success) return undefined;
      const { type, data } = parseResponse(message, received);
      const [book] = data;
      if (type === 'snapshot') {
        for (const each of [bids, asks]) each.clear();
        isComplete = true;
      }
      if (!isComplete) return undefined;
      const changes = { bids: bids.apply(book.bids), asks: asks.apply(book.asks) };
      if (checksumOf(asks.best, bids.best, digits) !== book.checksum) {
        isComplete = false;
        return { kind: 'GAP' };
      }
      sequence += 1;
      const at = book.timestamp === undefined ? new Date() : new Date(book.timestamp);
      return type === 'snapshot'
        ? { kind: 'SNAPSHOT', last: sequence, bids: book.bids, asks: book.asks, at }
        : { kind: 'CHANGE', first: sequence, last: sequence, ...changes, at };
    },
  };
}

/** One side of a book, as deep as the stream reports it. */
class Side {
  #levels: BookLevel[] = [];

  constructor(private readonly isBid: boolean) {}

  get best(): readonly BookLevel[] {
    return this.#levels.slice(0, CHECKED_LEVELS);
  }

  clear(): void {
    this.#levels = [];
  }

  /** Returns the changes, with those levels that they move out of the depth of the stream. */
  apply(changes: readonly BookLevel[]): readonly BookLevel[] {
    for (const change of changes) this.#set(change);
    const moved = this.#levels.slice(BOOK_DEPTH).map(([price]): BookLevel => [price, '0']);
    this.#levels = this.#levels.slice(0, BOOK_DEPTH);
    return [...changes, ...moved];
  }

  #set(change: BookLevel): void {
    const [price, amount] = change;
    const at = this.#levels.findIndex(([each]) => !this.#isBetter(each, price));
    const index = at === -1 ? this.#levels.length : at;
    const replaced = this.#levels[index]?.[0] === price ? 1 : 0;
    this.#levels.splice(index, replaced, ...(amount === '0' ? [] : [change]));
  }

  #isBetter(price: Decimal, other: Decimal): boolean {
    return (this.isBid ? Precise.stringGt(price, other) : Precise.stringLt(price, other)) === true;
  }
}

function checksumOf(asks: readonly BookLevel[], bids: readonly BookLevel[], digits: BookDigits): number {
  const text = [...asks, ...bids].map(
    ([price, amount]) => unpointed(price, digits.price) + unpointed(amount, digits.amount),
  );
  return crc32(text.join(''));
}

/** Returns the digits of a decimal with a fixed number of decimals, without its point and leading zeros. */
function unpointed(value: Decimal, decimals: number): string {
  const [whole = '', fraction = ''] = value.split('.');
  return `${whole}${fraction.padEnd(decimals, '0')}`.replace(/^0+/, '');
}
