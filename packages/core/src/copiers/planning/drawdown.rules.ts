import type { Decimal } from '@trading-automation/contracts';
import { Exact } from '../../values/index.js';

/**
 * Fall from the highest result, in percent of what the copier was worth then.
 *
 * @param belowPeakQuote - how far the result lies below its highest, not negative
 * @param worth - what there is now, after the fall
 */
export function fallPercent(belowPeakQuote: Decimal, worth: Decimal): Decimal {
  const peak = new Exact(worth).plus(belowPeakQuote);
  if (peak.lte(0)) return new Exact(belowPeakQuote).gt(0) ? '100' : '0';
  return new Exact(belowPeakQuote).times(100).div(peak).toDecimalPlaces(18, Exact.ROUND_DOWN).toString();
}
