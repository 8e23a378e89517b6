/** What a lot says about its price: the API values its open part at the last price, and sends the result. */
import { Exact, isZero } from '../../format/decimals';

export interface PricedLot {
  readonly side: string;
  readonly remaining_amount: string;
  readonly remaining_cost: string;
  readonly unrealized_pnl: string | null;
}

/** More digits than any price of an exchange has. */
const PRICE_DECIMALS = 12;
const RATIO_DECIMALS = 8;

/** Returns the last price with which the open result is computed; null for a lot without one. */
export function lastPriceOf({
  side,
  remaining_amount,
  remaining_cost,
  unrealized_pnl,
}: PricedLot): string | null {
  const amount = new Exact(remaining_amount);
  if (unrealized_pnl === null || isZero(amount)) return null;
  const value = new Exact(remaining_cost).plus(new Exact(unrealized_pnl).times(side === 'BUY' ? 1 : -1));
  return value.div(amount).round(PRICE_DECIMALS).toFixed();
}

/** Returns the open result as a share of the cost of the open part; null without a price or a cost. */
export function openRatioOf({
  remaining_cost,
  unrealized_pnl,
}: Pick<PricedLot, 'remaining_cost' | 'unrealized_pnl'>): string | null {
  const cost = new Exact(remaining_cost);
  if (unrealized_pnl === null || isZero(cost)) return null;
  return new Exact(unrealized_pnl).div(cost).round(RATIO_DECIMALS).toFixed();
}
