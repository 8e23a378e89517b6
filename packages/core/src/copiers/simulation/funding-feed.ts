import type { Decimal } from '@trading-automation/contracts';

/** The funding of a perpetual at one instant. */
export interface PastFunding {
  readonly at: Date;
  /** The fraction of the notional that longs pay to shorts. */
  readonly rate: Decimal;
  /** Null if it is unknown. */
  readonly markPrice: Decimal | null;
}

/** Funding of a symbol that is due in a replay. */
export interface DueFunding extends PastFunding {
  readonly symbol: string;
}

/** Merges the funding of several perpetuals in the order of time. */
export class FundingFeed {
  private readonly positions = new Map<string, number>();

  /** @param fundings by symbol, each oldest first; symbols may be added while the feed is read */
  constructor(private readonly fundings: ReadonlyMap<string, readonly PastFunding[]>) {}

  /** Returns what is due at or before an instant and was not returned before. */
  *dueUntil(instant: Date): Generator<DueFunding> {
    for (;;) {
      const next = this.next(instant);
      if (next === undefined) return;
      this.positions.set(next.symbol, (this.positions.get(next.symbol) ?? 0) + 1);
      yield next;
    }
  }

  private next(instant: Date): DueFunding | undefined {
    let next: DueFunding | undefined;
    for (const [symbol, fundings] of this.fundings) {
      const first = fundings[this.positions.get(symbol) ?? 0];
      if (first === undefined || first.at > instant) continue;
      if (next === undefined || first.at < next.at) next = { ...first, symbol };
    }
    return next;
  }
}
