/**
 * Computes performance from daily returns on equity. Pure. Conventions:
 *
 * 1. The return of a UTC day is its result, realised and open, ÷ the equity at the start of the day. On an account's
 *    first day it is the result ÷ the first known equity. A day without a result has the return 0.
 * 2. roi: Π(1 + r) − 1. Drawdown percent: the largest fall of the index Π(1 + r) from its peak, at least 1.
 * 3. Sharpe: mean ÷ standard deviation (n − 1) × √365. Sortino: mean ÷ √(Σ min(r, 0)² ÷ (n − 1)) × √365. n is the
 *    number of days; the risk-free rate is 0.
 * 4. Everything is null if the equity is unknown, or not positive, at the start of a day with a result.
 */
import type { Analytics, Decimal } from '@trading-automation/contracts';
import { BigDecimal } from '../values/index.js';
import { calmarOf } from './daily-results.rules.js';
import type { EquityHistory } from './equity-history.rules.js';
import { formatAmount, formatQuotient, formatRatio, mapNullable, sumOf } from './format-metrics.rules.js';
import type { TotalDay } from './open-results.rules.js';

const DAYS_PER_YEAR = 365;
const PERCENT = 100;
/** More digits than any metric shows. Without this bound, each day's multiplication would add digits. */
const GROWTH_DIGITS = 40;
const ONE = new BigDecimal(1);
const ZERO = new BigDecimal(0);

interface IndexPoint {
  /** The start of the day, in Unix milliseconds. */
  readonly startMs: number;
  /** The value of 1 at the end of the day. */
  readonly index: BigDecimal;
}

export interface ReturnMetrics {
  readonly roi: Decimal | null;
  readonly sharpe: Decimal | null;
  readonly sortino: Decimal | null;
  readonly maxDrawdown: Analytics['max_drawdown'];
  readonly calmar: Decimal | null;
  /** The index at the end of each day; null if an equity is unknown. */
  readonly index: readonly IndexPoint[] | null;
  readonly sampleDays: number;
}

/** @param days consecutive days, oldest first */
export function returnMetrics(days: readonly TotalDay[], equity: EquityHistory): ReturnMetrics {
  const returns = returnsOf(days, equity);
  const index = returns && indexOf(days, returns);
  const growth = index?.at(-1)?.index ?? null;
  const drawdownPercent = index && percentOf(index);
  return {
    roi: growth && formatRatio(growth.minus(ONE)),
    ...ratiosOf(returns ?? []),
    maxDrawdown: viewDrawdown(days, drawdownPercent),
    calmar:
      growth && drawdownPercent && days.length >= 2
        ? calmarOf(growth.minus(ONE), drawdownPercent, days.length)
        : null,
    index,
    sampleDays: days.length,
  };
}

function returnsOf(days: readonly TotalDay[], equity: EquityHistory): BigDecimal[] | null {
  const returns: BigDecimal[] = [];
  for (const { startMs, result } of days) {
    if (result.isZero()) {
      returns.push(ZERO);
      continue;
    }
    const base = equity.atStartOfDay(startMs);
    if (base === null || base.lte(0)) return null;
    returns.push(result.div(base).toSignificantDigits(GROWTH_DIGITS));
  }
  return returns;
}

function indexOf(days: readonly TotalDay[], returns: readonly BigDecimal[]): IndexPoint[] {
  let index = ONE;
  return days.map(({ startMs }, i) => {
    const change = returns[i]!;
    if (!change.isZero()) index = index.times(change.plus(ONE)).toSignificantDigits(GROWTH_DIGITS);
    return { startMs, index };
  });
}

/** Returns the largest fall of the index in percent; null if it never fell. */
function percentOf(points: readonly IndexPoint[]): BigDecimal | null {
  let peak = ONE;
  let largest = ZERO;
  for (const { index } of points) {
    if (index.gt(peak)) peak = index;
    else {
      const fall = peak.minus(index).div(peak);
      if (fall.gt(largest)) largest = fall;
    }
  }
  return largest.isZero() ? null : largest.times(PERCENT);
}

function ratiosOf(returns: readonly BigDecimal[]): { sharpe: Decimal | null; sortino: Decimal | null } {
  const n = returns.length;
  if (n < 2) return { sharpe: null, sortino: null };
  const mean = sumOf(returns).div(n);
  const squares = sumOf(
    returns.map((value) => {
      const deviation = value.minus(mean);
      return deviation.times(deviation);
    }),
  );
  const losses = sumOf(returns.filter((value) => value.isNegative()).map((value) => value.times(value)));
  const yearly = (sum: BigDecimal) =>
    formatQuotient(mean.times(new BigDecimal(DAYS_PER_YEAR).sqrt()), sum.div(n - 1).sqrt());
  return { sharpe: yearly(squares), sortino: yearly(losses) };
}

/** `amount` and the instants describe the largest fall of the cumulative result; the percent is of the index. */
function viewDrawdown(days: readonly TotalDay[], percent: BigDecimal | null): Analytics['max_drawdown'] {
  let total = ZERO;
  let [peak, peakMs]: [BigDecimal, number | null] = [ZERO, null];
  let largest = { amount: ZERO, peakMs: null as number | null, troughMs: null as number | null, peak: ZERO };
  const totals = days.map(({ startMs, result }) => {
    total = total.plus(result);
    if (total.gt(peak)) [peak, peakMs] = [total, startMs];
    else if (peak.minus(total).gt(largest.amount))
      largest = { amount: peak.minus(total), peakMs, troughMs: startMs, peak };
    return { startMs, total };
  });
  const { troughMs } = largest;
  const recovered =
    troughMs === null
      ? undefined
      : totals.find(({ startMs, total: value }) => startMs > troughMs && value.gte(largest.peak));
  const format = (ms: number | null | undefined) =>
    ms === null || ms === undefined ? null : new Date(ms).toISOString();
  return {
    amount: formatAmount(largest.amount),
    percent: mapNullable(percent, formatRatio),
    peak_at: format(largest.peakMs),
    trough_at: format(troughMs),
    recovered_at: format(recovered?.startMs),
  };
}
