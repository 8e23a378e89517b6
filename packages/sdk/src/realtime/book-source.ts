/**
 * The best levels of an order book, kept up to date.
 *
 * 1. Each returned book is a complete, current copy. A slow reader gets fewer books, never outdated ones.
 * 2. Each delta names the update that it follows. If that is not the last update received, the book is requested again.
 * 3. Prices are compared as strings, so that no digit is lost.
 */
import type { DecimalForm, DecimalOf } from '../core/decimals.js';
import type { StreamSource } from './reconnecting-stream.js';
import type { OperationPayload } from './shared-socket.js';

/** Price in quote currency, amount in base currency. */
export type BookLevel<D extends DecimalForm = 'number'> = readonly [
  price: DecimalOf<D>,
  amount: DecimalOf<D>,
];

/** The best levels of an order book at one instant. */
export interface OrderBook<D extends DecimalForm = 'number'> {
  /** Id of the exchange. */
  readonly exchange: string;
  /** Symbol of the pair, such as `BTC/USDT`. */
  readonly symbol: string;
  /** Number that the platform assigned to this state of the book. It rises with each state, but may skip numbers. */
  readonly sequence: number;
  /** Highest price first. */
  readonly bids: readonly BookLevel<D>[];
  /** Lowest price first. */
  readonly asks: readonly BookLevel<D>[];
  /** Time of the book as the exchange reports it. */
  readonly exchange_timestamp: string;
  /** Time at which the platform received the book. */
  readonly received_at: string;
}

export const BOOK_DOCUMENT = `subscription ($pair: ID!, $depth: Int) {
  orderbookUpdate(tradePairId: $pair, depth: $depth) {
    exchange symbol kind sequence previous_sequence: previousSequence bids asks
    exchange_timestamp: exchangeTimestamp received_at: receivedAt
  }
}`;

type StringLevel = readonly [price: string, amount: string];

interface Update extends Omit<OrderBook<'string'>, 'bids' | 'asks'> {
  readonly kind: string;
  readonly previous_sequence: number | null;
  readonly bids: readonly StringLevel[];
  readonly asks: readonly StringLevel[];
}

const DEFAULT_DEPTH = 20;

export class BookSource<D extends DecimalForm> implements StreamSource<OrderBook<D>> {
  readonly isEndless = true;
  private lastUpdate: Update | undefined;
  private bids: StringLevel[] = [];
  private asks: StringLevel[] = [];
  private hasUnreadUpdate = false;

  constructor(
    private readonly pairId: string,
    private readonly depth: number = DEFAULT_DEPTH,
    private readonly decimals: DecimalForm,
  ) {}

  payload(): OperationPayload {
    this.lastUpdate = undefined;
    return { query: BOOK_DOCUMENT, variables: { pair: this.pairId, depth: this.depth } };
  }

  push(data: unknown): boolean {
    const { orderbookUpdate: update } = data as { orderbookUpdate: Update };
    if (update.kind === 'SNAPSHOT') [this.bids, this.asks] = [[...update.bids], [...update.asks]];
    else if (this.lastUpdate === undefined || update.previous_sequence !== this.lastUpdate.sequence)
      return false;
    else {
      for (const level of update.bids) putLevel(this.bids, level, (a, b) => comparePrices(b, a));
      for (const level of update.asks) putLevel(this.asks, level, comparePrices);
    }
    this.lastUpdate = update;
    this.hasUnreadUpdate = true;
    return true;
  }

  shift(): OrderBook<D> | undefined {
    if (!this.hasUnreadUpdate || this.lastUpdate === undefined) return undefined;
    this.hasUnreadUpdate = false;
    const { exchange, symbol, sequence, exchange_timestamp, received_at } = this.lastUpdate;
    const [bids, asks] = [this.levelsOf(this.bids), this.levelsOf(this.asks)];
    return { exchange, symbol, sequence, bids, asks, exchange_timestamp, received_at };
  }

  hasCapacity(): boolean {
    return true;
  }

  private levelsOf(side: readonly StringLevel[]): BookLevel<D>[] {
    if (this.decimals === 'string') return [...side] as unknown as BookLevel<D>[];
    return side.map(([price, amount]) => [Number(price), Number(amount)] as unknown as BookLevel<D>);
  }
}

/** Inserts or replaces a level in price order; an amount of 0 removes it. */
function putLevel(side: StringLevel[], level: StringLevel, compare: (a: string, b: string) => number): void {
  const [price, amount] = level;
  let [low, high] = [0, side.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(side[middle]![0], price) < 0) low = middle + 1;
    else high = middle;
  }
  const exists = low < side.length && compare(side[low]![0], price) === 0;
  side.splice(low, exists ? 1 : 0, ...(/[1-9]/.test(amount) ? [level] : []));
}

/**
 * Compares two non-negative decimal strings that have no redundant zeros (`1`, not `01` or `1.0`). Returns a negative
 * number, 0 or a positive one.
 */
export function comparePrices(a: string, b: string): number {
  const [[wholeA = '', fractionA = ''], [wholeB = '', fractionB = '']] = [a.split('.'), b.split('.')];
  return wholeA.length - wholeB.length || compareText(wholeA, wholeB) || compareText(fractionA, fractionB);
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
