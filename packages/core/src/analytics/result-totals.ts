/**
 * Computes metrics from sums of results. The functions are pure.
 *
 * Conventions
 * 1. Sums are exact; a metric is rounded once, when it is formatted.
 * 2. Rates, averages and gross amounts cover closed trades only, after fees. A closed trade wins if its net result is
 *    above zero, and loses if it is below zero.
 * 3. Realised results cover all closures, each at the instant of its closing fill.
 * 4. Funding is part of the net result, but of no closed trade.
 * 5. An undefined ratio is null, never 0 and never Infinity.
 */
import type { Analytics, Decimal } from '@trading-automation/contracts';
import { formatAmount, formatQuotient, formatSeconds, mapNullable, quotient } from '../performance/index.js';
import { BigDecimal } from '../values/index.js';

/** Sums over trades, fills, closures and closed trades. Amounts are in quote currency, except `fees_in_base`. */
export interface ResultSums {
  readonly pending_count: number;
  readonly partially_filled_count: number;
  readonly filled_count: number;
  readonly cancelled_count: number;
  readonly failed_count: number;
  readonly fill_count: number;
  /** The number of fills that sold more than the lots held. */
  readonly unmatched_count: number;
  /** The number of closures. */
  readonly part_count: number;
  /** The number of fills whose fee has no value in quote currency yet. */
  readonly unvalued_fee_count: number;
  readonly closed_count: number;
  readonly winning_count: number;
  readonly losing_count: number;
  readonly volume: Decimal;
  readonly fees: Decimal;
  readonly fees_in_quote: Decimal;
  readonly fees_in_base: Decimal;
  /** The result of closures plus funding. */
  readonly net_pnl: Decimal;
  /** Funding and loan interest; positive if received. */
  readonly funding: Decimal;
  readonly gross_profit: Decimal;
  readonly gross_loss: Decimal;
  readonly holding_seconds: Decimal;
}

export const COUNTS = [
  'pending_count',
  'partially_filled_count',
  'filled_count',
  'cancelled_count',
  'failed_count',
  'fill_count',
  'unmatched_count',
  'part_count',
  'unvalued_fee_count',
  'closed_count',
  'winning_count',
  'losing_count',
] as const;
export const AMOUNTS = [
  'volume',
  'fees',
  'fees_in_quote',
  'fees_in_base',
  'net_pnl',
  'funding',
  'gross_profit',
  'gross_loss',
  'holding_seconds',
] as const;

type TradeMetrics = Pick<
  Analytics,
  | 'profit_factor'
  | 'expectancy'
  | 'expectancy_ratio'
  | 'gross_profit'
  | 'gross_loss'
  | 'partial_pnl'
  | 'average_win'
  | 'average_loss'
  | 'average_holding_seconds'
>;

const ZERO = new BigDecimal(0);

/** Totals of any group of trades in one currency. */
export class ResultTotals {
  readonly counts = Object.fromEntries(COUNTS.map((name) => [name, 0])) as Record<
    (typeof COUNTS)[number],
    number
  >;
  readonly amounts = Object.fromEntries(AMOUNTS.map((name) => [name, ZERO])) as Record<
    (typeof AMOUNTS)[number],
    BigDecimal
  >;

  add(sums: ResultSums): void {
    for (const name of COUNTS) this.counts[name] += sums[name];
    for (const name of AMOUNTS) this.amounts[name] = this.amounts[name].plus(sums[name]);
  }

  /** The number of created trades, in any state. */
  get tradeCount(): number {
    const { pending_count, partially_filled_count, filled_count, cancelled_count, failed_count } =
      this.counts;
    return pending_count + partially_filled_count + filled_count + cancelled_count + failed_count;
  }

  get isEmpty(): boolean {
    const { fill_count, part_count } = this.counts;
    return this.tradeCount + fill_count + part_count === 0 && this.amounts.funding.isZero();
  }

  summary() {
    const { closed_count, winning_count, losing_count } = this.counts;
    return {
      trade_count: this.tradeCount,
      closed_count,
      winning_count,
      losing_count,
      win_rate: formatQuotient(new BigDecimal(winning_count), new BigDecimal(closed_count)),
      net_pnl: formatAmount(this.amounts.net_pnl),
      fees: formatAmount(this.amounts.fees),
      volume: formatAmount(this.amounts.volume),
    };
  }

  metrics(): TradeMetrics {
    const { gross_profit: profit, gross_loss: loss, net_pnl, funding, holding_seconds } = this.amounts;
    const closed = new BigDecimal(this.counts.closed_count);
    const averageLoss = quotient(loss, new BigDecimal(this.counts.losing_count));
    const expectancy = quotient(profit.minus(loss), closed);
    return {
      profit_factor: formatQuotient(profit, loss),
      expectancy: mapNullable(expectancy, formatAmount),
      expectancy_ratio: expectancy && averageLoss && formatQuotient(expectancy, averageLoss),
      gross_profit: formatAmount(profit),
      gross_loss: formatAmount(loss),
      // The realised result of trades that are not closed yet.
      partial_pnl: formatAmount(net_pnl.minus(funding).minus(profit).plus(loss)),
      average_win: mapNullable(quotient(profit, new BigDecimal(this.counts.winning_count)), formatAmount),
      average_loss: mapNullable(averageLoss, formatAmount),
      average_holding_seconds: mapNullable(quotient(holding_seconds, closed), formatSeconds),
    };
  }
}

/** The runs of consecutive losses among the closed trades of a time range, in the order of closing. */
export interface LossRuns {
  readonly closed_count: number;
  /** The number of consecutive losses at the start of the range. */
  readonly first_losses: number;
  /** The number of consecutive losses at the end of the range. */
  readonly last_losses: number;
  /** The number of losses in the longest run. */
  readonly longest: number;
}

/** Returns the longest run of losses over consecutive time ranges. */
export function longestRun(ranges: Iterable<LossRuns>): number {
  let running = 0;
  let longest = 0;
  for (const range of ranges) {
    longest = Math.max(longest, running + range.first_losses, range.longest);
    running = range.first_losses === range.closed_count ? running + range.closed_count : range.last_losses;
  }
  return longest;
}
