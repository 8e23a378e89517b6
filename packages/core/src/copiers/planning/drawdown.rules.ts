import type { Decimal } from '@trading-automation/contracts';
import { BigDecimal } from '../../values/index.js';

/** What a drawdown is measured with; amounts in one quote currency. */
export interface DrawdownInput {
  /** The peak result less the current result; not negative. */
  readonly drawdownQuote: Decimal;
  /** The current equity of the account, after the fall; null if it is not known. */
  readonly equity: Decimal | null;
  /** The capital that the user set for the copier. */
  readonly capital: Decimal | null;
}

/**
 * Returns the fall from the peak result, in percent of the equity at that peak or of the capital, whichever is less: a
 * capital that is greater than the equity must not put a limit beyond all that the account holds. A deposit or a
 * withdrawal changes the equity, but never the fall. Null if neither is known.
 */
export function drawdownPercentOf({ drawdownQuote, equity, capital }: DrawdownInput): Decimal | null {
  const peakEquity = equity === null ? null : new BigDecimal(equity).plus(drawdownQuote);
  const bases = [peakEquity, capital].filter((base) => base !== null);
  if (bases.length === 0) return null;
  const base = BigDecimal.min(...bases);
  if (base.lte(0)) return new BigDecimal(drawdownQuote).gt(0) ? '100' : '0';
  return new BigDecimal(drawdownQuote)
    .times(100)
    .div(base)
    .toDecimalPlaces(18, BigDecimal.ROUND_DOWN)
    .toString();
}
