/**
 * Figures as they are written: rounded half to even, amounts to 18 decimals, ratios to 8. What is not defined is
 * null, never 0 and never Infinity.
 */
import type { Decimal } from '@trading-automation/contracts';
import { Exact } from '../values/index.js';

const AMOUNT_DECIMALS = 18;
const RATIO_DECIMALS = 8;
const SECOND_DECIMALS = 3;

export const sumOf = (values: Iterable<Exact>) => {
  let sum = new Exact(0);
  for (const value of values) sum = sum.plus(value);
  return sum;
};
export const quotient = (value: Exact, by: Exact) => (by.isZero() ? null : value.div(by));
export const orNull = (value: Exact | null, write: (value: Exact) => Decimal) => value && write(value);

export const amountText = (value: Exact) => rounded(value, AMOUNT_DECIMALS);
export const secondsText = (value: Exact) => rounded(value, SECOND_DECIMALS);
export const exactRatioText = (value: Exact) => rounded(value, RATIO_DECIMALS);
export const ratioText = (value: Exact, by: Exact) => orNull(quotient(value, by), exactRatioText);

function rounded(value: Exact, decimals: number): Decimal {
  const text = value.toDecimalPlaces(decimals, Exact.ROUND_HALF_EVEN).toString();
  return text === '-0' ? '0' : text;
}
