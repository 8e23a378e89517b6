import type { Decimal } from '@trading-automation/contracts';
import { BigDecimal } from '../../values/index.js';

/** The best prices of an order book; null for a side without orders. */
export interface BestPrices {
  readonly bid: Decimal | null;
  readonly ask: Decimal | null;
}

/** Returns the middle between the best prices; null if one side has no orders. */
export function bookMidOf({ bid, ask }: BestPrices): Decimal | null {
  if (bid === null || ask === null) return null;
  const mid = new BigDecimal(bid).plus(ask).div(2);
  return mid.gt(0) ? mid.toString() : null;
}
