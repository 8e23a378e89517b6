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
 * client may have fetched its snapshot of the book between the two changes.
 */
export class DepthTracker {
  /** The prices, in ticks, whose levels changed since the last event. */
  private readonly changedBids = new Set<number>();
  private readonly changedAsks = new Set<number>();
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
    this.bids = addChanges(this.changedBids, this.bids, sides.bids);
    this.asks = addChanges(this.changedAsks, this.asks, sides.asks);
  }

  /** Returns the changes up to `version` and forgets them. Returns undefined if nothing changed. */
  take(version: number): DepthDiff | undefined {
    if (this.changedBids.size + this.changedAsks.size === 0) return undefined;
    const diff = {
      firstVersion: this.sentVersion + 1,
      lastVersion: version,
      bids: takeChanges(this.changedBids, this.bids),
      asks: takeChanges(this.changedAsks, this.asks),
    };
    this.sentVersion = version;
    return diff;
  }
}

/** Adds the prices whose levels differ from `before` to `changed`. Returns the new levels as a map. */
function addChanges(changed: Set<number>, before: ReadonlyMap<number, number>, levels: readonly Level[]) {
  const after = new Map(levels);
  for (const [ticks, lots] of after) if (before.get(ticks) !== lots) changed.add(ticks);
  for (const ticks of before.keys()) if (!after.has(ticks)) changed.add(ticks);
  return after;
}

function takeChanges(changed: Set<number>, levels: ReadonlyMap<number, number>): Level[] {
  const rows = [...changed].map((ticks): Level => [ticks, levels.get(ticks) ?? 0]);
  changed.clear();
  return rows;
}
