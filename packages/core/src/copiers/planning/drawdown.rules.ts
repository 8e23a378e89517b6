import type { Decimal } from '@trading-automation/contracts';
import { BigDecimal } from '../../values/index.js';

/**
 * Fall from the highest result, in percent of what the copier was worth then.
 *
 * @param drawdownQuote - how far the result lies below its highest, not negative
 * @param equity - what there is now, after the fall
 */
export function drawdownPercentOf(drawdownQuote: Decimal, equity: Decimal): Decimal {
  const peak = new BigDecimal(equity).plus(drawdownQuote);
  if (peak.lte(0)) return new BigDecimal(drawdownQuote).gt(0) ? '100' : '0';
  return new BigDecimal(drawdownQuote)
    .times(100)
    .div(peak)
    .toDecimalPlaces(18, BigDecimal.ROUND_DOWN)
    .toString();
}
