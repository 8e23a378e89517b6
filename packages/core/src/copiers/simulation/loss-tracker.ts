import type { Decimal } from '@trading-automation/contracts';
import { BigDecimal } from '../../values/index.js';

interface LossState {
  day: string;
  /** The result at 00:00 UTC of `day`. */
  atDayStart: BigDecimal;
  /** The last recorded result. */
  current: BigDecimal;
  /** The highest result so far; at least 0. */
  peak: BigDecimal;
}

/**
 * Measures a copier's losses in each quote currency: since 00:00 UTC, and since the peak. A result is the total profit
 * of the copier so far, including that of its open lots.
 */
export class LossTracker {
  private readonly states = new Map<string, LossState>();

  /** Records the result at an instant. Calls must be in order of time. */
  record(quoteCurrency: string, at: Date, result: BigDecimal): void {
    const day = at.toISOString().slice(0, 10);
    const state = this.stateOf(quoteCurrency, day);
    if (state.day !== day) Object.assign(state, { day, atDayStart: state.current });
    state.current = result;
    if (result.gt(state.peak)) state.peak = result;
  }

  dayLossOf(quoteCurrency: string): Decimal {
    const state = this.states.get(quoteCurrency);
    return state === undefined ? '0' : BigDecimal.max(0, state.atDayStart.minus(state.current)).toString();
  }

  drawdownOf(quoteCurrency: string): Decimal {
    const state = this.states.get(quoteCurrency);
    return state === undefined ? '0' : state.peak.minus(state.current).toString();
  }

  private stateOf(quoteCurrency: string, day: string): LossState {
    const known = this.states.get(quoteCurrency);
    if (known !== undefined) return known;
    const state = { day, atDayStart: new BigDecimal(0), current: new BigDecimal(0), peak: new BigDecimal(0) };
    this.states.set(quoteCurrency, state);
    return state;
  }
}
