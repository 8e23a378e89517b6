/**
 * Computes equity curve, drawdown and return metrics from daily realised results; `equity-returns.rules.ts` computes
 * those from realised and open results. Pure. Conventions:
 *
 * 1. Days are UTC days, from the first to the last day with a fill. Days without a closure count as 0.
 * 2. The curve is the cumulative realised result at the end of each day. It does not show movements within a day.
 * 3. Sharpe and Sortino: deviations divide by n − 1, where n is the number of all days; Sortino's sum contains only the
 *    losing days. A year has 365 days, and the risk-free rate is 0. Capital is assumed constant, so the ratios of
 *    returns equal the ratios of the results.
 * 4. Profit comes from fills only; equity is only its denominator. Therefore a deposit or a withdrawal is never a gain
 *    or a loss: it counts as capital from the next day on.
 * 5. roi: the return of a day is its result ÷ the equity at its start. On an account's first day it is the result ÷ the
 *    first known equity. A day without a result has the return 0. The daily returns are compounded: Π(1 + r) − 1. Null
 *    without a day, or if the equity is unknown or not positive at the start of a day with a result.
 */
import type { Analytics, AnalyticsInterval, Decimal } from '@trading-automation/contracts';
import { BigDecimal } from '../values/index.js';
import type { EquityHistory } from './equity-history.rules.js';
import {
  formatAmount,
  formatQuotient,
  formatRatio,
  mapNullable,
  quotient,
  sumOf,
} from './format-metrics.rules.js';

const DAY_MS = 86_400_000;
const DAYS_PER_WEEK = 7;
/** The epoch began on a Thursday, three days after a Monday. */
const EPOCH_WEEKDAY = 3;
const DAYS_PER_YEAR = 365;
export const LOW_SAMPLE_DAYS = 30;
const PERCENT = 100;

/** A day with at least one fill, closure or funding payment. */
export interface DayResult {
  /** The start of the day. */
  readonly startMs: number;
  readonly pnl: BigDecimal;
  /** Whether the day has a closure or funding, even if the results add up to 0. */
  readonly hasRealised: boolean;
}

type DayMetrics = Pick<
  Analytics,
  'sharpe' | 'sortino' | 'roi' | 'calmar' | 'max_drawdown' | 'sample_days' | 'low_sample' | 'equity_curve'
>;

/** @param days oldest first */
export function computeDayMetrics(
  days: readonly DayResult[],
  interval: AnalyticsInterval,
  equity: EquityHistory,
): DayMetrics {
  const first = days.at(0);
  const last = days.at(-1);
  const sampleDays = first && last ? (last.startMs - first.startMs) / DAY_MS + 1 : 0;
  const realised = days.filter(({ hasRealised }) => hasRealised);
  const curve = curveOf(realised);
  const fall = maxDrawdown(curve);
  const percent = fall && drawdownPercentOfEquity(fall, equity, first!.startMs);
  const roi = compoundedReturn(days, equity);
  return {
    ...ratiosOf(
      realised.map(({ pnl }) => pnl),
      sampleDays,
    ),
    roi: mapNullable(roi, formatRatio),
    calmar: roi && percent && sampleDays >= 2 ? calmarOf(roi, percent, sampleDays) : null,
    max_drawdown: viewDrawdown(fall, percent),
    sample_days: sampleDays,
    low_sample: sampleDays < LOW_SAMPLE_DAYS,
    equity_curve: periodsOf(curve, interval, equity),
  };
}

/** `results` contains only days with a closure. `days` is the number of all days; the others count as 0. */
function ratiosOf(
  results: readonly BigDecimal[],
  days: number,
): { sharpe: Decimal | null; sortino: Decimal | null } {
  if (days < 2) return { sharpe: null, sortino: null };
  const sumOfSquares = (values: readonly BigDecimal[]) => sumOf(values.map((value) => value.times(value)));
  const mean = sumOf(results).div(days);
  const deviations = results.map((result) => result.minus(mean));
  const squares = sumOfSquares(deviations).plus(mean.times(mean).times(days - results.length));
  const losses = sumOfSquares(results.filter((result) => result.isNegative()));
  const yearly = (deviation: BigDecimal) =>
    formatQuotient(mean.times(new BigDecimal(DAYS_PER_YEAR).sqrt()), deviation);
  return {
    sharpe: yearly(squares.div(days - 1).sqrt()),
    sortino: yearly(losses.div(days - 1).sqrt()),
  };
}

interface CurvePoint extends DayResult {
  readonly cumulativePnl: BigDecimal;
  /** How far the curve is below its highest point so far. */
  readonly drawdown: BigDecimal;
}

function curveOf(days: readonly DayResult[]): CurvePoint[] {
  let cumulativePnl = new BigDecimal(0);
  let peak = new BigDecimal(0);
  return days.map((day) => {
    cumulativePnl = cumulativePnl.plus(day.pnl);
    if (cumulativePnl.gt(peak)) peak = cumulativePnl;
    return { ...day, cumulativePnl, drawdown: peak.minus(cumulativePnl) };
  });
}

