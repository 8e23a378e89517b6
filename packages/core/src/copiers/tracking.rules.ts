/**
 * Computes how far a copier's return differs from its strategy's, and why. Pure.
 *
 * The return on the closed part of a lot is its profit ÷ its cost. Between the strategy's return and the copier's lie
 * four returns before fees. Each arrow is a difference with the cause on its right; the first and the last arrow
 * together are the fees. All differences add up to the whole:
 *
 *   strategy, net → strategy, before fees
 *     → at the strategy's prices, in the amounts that the copied signals requested        skips
 *     → at the strategy's prices, in the amounts that were filled                         rounding
 *     → at the copier's own prices                                                        slippage
 *   → copier, net                                        fees: what the strategy loses to fees, less what the copier loses
 *
 * Each lot is weighted by the copier's cost.
 */
import type { Decimal, TrackingParts, TradeSide } from '@trading-automation/contracts';
import { BigDecimal } from '../values/index.js';

/** Result of the leader or of the copier on the closed part of a lot. */
interface ClosedResult extends Prices {
  /** Above zero. Fees increase the cost and reduce the profit. */
  readonly cost: Decimal;
  readonly pnl: Decimal;
}

/** Average prices before fees; above zero. */
interface Prices {
  readonly entryPrice: Decimal;
  readonly exitPrice: Decimal;
}

export interface TrackedLot {
  /** Side of the entry. */
  readonly side: TradeSide;
  readonly copier: ClosedResult;
  readonly leader: ClosedResult;
  /** The strategy's prices, weighted by the filled amounts of the copies. */
  readonly reference: Prices;
  /**
   * The strategy's prices, weighted by the amounts that the copied signals requested; equals `reference` if those are
   * unknown.
   */
  readonly target: Prices;
}

export interface Tracking {
  readonly differenceBps: Decimal;
  readonly parts: TrackingParts;
}

const BPS = 10_000;
const DECIMALS = 8;

/** Returns the difference and its parts; null if there is no lot of which both leader and copier closed a part. */
export function trackingOf(lots: readonly TrackedLot[]): Tracking | null {
  const sums = {
    fees: new BigDecimal(0),
    slippage: new BigDecimal(0),
    rounding: new BigDecimal(0),
    skips: new BigDecimal(0),
  };
  let weight = new BigDecimal(0);
  for (const lot of lots) {
    const cost = new BigDecimal(lot.copier.cost);
    const steps = stepsOf(lot);
    weight = weight.plus(cost);
    for (const [name, step] of Object.entries(steps) as [keyof typeof sums, BigDecimal][])
      sums[name] = sums[name].plus(cost.times(step));
  }
  if (weight.isZero()) return null;
  const bps = (sum: BigDecimal) =>
    sum.div(weight).times(BPS).toDecimalPlaces(DECIMALS, BigDecimal.ROUND_HALF_EVEN);
  const [fees, slippage, rounding, skips] = [sums.fees, sums.slippage, sums.rounding, sums.skips].map(
    bps,
  ) as [BigDecimal, BigDecimal, BigDecimal, BigDecimal];
  return {
    // Summed from the rounded parts, so that the parts shown add up to the total shown.
    differenceBps: formatBps(fees.plus(slippage).plus(rounding).plus(skips)),
    parts: {
      fees_bps: formatBps(fees),
      slippage_bps: formatBps(slippage),
      rounding_bps: formatBps(rounding),
      skips_bps: formatBps(skips),
    },
  };
}

function stepsOf({ side, copier, leader, reference, target }: TrackedLot) {
  const gross = {
    copier: returnAt(side, copier),
    leader: returnAt(side, leader),
    reference: returnAt(side, reference),
    target: returnAt(side, target),
  };
  const feeLoss = (before: BigDecimal, { pnl, cost }: ClosedResult) =>
    before.minus(new BigDecimal(pnl).div(cost));
  return {
    fees: feeLoss(gross.leader, leader).minus(feeLoss(gross.copier, copier)),
    slippage: gross.copier.minus(gross.reference),
    rounding: gross.reference.minus(gross.target),
    skips: gross.target.minus(gross.leader),
  };
}

function returnAt(side: TradeSide, { entryPrice, exitPrice }: Prices): BigDecimal {
  const rise = new BigDecimal(exitPrice).div(entryPrice).minus(1);
  return side === 'BUY' ? rise : rise.negated();
}

function formatBps(value: BigDecimal): Decimal {
  return value.isZero() ? '0' : value.toString();
}
