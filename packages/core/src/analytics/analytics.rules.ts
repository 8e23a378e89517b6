/**
 * What closings come to. Pure, and a stream: a tally takes what was filled and closed, in the order of execution, and
 * holds no more than sums, days and periods.
 *
 * Conventions
 * 1. Values come in whole units of a currency's smallest part and are added as such: sums are exact. Rounding, half to
 *    even, happens once, where a figure is written: amounts to 18 decimals, ratios to 8.
 * 2. Rates, averages and gross amounts are of closed trades, after fees. A trade is won or lost by its net result.
 * 3. Realised results are of parts, at the instant of the closing fill.
 * 4. A ratio that is not defined is null, never 0 and never Infinity.
 * 5. Daily results are by UTC days, from the first fill to the last one; days without a closing are 0. Deviations
 *    divide by n − 1, a year has 365 days, nothing is earned without risk. The capital is taken as constant: the
 *    ratios of returns are then those of the results themselves.
 */
import type { Analytics, AnalyticsInterval, Decimal } from '@trading-automation/contracts';
import { Exact } from '../decimal-arithmetic.js';

const DAY_MS = 86_400_000;
const DAYS_PER_WEEK = 7;
/** The first day of the epoch was a Thursday, three days after a Monday. */
const EPOCH_WEEKDAY = 3;
const DAYS_PER_YEAR = 365;
const LOW_SAMPLE_DAYS = 30;
const AMOUNT_DECIMALS = 18;
const RATIO_DECIMALS = 8;

/** A trade that is closed, its result in units. */
export interface ClosedResult {
  readonly tradeId: string;
  readonly openedAt: Date;
  readonly closedAt: Date;
  readonly pnl: bigint;
}

/** Counts and sums of any group of trades in one currency. */
export class GroupTally {
  tradeCount = 0;
  fillCount = 0;
  closedCount = 0;
  winningCount = 0;
  losingCount = 0;
  netPnl = 0n;
  fees = 0n;
  volume = 0n;
  hasRealised = false;

  /** @param scale decimals of a unit */
  constructor(readonly scale: number) {}

  /** Trades created in the range, in any state. */
  addTrades(count: number): void {
    this.tradeCount += count;
  }

  /** `fee` is null where it was paid in a currency without a known rate. */
  addFill(_at: Date, volume: bigint, fee: bigint | null): void {
    this.fillCount += 1;
    this.volume += volume;
    this.fees += fee ?? 0n;
  }

  addRealised(_at: Date, pnl: bigint): void {
    this.netPnl += pnl;
    this.hasRealised = true;
  }

  addClosed({ pnl }: ClosedResult): void {
    this.closedCount += 1;
    if (pnl > 0n) this.winningCount += 1;
    else if (pnl < 0n) this.losingCount += 1;
  }

  summary() {
    return {
      trade_count: this.tradeCount,
      closed_count: this.closedCount,
      winning_count: this.winningCount,
      losing_count: this.losingCount,
      win_rate: ratio(new Exact(this.winningCount), new Exact(this.closedCount)),
      net_pnl: this.amount(this.netPnl),
      fees: this.amount(this.fees),
      volume: this.amount(this.volume),
    };
  }

  protected exact(units: bigint): Exact {
    return new Exact(units.toString()).div(new Exact(10).pow(this.scale));
  }

  protected amount(units: bigint): Decimal {
    return amountText(this.exact(units));
  }
}

type Figures = Pick<
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
  | 'max_consecutive_losses'
  | 'max_drawdown'
  | 'sharpe'
  | 'sortino'
  | 'sample_days'
  | 'low_sample'
  | 'equity_curve'
> & { readonly best: Best | null; readonly worst: Best | null };

interface Best {
  readonly tradeId: string;
  readonly netPnl: Decimal;
}

