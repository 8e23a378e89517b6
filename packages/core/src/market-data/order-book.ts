import type { Decimal } from '@trading-automation/contracts';
import type { BookSides, Level } from './market-messages.js';

/** The levels of one book, as the snapshot and the changes since have left them. */
export class OrderBook {
  private readonly bids = new Map<Decimal, Decimal>();
  private readonly asks = new Map<Decimal, Decimal>();

  reset(sides: BookSides): void {
    this.bids.clear();
    this.asks.clear();
    this.apply(sides);
  }

  apply({ bids, asks }: BookSides): void {
    put(this.bids, bids);
    put(this.asks, asks);
  }

  /** Best levels first. */
  sides(): BookSides {
    const asks = sorted(this.asks);
    return { bids: sorted(this.bids).reverse(), asks };
  }
}

/** Changes of one book, the last of each level: as many as there are levels, however long nobody takes them. */
export class BookChanges {
  private readonly bids = new Map<Decimal, Decimal>();
  private readonly asks = new Map<Decimal, Decimal>();

  add({ bids, asks }: BookSides): void {
    for (const [price, amount] of bids) this.bids.set(price, amount);
    for (const [price, amount] of asks) this.asks.set(price, amount);
  }

  get isEmpty(): boolean {
    return this.bids.size + this.asks.size === 0;
  }

  take(): BookSides {
    const asks = sorted(this.asks);
    const sides = { bids: sorted(this.bids).reverse(), asks };
    this.clear();
    return sides;
  }

  clear(): void {
    this.bids.clear();
    this.asks.clear();
  }
}

function put(side: Map<Decimal, Decimal>, levels: readonly Level[]): void {
  for (const [price, amount] of levels) {
    if (amount === '0') side.delete(price);
    else side.set(price, amount);
  }
}

function sorted(side: ReadonlyMap<Decimal, Decimal>): Level[] {
  return [...side].sort(([a], [b]) => compareDecimals(a, b));
}

/** The order of two canonical decimals that are not negative, by their digits. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const [pointA, pointB] = [integerLength(a), integerLength(b)];
  if (pointA !== pointB) return pointA - pointB;
  // As many digits before the point on both sides, and no zeros at the end: the order of the text is that of the value.
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function integerLength(text: Decimal): number {
  const point = text.indexOf('.');
  return point < 0 ? text.length : point;
}