interface Drawdown {
  readonly amount: BigDecimal;
  /** The instants are the starts of days. The peak is null if the curve was never above 0 before the fall. */
  readonly peakMs: number | null;
  readonly troughMs: number;
  readonly recoveredMs: number | null;
}

function maxDrawdown(curve: readonly CurvePoint[]): Drawdown | null {
  let troughIndex = -1;
  for (const [index, { drawdown }] of curve.entries())
    if (drawdown.gt(curve[troughIndex]?.drawdown ?? 0)) troughIndex = index;
  const deepest = curve[troughIndex];
  if (deepest === undefined) return null;
  const peak = curve.slice(0, troughIndex).findLast(({ drawdown }) => drawdown.isZero());
  const peakPnl = deepest.cumulativePnl.plus(deepest.drawdown);
  const recovered = curve.slice(troughIndex).find(({ cumulativePnl }) => cumulativePnl.gte(peakPnl));
  return {
    amount: deepest.drawdown,
    // Without a peak, the fall began at the start of the curve.
    peakMs: peak?.startMs ?? null,
    troughMs: deepest.startMs,
    recoveredMs: recovered?.startMs ?? null,
  };
}

/**
 * Returns the drawdown in percent of the equity at the end of the peak's day. If the fall began at the start of the
 * curve, that is the equity at the start of the first day.
 */
function drawdownPercentOfEquity(
  { amount, peakMs }: Drawdown,
  equity: EquityHistory,
  firstDayMs: number,
): BigDecimal | null {
  const equityAtPeak =
    peakMs === null ? equity.atStartOfDay(firstDayMs) : equity.latestBefore(peakMs + DAY_MS);
  return equityAtPeak?.gt(0) ? amount.div(equityAtPeak).times(PERCENT) : null;
}

function viewDrawdown(fall: Drawdown | null, percent: BigDecimal | null): Analytics['max_drawdown'] {
  const formatOptional = (instant: number | null) =>
    instant === null ? null : new Date(instant).toISOString();
  return {
    amount: formatAmount(fall?.amount ?? new BigDecimal(0)),
    percent: mapNullable(percent, formatRatio),
    peak_at: formatOptional(fall?.peakMs ?? null),
    trough_at: formatOptional(fall?.troughMs ?? null),
    recovered_at: formatOptional(fall?.recoveredMs ?? null),
  };
}

function compoundedReturn(days: readonly DayResult[], equity: EquityHistory): BigDecimal | null {
  if (days.length === 0) return null;
  let growth = new BigDecimal(1);
  for (const { startMs, pnl } of days) {
    if (pnl.isZero()) continue;
    const base = equity.atStartOfDay(startMs);
    if (base === null || base.lte(0)) return null;
    growth = growth.times(pnl.div(base).plus(1)).toSignificantDigits(GROWTH_DIGITS);
  }
  return growth.minus(1);
}

/** More digits than any metric shows. Without this bound, each day's multiplication would add digits. */
const GROWTH_DIGITS = 60;

export function calmarOf(roi: BigDecimal, percent: BigDecimal, sampleDays: number): Decimal | null {
  const yearly = roi.times(DAYS_PER_YEAR).div(sampleDays);
  return mapNullable(quotient(yearly.times(PERCENT), percent), formatRatio);
}

function periodsOf(
  curve: readonly CurvePoint[],
  interval: AnalyticsInterval,
  equity: EquityHistory,
): Analytics['equity_curve'] {
  const periods = new Map<number, { pnl: BigDecimal; last: CurvePoint }>();
  for (const point of curve) {
    const start = periodStartMs(point.startMs, interval);
    const pnl = point.pnl.plus(periods.get(start)?.pnl ?? 0);
    periods.set(start, { pnl, last: point });
  }
  return [...periods].map(([start, { pnl, last }]) => ({
    at: new Date(start).toISOString(),
    equity: mapNullable(equity.latestBefore(periodEndMs(start, interval)), formatAmount),
    net_pnl: formatAmount(last.cumulativePnl),
    period_pnl: formatAmount(pnl),
    drawdown: formatAmount(last.drawdown),
  }));
}

/** Returns the start of the period that contains the instant, in UTC. Weeks start on Monday. */
export function periodStartMs(instantMs: number, interval: AnalyticsInterval): number {
  if (interval === 'month') {
    const at = new Date(instantMs);
    return Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1);
  }
  const day = Math.floor(instantMs / DAY_MS);
  if (interval === 'day') return day * DAY_MS;
  const weekday = (((day + EPOCH_WEEKDAY) % DAYS_PER_WEEK) + DAYS_PER_WEEK) % DAYS_PER_WEEK;
  return (day - weekday) * DAY_MS;
}

/** Returns the end, exclusive, of the period that starts at `startMs`. */
function periodEndMs(startMs: number, interval: AnalyticsInterval): number {
  if (interval === 'day') return startMs + DAY_MS;
  if (interval === 'week') return startMs + DAYS_PER_WEEK * DAY_MS;
  const start = new Date(startMs);
  return Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1);
}
