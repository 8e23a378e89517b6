import { ArrowDownLeft, ArrowUpRight } from 'lucide-react';

/** The side of an order or a lot, in words, with an arrow. */
export function Side({ side, isLot = false }: { readonly side: string; readonly isLot?: boolean }) {
  const isBuy = side === 'BUY';
  const Arrow = isBuy ? ArrowDownLeft : ArrowUpRight;
  const words = isLot ? ['Long', 'Short'] : ['Buy', 'Sell'];
  return (
    <span
      className={`inline-flex items-center gap-1 align-middle ${isLot ? '' : isBuy ? 'text-gain' : 'text-loss'}`}
    >
      <Arrow aria-hidden className="size-3.5" />
      {isBuy ? words[0] : words[1]}
    </span>
  );
}
