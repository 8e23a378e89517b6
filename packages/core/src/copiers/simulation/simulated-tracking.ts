/** Collects what the tracking difference of a replay needs, with the rules of the stats of a copier. */
import type { Decimal } from '@trading-automation/contracts';
import { BigDecimal } from '../../values/index.js';
import type { CopyPlan } from '../planning/plan.types.js';
import {
  addTrackingSums,
  type Tracking,
  type TrackingSums,
  trackingOf,
  trackingSumsOf,
} from '../tracking.rules.js';
import type { SimulatedPortfolio } from './simulated-portfolio.js';

interface RequestedLot {
  readonly quote: string;
  perfectAmount: BigDecimal;
  perfectValue: BigDecimal;
  missedAmount: BigDecimal;
  missedValue: BigDecimal;
}

/** An entry with its plan. */
export interface TrackedEntry {
  readonly lotTradeId: string;
  readonly quote: string;
  readonly referencePrice: Decimal;
  /** See `perfectAmountOf`. */
  readonly perfectAmount: Decimal | null;
  readonly plan: Pick<CopyPlan, 'outcome' | 'code' | 'order'>;
}

const NO_SUMS: TrackingSums = {
  cost: '0',
  fees: '0',
  slippage: '0',
  rounding: '0',
  skips: '0',
  latency: '0',
};

export class SimulatedTracking {
  private readonly lots = new Map<string, RequestedLot>();

  constructor(
    private readonly leader: SimulatedPortfolio,
    private readonly copies: SimulatedPortfolio,
  ) {}

  record({ lotTradeId, quote, referencePrice, perfectAmount, plan }: TrackedEntry): void {
    if (perfectAmount === null) return;
    const lot = this.lots.get(lotTradeId) ?? emptyLot(quote);
    this.lots.set(lotTradeId, lot);
    const missed = missedAmountOf(perfectAmount, plan);
    lot.perfectAmount = lot.perfectAmount.plus(perfectAmount);
    lot.perfectValue = lot.perfectValue.plus(new BigDecimal(perfectAmount).times(referencePrice));
    lot.missedAmount = lot.missedAmount.plus(missed);
    lot.missedValue = lot.missedValue.plus(missed.times(referencePrice));
  }

  /** Computes the difference in steps, each of one lot, so that the caller can pause in between. */
  *stepsIn(quote: string): Generator<void, Tracking | null> {
    let sums = NO_SUMS;
    for (const [lotTradeId, lot] of this.lots) {
      if (lot.quote !== quote) continue;
      const added = this.sumsOf(lotTradeId, lot);
      if (added !== null) sums = addTrackingSums(sums, added);
      yield;
    }
    return trackingOf(sums);
  }

  /** Returns null if the leader closed nothing of the lot while the copier was active. */
  private sumsOf(lotTradeId: string, lot: RequestedLot): TrackingSums | null {
    const led = this.leader.tradedOf(lotTradeId);
    if (!led.closed.amount.gt(0) || !lot.perfectAmount.gt(0)) return null;
    const copied = this.copies.tradedOf(lotTradeId);
    const gross = copied.closed.gross.toFixed();
    return trackingSumsOf({
      side: 'BUY',
      leader: {
        opened: { amount: led.boughtAmount.toFixed(), value: led.boughtValue.toFixed() },
        closedAmount: led.closed.amount.toFixed(),
        closedShare: led.closed.amount.div(led.closed.amount.plus(this.leader.heldOf(lotTradeId))).toFixed(),
        gross: led.closed.gross.toFixed(),
        pnl: led.closed.pnl.toFixed(),
      },
      perfect: { amount: lot.perfectAmount.toFixed(), value: lot.perfectValue.toFixed() },
      missed: { amount: lot.missedAmount.toFixed(), value: lot.missedValue.toFixed() },
      copier: {
        boughtAmount: copied.boughtAmount.toFixed(),
        closedAmount: copied.closed.amount.toFixed(),
        // Copies fill at once, at the leader's price.
        atLeaderPrices: gross,
        atArrivalPrices: gross,
        gross,
        pnl: copied.closed.pnl.toFixed(),
      },
    });
  }
}

/** Returns what a skip or a reduction left out. What amount steps and minimums left out is not part of it. */
function missedAmountOf(perfectAmount: Decimal, { outcome, code, order }: TrackedEntry['plan']): BigDecimal {
  if (outcome === 'COPIED' || (outcome === 'SKIPPED' && code === 'BELOW_MINIMUM')) return new BigDecimal(0);
  return BigDecimal.max(0, new BigDecimal(perfectAmount).minus(order?.amount ?? 0));
}

const emptyLot = (quote: string): RequestedLot => ({
  quote,
  perfectAmount: new BigDecimal(0),
  perfectValue: new BigDecimal(0),
  missedAmount: new BigDecimal(0),
  missedValue: new BigDecimal(0),
});
