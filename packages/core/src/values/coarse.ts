import type { Decimal } from '@trading-automation/contracts';
import { BigDecimal } from './decimal-arithmetic.js';

/** The number of significant digits of values that would reveal an amount of another user's account if they were exact. */
const COARSE_DIGITS = 2;

/** Rounds to two significant digits, half to even. */
export function coarse(value: Decimal): Decimal {
  return new BigDecimal(value).toSignificantDigits(COARSE_DIGITS, BigDecimal.ROUND_HALF_EVEN).toString();
}

/** Rounds a fraction to two significant digits towards zero, so that only a complete exit shows 1. */
export function coarseFraction(value: Decimal): Decimal {
  return new BigDecimal(value).toSignificantDigits(COARSE_DIGITS, BigDecimal.ROUND_DOWN).toString();
}
