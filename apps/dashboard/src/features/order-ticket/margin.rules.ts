/** What an order on a perpetual takes from the account: its margin, as the API reserves it. */
import { Exact, largestOf, smallestOf } from '../../format/decimals';
import type { Side } from './order.rules';

export interface HeldPosition {
  readonly side: string;
  readonly amount: string;
}

/** What the API assumes where the exchange publishes no fee. */
const UNKNOWN_TAKER_FEE = '0.002';

/** The part of an order that opens or enlarges a position. The rest closes the opposite one and needs no margin. */
export function openingAmountOf(
  {
    side,
    amount,
    isReduceOnly,
  }: { readonly side: Side; readonly amount: Exact; readonly isReduceOnly: boolean },
  position: HeldPosition | undefined,
): Exact {
  if (isReduceOnly) return new Exact(0);
  const closes = position?.side === (side === 'BUY' ? 'SHORT' : 'LONG');
  return closes ? amount.minus(smallestOf(amount, position.amount)) : amount;
}

export interface MarginTerms {
  readonly side: Side;
  /** The limit or stop price, or the last one. */
  readonly valuation: Exact;
  readonly last: string | null | undefined;
  readonly takerFee: string | undefined;
  /** Null if it is not known. The margin is then the whole value at most. */
  readonly leverage: string | null;
}

/** The initial margin of what an order opens, and its fee. A sale counts at the last price if its own is lower. */
export function marginOf(
  openingAmount: Exact,
  { side, valuation, last, takerFee, leverage }: MarginTerms,
): Exact {
  const price = side === 'SELL' ? largestOf(valuation, last ?? '0') : valuation;
  const notional = price.times(openingAmount);
  return notional.div(leverage ?? '1').plus(notional.times(takerFee ?? UNKNOWN_TAKER_FEE));
}