/** Everything that a selection of trades comes to in one currency. */
export class PerformanceTally extends GroupTally {
  private grossProfit = 0n;
  private grossLoss = 0n;
  private holdingMs = 0;
  private lossesInARow = 0;
  private lossesInARowMax = 0;
  private best: ClosedResult | null = null;
  private worst: ClosedResult | null = null;
  private firstDay: number | null = null;
  private lastDay = 0;
  private readonly resultByDay = new Map<number, bigint>();
  private readonly curve: Curve;

  constructor(scale: number, interval: AnalyticsInterval) {
    super(scale);
    this.curve = new Curve(interval);
  }

  override addFill(at: Date, volume: bigint, fee: bigint | null): void {
    super.addFill(at, volume, fee);
    this.lastDay = dayOf(at);
    this.firstDay ??= this.lastDay;
  }

  override addRealised(at: Date, pnl: bigint): void {
    super.addRealised(at, pnl);
    const day = dayOf(at);
    this.firstDay ??= day;
    this.lastDay = day;
    this.resultByDay.set(day, (this.resultByDay.get(day) ?? 0n) + pnl);
    this.curve.add(at, pnl);
  }

  override addClosed(closed: ClosedResult): void {
    super.addClosed(closed);
    const { pnl, openedAt, closedAt } = closed;
    if (pnl > 0n) this.grossProfit += pnl;
    else this.grossLoss -= pnl;
    this.lossesInARow = pnl < 0n ? this.lossesInARow + 1 : 0;
    this.lossesInARowMax = Math.max(this.lossesInARowMax, this.lossesInARow);
    this.holdingMs += closedAt.getTime() - openedAt.getTime();
    if (this.best === null || pnl > this.best.pnl) this.best = closed;
    if (this.worst === null || pnl < this.worst.pnl) this.worst = closed;
  }

  figures(): Figures {
    const profit = this.exact(this.grossProfit);
    const loss = this.exact(this.grossLoss);
    const closed = new Exact(this.closedCount);
    const averageLoss = quotient(loss, new Exact(this.losingCount));
    const expectancy = quotient(profit.minus(loss), closed);
    return {
      profit_factor: ratio(profit, loss),
      expectancy: orNull(expectancy, amountText),
      expectancy_ratio: expectancy && averageLoss && ratio(expectancy, averageLoss),
      gross_profit: amountText(profit),
      gross_loss: amountText(loss),
      partial_pnl: amountText(this.exact(this.netPnl).minus(profit).plus(loss)),
      average_win: orNull(quotient(profit, new Exact(this.winningCount)), amountText),
      average_loss: orNull(averageLoss, amountText),
      average_holding_seconds: orNull(quotient(new Exact(this.holdingMs).div(1_000), closed), secondsText),
      max_consecutive_losses: this.lossesInARowMax,
      best: this.bestOf(this.best),
      worst: this.bestOf(this.worst),
      ...this.ratiosOfDays(),
      ...this.curve.read((units) => this.amount(units)),
    };
  }

  private bestOf(result: ClosedResult | null): Best | null {
    return result && { tradeId: result.tradeId, netPnl: this.amount(result.pnl) };
  }

  private ratiosOfDays() {
    const days = this.firstDay === null ? 0 : this.lastDay - this.firstDay + 1;
    const results = [...this.resultByDay.values()].map((units) => this.exact(units));
    return {
      ...ratiosOf(results, days),
      sample_days: days,
      low_sample: days < LOW_SAMPLE_DAYS,
    };
  }
}

/** `results` are those of the days that had any; the others of the `days` are 0. */
function ratiosOf(results: readonly Exact[], days: number): Pick<Figures, 'sharpe' | 'sortino'> {
  if (days < 2) return { sharpe: null, sortino: null };
  const sumOfSquares = (values: readonly Exact[]) => sum(values.map((value) => value.times(value)));
  const mean = sum(results).div(days);
  const deviations = results.map((result) => result.minus(mean));
  const squares = sumOfSquares(deviations).plus(mean.times(mean).times(days - results.length));
  const losses = sumOfSquares(results.filter((result) => result.isNegative()));
  const yearly = (deviation: Exact) => ratio(mean.times(new Exact(DAYS_PER_YEAR).sqrt()), deviation);
  return {
    sharpe: yearly(squares.div(days - 1).sqrt()),
    sortino: yearly(losses.div(days - 1).sqrt()),
  };
}

