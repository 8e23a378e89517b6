import type { Decimal } from '@trading-automation/contracts';
import { BigDecimal } from '../../values/index.js';

/**
 * Returns the fall from the peak result, in percent of the equity at that peak.
 *
 * @param drawdownQuote - the peak result less the current result; not negative
 * @param equity - the current equity, after the fall
 */
export function drawdownPercentOf(drawdownQuote: Decimal, equity: Decimal): Decimal {
  const peakEquity = new BigDecimal(equity).plus(drawdownQuote);
  if (peakEquity.lte(0)) return new BigDecimal(drawdownQuote).gt(0) ? '100' : '0';
  return new BigDecimal(drawdownQuote)
    .times(100)
    .div(peakEquity)
    .toDecimalPlaces(18, BigDecimal.ROUND_DOWN)
    .toString();
}
