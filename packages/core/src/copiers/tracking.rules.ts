/**
 * Computes how far a copier's return differs from the return of a perfect copy, and why. Pure.
 *
 * A perfect copy buys the full amount of each signal at the leader's price, sells the fraction of each exit, pays the
 * leader's fee rate, and has no limit, minimum or amount step. The result of a lot is compared for the share of it that is
 * closed: the share that the copier sold of what it bought, or the share that the leader closed if the copier bought
 * nothing. An exit that is late thus makes no difference until it is filled. Between the two results lie four others; each
 * arrow is one cause:
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
  /** What a perfect copy buys; above 0. */
  readonly perfect: ValuedAmount;
  /** The part of `perfect` that skipped, failed and reduced entries did not buy. */
  readonly missed: ValuedAmount;
  readonly leader: {
    /** The share of the lot that exits closed while the copier was active; above 0, at most 1. */
    readonly closedShare: Decimal;
    /** The average price of these exits. */
    readonly exitPrice: Decimal;
    /**
     * How far the exact average may be from `exitPrice`, because the fractions that the leader sold are known to two
     * digits. Within this range, the copier's own exits count as perfect. 0 if the fractions are exact.
     */
    readonly exitPriceTolerance: Decimal;
    /** Fees of the lot's entries and exits ÷ their value. */
    readonly feeRate: Decimal;
  };
  readonly copier: {
    /** Everything that was bought. */
    readonly bought: ValuedAmount;
    readonly closedAmount: Decimal;
    /** What the closed amount cost and brought, before fees, at the leader's prices. */
    readonly entryValue: Decimal;
    readonly exitValue: Decimal;
    /** Result of the closed amount before fees, at the arrival prices and at its own prices. */
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
export function trackingSumsOf(lot: TrackedLot): TrackingSums {
  const { side, perfect, missed, leader, copier } = lot;
  const share = closedShareOf(lot);
  const exitPrice = exitPriceOf(lot);
  const entryFactor = entryFactorOf(lot);
  const gain = (exit: BigDecimal, entry: BigDecimal) =>
    side === 'BUY' ? exit.minus(entry) : entry.minus(exit);
  const feeOf = (exit: BigDecimal, entry: BigDecimal) => exit.plus(entry).times(leader.feeRate);
  const resultOf = ({ amount, value }: ValuedAmount) => {
    const exit = exitPrice.times(amount).times(share);
    const entry = entryFactor.times(value).times(share);
    return gain(exit, entry).minus(feeOf(exit, entry));
  };
  const [exit, entry] = [new BigDecimal(copier.exitValue), new BigDecimal(copier.entryValue)];
  const skips = resultOf(missed).negated();
  const filled = gain(exit, entry);
  const decimal = (value: BigDecimal) => value.toDecimalPlaces(QUOTE_DECIMALS).toFixed();
  return {
    cost: decimal(share.times(perfect.value)),
    fees: decimal(new BigDecimal(copier.pnl).minus(copier.gross).plus(feeOf(exit, entry))),
    slippage: decimal(new BigDecimal(copier.gross).minus(copier.atArrivalPrices)),
    latency: decimal(new BigDecimal(copier.atArrivalPrices).minus(filled)),
    rounding: decimal(filled.minus(feeOf(exit, entry)).minus(resultOf(perfect)).minus(skips)),
    skips: decimal(skips),
  };
}

function closedShareOf({ leader, copier }: TrackedLot): BigDecimal {
  const bought = new BigDecimal(copier.bought.amount);
  return bought.gt(0) ? new BigDecimal(copier.closedAmount).div(bought) : new BigDecimal(leader.closedShare);
}

/** Returns the average exit price of a perfect copy: of the possible ones, the one nearest to the copier's own. */
function exitPriceOf({ leader, copier }: TrackedLot): BigDecimal {
  const price = new BigDecimal(leader.exitPrice);
  const closed = new BigDecimal(copier.closedAmount);
  if (!closed.gt(0)) return price;
  const lowest = price.minus(leader.exitPriceTolerance);
  const highest = price.plus(leader.exitPriceTolerance);
  return BigDecimal.max(lowest, BigDecimal.min(highest, new BigDecimal(copier.exitValue).div(closed)));
}

/**
 * Returns what the closed part of the copies cost for each unit, relative to all that was bought: entries at several prices
 * are sold one after the other.
 */
function entryFactorOf({ copier: { bought, closedAmount, entryValue } }: TrackedLot): BigDecimal {
  if (!new BigDecimal(closedAmount).gt(0)) return new BigDecimal(1);
  return new BigDecimal(entryValue)
    .times(bought.amount)
    .div(new BigDecimal(bought.value).times(closedAmount));
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

/** Returns the difference and its parts, in whole basis points of the cost; null if there is no cost. */
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
