import type { Metadata } from 'next';
import { MarketWithTicket } from './market-with-ticket';

export const metadata: Metadata = { title: 'Market' };

export default async function MarketPage({ params }: { readonly params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <MarketWithTicket pairId={id} />;
}
