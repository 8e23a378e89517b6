/**
 * Formats metrics. Amounts are rounded to 18 decimals, ratios to 8 and seconds to 3, half to even. A quotient by 0 is
 * null, never 0 or Infinity.
 */
import type { Decimal } from '@trading-automation/contracts';
import { BigDecimal } from '../values/index.js';

const AMOUNT_DECIMALS = 18;
const RATIO_DECIMALS = 8;
const SECOND_DECIMALS = 3;

export const sumOf = (values: Iterable<BigDecimal>) => {
  let sum = new BigDecimal(0);
  for (const value of values) sum = sum.plus(value);
  return sum;
};
export const quotient = (value: BigDecimal, by: BigDecimal) => (by.isZero() ? null : value.div(by));
export const mapNullable = (value: BigDecimal | null, format: (value: BigDecimal) => Decimal) =>
  value && format(value);

export const formatAmount = (value: BigDecimal) => formatRounded(value, AMOUNT_DECIMALS);
export const formatSeconds = (value: BigDecimal) => formatRounded(value, SECOND_DECIMALS);
export const formatRatio = (value: BigDecimal) => formatRounded(value, RATIO_DECIMALS);
export const formatQuotient = (value: BigDecimal, by: BigDecimal) =>
  mapNullable(quotient(value, by), formatRatio);

function formatRounded(value: BigDecimal, decimals: number): Decimal {
  const decimal = value.toDecimalPlaces(decimals, BigDecimal.ROUND_HALF_EVEN).toString();
  return decimal === '-0' ? '0' : decimal;
}
