'use client';
import { Market } from '../../../../features/markets/market';
import { OrderTicket } from '../../../../features/order-ticket/order-ticket';

/** Two features meet on this page: the market, and the order ticket beside it. */
export function MarketWithTicket({ pairId }: { readonly pairId: string }) {
  return <Market pairId={pairId} ticket={(pair) => <OrderTicket pair={pair} />} />;
}
