'use client';
import { Market } from '../../../../../features/markets/market';
import { TicketSkeleton } from '../../../../../features/order-ticket/ticket-skeleton';
import { onDemand } from '../../../../../ui/on-demand';

const OrderTicket = onDemand(
  () => import('../../../../../features/order-ticket/order-ticket').then((module) => module.OrderTicket),
  <TicketSkeleton />,
);

/** Two features meet on this page: the market, and the order ticket beside it. */
export function MarketWithTicket({ pairId }: { readonly pairId: string }) {
  return <Market pairId={pairId} ticket={(pair) => <OrderTicket key={pair.id} pair={pair} />} />;
}
