import type { Decimal } from '@trading-automation/contracts';
import type { BookSides, Level } from './market-messages.js';

/** The current levels of one book: the last snapshot with all later changes. */
export class OrderBook {
  private readonly bids = new RankedLevels((a, b) => compareDecimals(b, a));
  private readonly asks = new RankedLevels(compareDecimals);

  reset(sides: BookSides): void {
    this.bids.clear();
    this.asks.clear();
    this.apply(sides);
  }

  apply({ bids, asks }: BookSides): void {
    for (const level of bids) this.bids.put(level);
    for (const level of asks) this.asks.put(level);
  }

  /** Returns the levels, best first; at most `depth` on each side. */
  sides(depth?: number): BookSides {
    return { bids: this.bids.best(depth), asks: this.asks.best(depth) };
  }
}

/** The levels of one side, best first. A change finds its place by binary search; the side is never sorted. */
class RankedLevels {
  private readonly levels: Level[] = [];

  constructor(private readonly compare: (a: Decimal, b: Decimal) => number) {}

  put(level: Level): void {
    const [price, amount] = level;
    const index = this.indexOf(price);
    const exists = this.levels[index]?.[0] === price;
    if (amount !== '0') this.levels.splice(index, exists ? 1 : 0, level);
    else if (exists) this.levels.splice(index, 1);
  }

  best(depth?: number): Level[] {
    return this.levels.slice(0, depth);
  }

  clear(): void {
    this.levels.length = 0;
  }

  /** Returns the index of the first level whose price is not better than `price`. */
  private indexOf(price: Decimal): number {
    const last = this.levels.at(-1);
    // The levels of a snapshot arrive best first, so each of them is appended.
    if (last === undefined || this.compare(last[0], price) < 0) return this.levels.length;
    let [from, to] = [0, this.levels.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.compare(this.levels[middle]![0], price) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

/**
 * Accumulates the changes of one book and keeps only the last change of each level. Its size is therefore bounded by
 * the number of levels.
 */
export class ConflatedDelta {
  private readonly bids = new Map<Decimal, Decimal>();
  private readonly asks = new Map<Decimal, Decimal>();

  add({ bids, asks }: BookSides): void {
    for (const [price, amount] of bids) this.bids.set(price, amount);
    for (const [price, amount] of asks) this.asks.set(price, amount);
  }

  get isEmpty(): boolean {
    return this.bids.size + this.asks.size === 0;
  }

  /** Returns the accumulated changes, best price first, and clears them. */
  drain(): BookSides {
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

function sorted(side: ReadonlyMap<Decimal, Decimal>): Level[] {
  return [...side].sort(([a], [b]) => compareDecimals(a, b));
}

/** Compares two canonical non-negative decimals as strings, without parsing them. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const [pointA, pointB] = [integerLength(a), integerLength(b)];
  if (pointA !== pointB) return pointA - pointB;
  // If the integer parts have equal length and there are no trailing zeros, string order equals numeric order.
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function integerLength(decimal: Decimal): number {
  const point = decimal.indexOf('.');
  return point < 0 ? decimal.length : point;
}
