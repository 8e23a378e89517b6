/** Collects what the tracking difference of a replay needs, with the rules of the stats of a copier. */
import type { Decimal, TradeSide } from '@trading-automation/contracts';
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

/** What a perfect copy of a lot entered and closed, and what the copier missed of it. */
interface RequestedLot {
  /** Side of the entries. */
  readonly side: TradeSide;
  readonly quote: string;
  perfectAmount: BigDecimal;
  perfectValue: BigDecimal;
  missedAmount: BigDecimal;
  missedValue: BigDecimal;
  heldAmount: BigDecimal;
  closedAmount: BigDecimal;
  closedValue: BigDecimal;
}

/** A signal with its plan. */
export interface TrackedSignal {
  readonly lotTradeId: string;
  readonly side: TradeSide;
  readonly quote: string;
  readonly referencePrice: Decimal;
  /** Entries: see `perfectAmountOf`. */
  readonly perfectAmount: Decimal | null;
  /** Exits: the fraction of its lot that the leader closed; 0 for an entry. */
  readonly closedFraction: BigDecimal;
  readonly plan: Pick<CopyPlan, 'outcome' | 'code' | 'order'>;
}

const DECIMALS = 18;

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

  constructor(private readonly copies: SimulatedPortfolio) {}

  record(signal: TrackedSignal): void {
    const { lotTradeId, side, quote, referencePrice, perfectAmount, closedFraction, plan } = signal;
    const lot = this.lots.get(lotTradeId);
    if (perfectAmount !== null) {
      const requested = lot ?? emptyLot(side, quote);
      this.lots.set(lotTradeId, requested);
      addEntry(requested, perfectAmount, missedAmountOf(perfectAmount, plan), referencePrice);
    } else if (lot !== undefined && plan.code !== 'NOT_ACTIVE') {
      close(lot, closedFraction, referencePrice);
    }
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
    if (!lot.closedAmount.gt(0)) return null;
    const { enteredAmount, enteredValue, closed } = this.copies.tradedOf(lotTradeId);
    const gross = closed.gross.toFixed();
    return trackingSumsOf({
      side: lot.side,
      perfect: { amount: lot.perfectAmount.toFixed(), value: lot.perfectValue.toFixed() },
      missed: { amount: lot.missedAmount.toFixed(), value: lot.missedValue.toFixed() },
      leader: {
        closedShare: lot.closedAmount.div(lot.perfectAmount).toFixed(),
        exitPrice: lot.closedValue.div(lot.closedAmount).toFixed(),
        exitPriceTolerance: '0',
        feeRate: '0',
      },
      copier: {
        bought: { amount: enteredAmount.toFixed(), value: enteredValue.toFixed() },
        closedAmount: closed.amount.toFixed(),
        // Copies fill at once, at the leader's price.
        entryValue: closed.entryValue.toFixed(),
        exitValue: closed.entryValue
          .plus(lot.side === 'BUY' ? closed.gross : closed.gross.negated())
          .toFixed(),
        atArrivalPrices: gross,
        gross,
        pnl: closed.pnl.toFixed(),
      },
    });
  }
}

function addEntry(lot: RequestedLot, amount: Decimal, missed: BigDecimal, price: Decimal): void {
  lot.perfectAmount = lot.perfectAmount.plus(amount);
  lot.perfectValue = lot.perfectValue.plus(new BigDecimal(amount).times(price));
  lot.missedAmount = lot.missedAmount.plus(missed);
  lot.missedValue = lot.missedValue.plus(missed.times(price));
  lot.heldAmount = lot.heldAmount.plus(amount);
}

function close(lot: RequestedLot, fraction: BigDecimal, price: Decimal): void {
  const closed = lot.heldAmount.times(fraction).toDecimalPlaces(2 * DECIMALS);
  lot.heldAmount = lot.heldAmount.minus(closed);
  lot.closedAmount = lot.closedAmount.plus(closed);
  lot.closedValue = lot.closedValue.plus(closed.times(price));
}

/** Returns what a skip or a reduction left out. What amount steps and minimums left out is not part of it. */
function missedAmountOf(perfectAmount: Decimal, { outcome, code, order }: TrackedSignal['plan']): BigDecimal {
  if (outcome === 'COPIED' || (outcome === 'SKIPPED' && code === 'BELOW_MINIMUM')) return new BigDecimal(0);
  return BigDecimal.max(0, new BigDecimal(perfectAmount).minus(order?.amount ?? 0));
}

const emptyLot = (side: TradeSide, quote: string): RequestedLot => ({
  side,
  quote,
  perfectAmount: new BigDecimal(0),
  perfectValue: new BigDecimal(0),
  missedAmount: new BigDecimal(0),
  missedValue: new BigDecimal(0),
  heldAmount: new BigDecimal(0),
  closedAmount: new BigDecimal(0),
  closedValue: new BigDecimal(0),
});
