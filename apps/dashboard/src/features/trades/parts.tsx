import Decimal from 'decimal.js';
import { ArrowDownLeft, ArrowUpRight } from 'lucide-react';

/** The side of an order, in words, with an arrow. */
export function Side({ side }: { readonly side: string }) {
  const isBuy = side === 'BUY';
  const Arrow = isBuy ? ArrowDownLeft : ArrowUpRight;
  return (
    <span className={`inline-flex items-center gap-1 align-middle ${isBuy ? 'text-gain' : 'text-loss'}`}>
      <Arrow aria-hidden className="size-3.5" />
      {isBuy ? 'Buy' : 'Sell'}
    </span>
  );
}

export const quoteOf = (symbol: string) => symbol.split('/')[1]?.split(':')[0];

/** The filled share of an order, as whole percent; 100 only if nothing remains. */
export function filledShare({
  filled_amount,
  amount,
}: {
  readonly filled_amount: string;
  readonly amount: string;
}): string {
  const share = new Decimal(filled_amount).div(amount).times(100);
  return `${share.floor().toFixed()}\u2009%`;
}
