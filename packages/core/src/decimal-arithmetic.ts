import { Decimal } from 'decimal.js';

/**
 * Arithmetic on money: exact for every sum and product of two stored decimals (38 digits each), plain notation
 * always. Division alone can need rounding; whoever divides says how.
 */
export const Exact = Decimal.clone({
  precision: 100,
  rounding: Decimal.ROUND_DOWN,
  toExpNeg: -9e15,
  toExpPos: 9e15,
});
export type Exact = Decimal;
