import type { Decimal } from '@trading-automation/contracts';
import { BigDecimal } from '../../values/index.js';

interface LossState {
  day: string;
  /** The result at the start of the day. */
  atDayStart: BigDecimal;
  current: BigDecimal;
  peak: BigDecimal;
}

/**
 * Tracks the loss marks of each quote currency: the results at 00:00 UTC and at the peak, from which losses
 * are measured.
 */
export class LossTracker {
  private readonly marks = new Map<string, LossState>();

  /** Records the result at an instant. Calls must be in order of time. */
  record(quote: string, at: Date, result: BigDecimal): void {
    const day = at.toISOString().slice(0, 10);
    const mark = this.markOf(quote, day);
    if (mark.day !== day) Object.assign(mark, { day, atDayStart: mark.current });
    mark.current = result;
    if (result.gt(mark.peak)) mark.peak = result;
  }

  dayLossOf(quote: string): Decimal {
    const mark = this.marks.get(quote);
    return mark === undefined ? '0' : BigDecimal.max(0, mark.atDayStart.minus(mark.current)).toString();
  }

  drawdownQuoteOf(quote: string): Decimal {
    const mark = this.marks.get(quote);
    return mark === undefined ? '0' : mark.peak.minus(mark.current).toString();
  }

  private markOf(quote: string, day: string): LossState {
    const known = this.marks.get(quote);
    if (known !== undefined) return known;
    const mark = { day, atDayStart: new BigDecimal(0), current: new BigDecimal(0), peak: new BigDecimal(0) };
    this.marks.set(quote, mark);
    return mark;
  }
}
