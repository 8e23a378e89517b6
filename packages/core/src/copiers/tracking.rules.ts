/**
 * Computes how far a copier's return differs from the return of a perfect copy, and why. Pure.
 *
 * A perfect copy buys the full amount of each signal at the leader's price, pays the leader's fee rate, and has no limit,
 * minimum or amount step. The result of a lot is compared for the share of it that is closed: the share that the copier
 * sold of what it bought, or the leader's closed share if the copier bought nothing. An exit that is late thus makes no
 * difference until it is filled. Between the two results lie four others; each arrow is one cause:
 *
 *   perfect copy, net
 *     → without the amounts of skipped, failed and reduced entries                   skips
 *     → with the amounts that were filled                                            rounding
 *     → at the market prices at which the orders were sent                           latency
 *     → at the copier's own prices                                                   slippage
 *   → copier, net                 fees: what the copier paid beyond the leader's fee rate
 *
 * All results are values in quote currency, so they can be added over lots. The sum of the differences is divided by
 * the cost of the perfect copies, before fees. copier-tracking.queries.ts computes the same in SQL; a test compares both.
 */
import type { Decimal, TrackingParts, TradeSide } from '@trading-automation/contracts';
import { BigDecimal } from '../values/index.js';

/** An amount in base currency with its value in quote currency, at the leader's prices. */
interface ValuedAmount {
  readonly amount: Decimal;
  readonly value: Decimal;
}

/** One lot of the leader, with what a copier did about it. Amounts are before fees in base currency. */
export interface TrackedLot {
  /** Side of the entry. */
  readonly side: TradeSide;
  readonly leader: {
    /** The whole lot. */
    readonly opened: ValuedAmount;
    /** The part that the leader closed while the copier was active. */
    readonly closedAmount: Decimal;
    /** `closedAmount` ÷ (`closedAmount` + the amount that is still open); above 0, at most 1. */
    readonly closedShare: Decimal;
    /** Result of the closed part, before fees and net of fees. */
    readonly gross: Decimal;
    readonly pnl: Decimal;
  };
  /** What a perfect copy buys; above 0. */
  readonly perfect: ValuedAmount;
  /** The part of `perfect` that skipped, failed and reduced entries did not buy. */
  readonly missed: ValuedAmount;
  readonly copier: {
    readonly boughtAmount: Decimal;
    readonly closedAmount: Decimal;
    /** Result of the closed amount before fees, at the leader's prices, at the arrival prices and at its own prices. */
    readonly atLeaderPrices: Decimal;
    readonly atArrivalPrices: Decimal;
    readonly gross: Decimal;
    /** Net of fees. */
    readonly pnl: Decimal;
  };
}

/** The cost of perfect copies, and what each cause added to the copier's result; in quote currency. */
export interface TrackingSums {
  readonly cost: Decimal;
  readonly fees: Decimal;
  readonly slippage: Decimal;
  readonly rounding: Decimal;
  readonly skips: Decimal;
  readonly latency: Decimal;
}

export interface Tracking {
  readonly differenceBps: Decimal;
  readonly parts: TrackingParts;
}

const BPS = 10_000;
const QUOTE_DECIMALS = 36;

/** Returns what the lot adds to the sums. */
export function trackingSumsOf({ side, leader, perfect, missed, copier }: TrackedLot): TrackingSums {
  const bought = new BigDecimal(copier.boughtAmount);
  const share = bought.gt(0)
    ? new BigDecimal(copier.closedAmount).div(bought)
    : new BigDecimal(leader.closedShare);
  const unitPnl = new BigDecimal(leader.pnl).div(leader.closedAmount);
  const unitFee = new BigDecimal(leader.gross).minus(leader.pnl).div(leader.closedAmount);
  const leaderEntry = new BigDecimal(leader.opened.value).div(leader.opened.amount);
  // The leader's result per unit, corrected by the difference of the entry prices.
  const resultOf = ({ amount, value }: ValuedAmount) => {
    const cheaper = leaderEntry.times(amount).minus(value);
    return unitPnl
      .times(amount)
      .plus(side === 'BUY' ? cheaper : cheaper.negated())
      .times(share);
  };
  const skips = resultOf(missed).negated();
  const leaderFees = unitFee.times(copier.closedAmount);
  const filled = new BigDecimal(copier.atLeaderPrices).minus(leaderFees);
  const decimal = (value: BigDecimal) => value.toDecimalPlaces(QUOTE_DECIMALS).toFixed();
  return {
    cost: decimal(share.times(perfect.value)),
    fees: decimal(new BigDecimal(copier.pnl).minus(copier.gross).plus(leaderFees)),
    slippage: decimal(new BigDecimal(copier.gross).minus(copier.atArrivalPrices)),
    latency: decimal(new BigDecimal(copier.atArrivalPrices).minus(copier.atLeaderPrices)),
    rounding: decimal(filled.minus(resultOf(perfect)).minus(skips)),
    skips: decimal(skips),
  };
}

export function addTrackingSums(a: TrackingSums, b: TrackingSums): TrackingSums {
  const plus = (name: keyof TrackingSums) => new BigDecimal(a[name]).plus(b[name]).toFixed();
  return {
    cost: plus('cost'),
    fees: plus('fees'),
    slippage: plus('slippage'),
    rounding: plus('rounding'),
    skips: plus('skips'),
    latency: plus('latency'),
  };
}

/**
 * Returns the difference and its parts, in whole basis points of the cost; null if there is no cost. Further digits would
 * show the fractions that the leader sold of a lot, and so the leader's amounts.
 */
export function trackingOf(sums: TrackingSums): Tracking | null {
  const cost = new BigDecimal(sums.cost);
  if (!cost.gt(0)) return null;
  const bps = (sum: Decimal) =>
    new BigDecimal(sum).div(cost).times(BPS).toDecimalPlaces(0, BigDecimal.ROUND_HALF_EVEN);
  const parts = {
    fees_bps: bps(sums.fees),
    slippage_bps: bps(sums.slippage),
    rounding_bps: bps(sums.rounding),
    skips_bps: bps(sums.skips),
    latency_bps: bps(sums.latency),
  };
  // Summed from the rounded parts, so that the parts shown add up to the total shown.
  const total = Object.values(parts).reduce((sum, part) => sum.plus(part));
  return {
    differenceBps: formatBps(total),
    parts: {
      fees_bps: formatBps(parts.fees_bps),
      slippage_bps: formatBps(parts.slippage_bps),
      rounding_bps: formatBps(parts.rounding_bps),
      skips_bps: formatBps(parts.skips_bps),
      latency_bps: formatBps(parts.latency_bps),
    },
  };
}

function formatBps(value: BigDecimal): Decimal {
  return value.isZero() ? '0' : value.toFixed();
}
