import type { Decimal } from '@trading-automation/contracts';
import { Exact } from '../../values/index.js';

interface Mark {
  day: string;
  /** The result when the day began. */
  atDayStart: Exact;
  now: Exact;
  peak: Exact;
}

/** What losses are measured from, by quote currency: the result at 00:00 UTC, and the highest there was. */
export class LossMarks {
  private readonly marks = new Map<string, Mark>();

  /** The result as it is at an instant; these come in their order. */
  note(quote: string, at: Date, result: Exact): void {
    const day = at.toISOString().slice(0, 10);
    const mark = this.markOf(quote, day);
    if (mark.day !== day) Object.assign(mark, { day, atDayStart: mark.now });
    mark.now = result;
    if (result.gt(mark.peak)) mark.peak = result;
  }

  dayLossOf(quote: string): Decimal {
    const mark = this.marks.get(quote);
    return mark === undefined ? '0' : Exact.max(0, mark.atDayStart.minus(mark.now)).toString();
  }

  belowPeakOf(quote: string): Decimal {
    const mark = this.marks.get(quote);
    return mark === undefined ? '0' : mark.peak.minus(mark.now).toString();
  }

  private markOf(quote: string, day: string): Mark {
    const known = this.marks.get(quote);
    if (known !== undefined) return known;
    const mark = { day, atDayStart: new Exact(0), now: new Exact(0), peak: new Exact(0) };
    this.marks.set(quote, mark);
    return mark;
  }
}