interface CurvePoint {
  readonly startMs: number;
  cumulated: bigint;
  pnl: bigint;
  drawdown: bigint;
}

interface Fall {
  readonly amount: bigint;
  readonly peak: bigint;
  readonly peakAt: Date | null;
  readonly troughAt: Date;
  recoveredAt: Date | null;
}

/** The cumulated result over time, and how far it fell. */
class Curve {
  private readonly points: CurvePoint[] = [];
  private cumulated = 0n;
  private peak = 0n;
  private peakAt: Date | null = null;
  private deepest: Fall | null = null;

  constructor(private readonly interval: AnalyticsInterval) {}

  add(at: Date, pnl: bigint): void {
    this.cumulated += pnl;
    if (this.deepest !== null && this.cumulated >= this.deepest.peak) this.deepest.recoveredAt ??= at;
    if (this.cumulated >= this.peak) {
      this.peak = this.cumulated;
      this.peakAt = at;
    }
    const drawdown = this.peak - this.cumulated;
    if (drawdown > (this.deepest?.amount ?? 0n)) {
      const { peak, peakAt } = this;
      this.deepest = { amount: drawdown, peak, peakAt, troughAt: at, recoveredAt: null };
    }
    const point = this.pointOf(at);
    point.pnl += pnl;
    point.cumulated = this.cumulated;
    point.drawdown = drawdown;
  }

  read(amount: (units: bigint) => Decimal): Pick<Figures, 'max_drawdown' | 'equity_curve'> {
    const { deepest } = this;
    return {
      max_drawdown: {
        amount: amount(deepest?.amount ?? 0n),
        percent: null,
        peak_at: deepest?.peakAt?.toISOString() ?? null,
        trough_at: deepest?.troughAt.toISOString() ?? null,
        recovered_at: deepest?.recoveredAt?.toISOString() ?? null,
      },
      equity_curve: this.points.map(({ startMs, cumulated, pnl, drawdown }) => ({
        at: new Date(startMs).toISOString(),
        equity: null,
        net_pnl: amount(cumulated),
        period_pnl: amount(pnl),
        drawdown: amount(drawdown),
      })),
    };
  }

  private pointOf(at: Date): CurvePoint {
    const startMs = periodStartMs(at, this.interval);
    const last = this.points.at(-1);
    if (last?.startMs === startMs) return last;
    const point = { startMs, cumulated: 0n, pnl: 0n, drawdown: 0n };
    this.points.push(point);
    return point;
  }
}

/** Where the period of an instant begins, in UTC; a week begins on Monday. */
export function periodStartMs(at: Date, interval: AnalyticsInterval): number {
  if (interval === 'month') return Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1);
  const day = dayOf(at);
  if (interval === 'day') return day * DAY_MS;
  const weekday = (((day + EPOCH_WEEKDAY) % DAYS_PER_WEEK) + DAYS_PER_WEEK) % DAYS_PER_WEEK;
  return (day - weekday) * DAY_MS;
}

const dayOf = (at: Date) => Math.floor(at.getTime() / DAY_MS);

const sum = (values: readonly Exact[]) => values.reduce((total, value) => total.plus(value), new Exact(0));
const quotient = (value: Exact, by: Exact) => (by.isZero() ? null : value.div(by));
const orNull = (value: Exact | null, write: (value: Exact) => Decimal) => value && write(value);

const amountText = (value: Exact) => rounded(value, AMOUNT_DECIMALS);
const secondsText = (value: Exact) => rounded(value, 3);

function ratio(value: Exact, by: Exact): Decimal | null {
  return orNull(quotient(value, by), (exact) => rounded(exact, RATIO_DECIMALS));
}

function rounded(value: Exact, decimals: number): Decimal {
  const text = value.toDecimalPlaces(decimals, Exact.ROUND_HALF_EVEN).toString();
  return text === '-0' ? '0' : text;
}
