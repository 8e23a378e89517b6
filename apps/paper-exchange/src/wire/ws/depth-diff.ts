import type { Level } from '../../engine/book.js';

type Sides = { readonly bids: readonly Level[]; readonly asks: readonly Level[] };

export interface DepthDiff {
  readonly firstVersion: number;
  readonly lastVersion: number;
  /** The changed levels with their current amounts. A removed level has 0 lots. */
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

/**
 * Tracks the changes of one book since the last event. A level that changed and changed back is included, because a
 * client
 * may have fetched its snapshot in between.
 */
export class DepthTracker {
  private readonly touchedBids = new Set<number>();
  private readonly touchedAsks = new Set<number>();
  private bids: ReadonlyMap<number, number>;
  private asks: ReadonlyMap<number, number>;

  constructor(
    start: Sides,
    private sentVersion: number,
  ) {
    this.bids = new Map(start.bids);
    this.asks = new Map(start.asks);
  }

  observe(sides: Sides): void {
    this.bids = touch(this.touchedBids, this.bids, sides.bids);
    this.asks = touch(this.touchedAsks, this.asks, sides.asks);
  }

  /** Returns the changes up to `version`, or undefined if nothing changed. */
  take(version: number): DepthDiff | undefined {
    if (this.touchedBids.size + this.touchedAsks.size === 0) return undefined;
    const diff = {
      firstVersion: this.sentVersion + 1,
      lastVersion: version,
      bids: drain(this.touchedBids, this.bids),
      asks: drain(this.touchedAsks, this.asks),
    };
    this.sentVersion = version;
    return diff;
  }
}

function touch(touched: Set<number>, before: ReadonlyMap<number, number>, levels: readonly Level[]) {
  const after = new Map(levels);
  for (const [ticks, lots] of after) if (before.get(ticks) !== lots) touched.add(ticks);
  for (const ticks of before.keys()) if (!after.has(ticks)) touched.add(ticks);
  return after;
}

function drain(touched: Set<number>, levels: ReadonlyMap<number, number>): Level[] {
  const rows = [...touched].map((ticks): Level => [ticks, levels.get(ticks) ?? 0]);
  touched.clear();
  return rows;
}
