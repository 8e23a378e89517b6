/** The side of an order or a lot, in words. An arrow would be read as the direction of the price. */
export function Side({ side, isLot = false }: { readonly side: string; readonly isLot?: boolean }) {
  const isBuy = side === 'BUY';
  if (isLot) return <span>{isBuy ? 'Long' : 'Short'}</span>;
  return <span className={isBuy ? 'text-gain' : 'text-loss'}>{isBuy ? 'Buy' : 'Sell'}</span>;
}
