/**
 * How far a copier's return is from that of the strategy that it copies, and why. Pure.
 *
 * The return of what was closed of a lot is its result ÷ its cost. Between the strategy's return and the copier's stand
 * three more, each with one more of the copier's own circumstances, so that the steps between them add up to the whole:
 *
 *   strategy, net → strategy, before fees
 *     → at the strategy's prices, in the amounts that the copied signals asked for       skips
 *     → at the strategy's prices, in the amounts that were filled                        rounding
 *     → at the copier's own prices                                                       slippage
 *   → copier, net                                          fees: what both ends lose to them, compared
 *
 * Lots weigh what the copier paid for them.
 */
import type { Decimal, TrackingParts, TradeSide } from '@trading-automation/contracts';
import { BigDecimal } from '../values/index.js';

/** What one side of the copy made of the closed part of a lot. */
interface ClosedSide extends Prices {
  /** With fees, as the result is; more than nothing. */
  readonly cost: Decimal;
  readonly pnl: Decimal;
}

/** Averages, before fees; more than nothing. */
interface Prices {
  readonly entryPrice: Decimal;
  readonly exitPrice: Decimal;
}

export interface TrackedLot {
  /** That of the entry. */
  readonly side: TradeSide;
  readonly copier: ClosedSide;
  readonly leader: ClosedSide;
  /** The strategy's prices, weighed by what the copies were filled of. */
  readonly reference: Prices;
  /** The strategy's prices, weighed by what the copied signals asked for; the reference where that is not known. */
  readonly target: Prices;
}

export interface Tracking {
  readonly differenceBps: Decimal;
  readonly parts: TrackingParts;
}

const BPS = 10_000;
const DECIMALS = 8;

/** Null where no lot was closed by both. */
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
    // Of the rounded parts: whoever adds them up gets what stands beside them.
    differenceBps: text(fees.plus(slippage).plus(rounding).plus(skips)),
    parts: {
      fees_bps: text(fees),
      slippage_bps: text(slippage),
      rounding_bps: text(rounding),
      skips_bps: text(skips),
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
  const lostToFees = (before: BigDecimal, { pnl, cost }: ClosedSide) =>
    before.minus(new BigDecimal(pnl).div(cost));
  return {
    fees: lostToFees(gross.leader, leader).minus(lostToFees(gross.copier, copier)),
    slippage: gross.copier.minus(gross.reference),
    rounding: gross.reference.minus(gross.target),
    skips: gross.target.minus(gross.leader),
  };
}

function returnAt(side: TradeSide, { entryPrice, exitPrice }: Prices): BigDecimal {
  const rise = new BigDecimal(exitPrice).div(entryPrice).minus(1);
  return side === 'BUY' ? rise : rise.negated();
}

function text(value: BigDecimal): Decimal {
  return value.isZero() ? '0' : value.toString();
}
