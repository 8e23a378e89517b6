/** What closing a part of a lot would trade, and whether the exchange would accept it. Estimates: the exchange decides. */
import { ceilTo, Exact, floorTo, isZero, largestOf, roundUp } from '../../format/decimals';

export interface ClosableLot {
  readonly side: string;
  readonly remaining_amount: string;
  readonly remaining_cost: string;
}

/** The limits of a pair, as the API sends them. */
export interface PairLimits {
  readonly amount_step: string;
  readonly market_amount_step?: string;
  readonly min_amount: string;
  readonly min_notional: string;
  readonly trading_type: string;
  readonly taker_fee?: string;
}

export interface CloseEstimate {
  /** The amount of the order, after rounding down to the amount step. */
  readonly amount: string;
  /** What remains open. */
  readonly rest: string;
  /** Value of the order before the fee; undefined without a price. */
  readonly value: string | undefined;
  /** Received after the fee; for a short lot, what buying back costs. */
  readonly proceeds: string | undefined;
  readonly fee: string | undefined;
  readonly result: string | undefined;
  readonly problem: CloseProblem | undefined;
}

interface CloseProblem {
  readonly limit: 'amount_step' | 'min_amount' | 'min_notional';
  readonly minimum: string;
  /** The smallest whole percentage of the lot that the exchange accepts; undefined if even the whole lot is too small. */
  readonly smallestPercent: number | undefined;
}

/** Returns the fraction of a percentage as typed: above 0, at most 100, with up to four digits after the point. */
export function fractionOf(percent: string): string | undefined {
  if (!/^\d{1,3}(\.\d{1,4})?$/.test(percent.trim())) return undefined;
  const value = new Exact(percent.trim());
  return isZero(value) || value.gt(100) ? undefined : value.div(100).toFixed();
}

export function estimateClose(
  lot: ClosableLot,
  fraction: string,
  limits: PairLimits,
  price: string | null | undefined,
): CloseEstimate {
  const remaining = new Exact(lot.remaining_amount);
  const step = new Exact(limits.market_amount_step ?? limits.amount_step);
  const amount = floorTo(remaining.times(fraction), step);
  const common = { amount: amount.toFixed(), rest: remaining.minus(amount).toFixed() };
  const problem = problemOf(amount, remaining, step, limits, price ?? undefined);
  if (price === null || price === undefined)
    return { ...common, value: undefined, proceeds: undefined, fee: undefined, result: undefined, problem };
  const value = amount.times(price);
  const fee = value.times(limits.taker_fee ?? 0);
  const cost = isZero(remaining) ? new Exact(0) : amount.div(remaining).times(lot.remaining_cost);
  const isLong = lot.side === 'BUY';
  const proceeds = isLong ? value.minus(fee) : value.plus(fee);
  return {
    ...common,
    value: value.toFixed(),
    fee: fee.toFixed(),
    proceeds: proceeds.toFixed(),
    result: (isLong ? proceeds.minus(cost) : cost.minus(proceeds)).toFixed(),
    problem,
  };
}

function problemOf(
  amount: Exact,
  remaining: Exact,
  step: Exact,
  limits: PairLimits,
  price: string | undefined,
): CloseProblem | undefined {
  // The order that closes a perpetual is reduce-only, to which the minimum value does not apply.
  const minValue = limits.trading_type === 'perpetual' ? '0' : limits.min_notional;
  const byValue = price === undefined || isZero(new Exact(price)) ? 0 : new Exact(minValue).div(price);
  const least = ceilTo(largestOf(step, limits.min_amount, byValue), step);
  const percent = isZero(remaining) ? undefined : roundUp(least.div(remaining).times(100)).toNumber();
  const smallestPercent = percent !== undefined && percent <= 100 ? percent : undefined;
  if (isZero(amount)) return { limit: 'amount_step', minimum: step.toFixed(), smallestPercent };
  if (amount.lt(limits.min_amount))
    return { limit: 'min_amount', minimum: limits.min_amount, smallestPercent };
  if (price !== undefined && amount.times(price).lt(minValue))
    return { limit: 'min_notional', minimum: minValue, smallestPercent };
  return undefined;
}

export interface Quotes {
  readonly bid: string | null;
  readonly ask: string | null;
  readonly last: string | null;
}

/** The price at which a market order that closes the lot begins to fill. */
export function closingPrice(side: string, quotes: Quotes | undefined): string | null | undefined {
  return quotes === undefined ? undefined : ((side === 'BUY' ? quotes.bid : quotes.ask) ?? quotes.last);
}
