import type { Metadata } from 'next';
import { Late } from '../../../../../data/late';
import { TradeDrawer } from '../../../../../features/trades/trade-drawer';
import { Trades } from '../../../../../features/trades/trades';

export const metadata: Metadata = { title: 'Trade' };

export default async function TradePage({ params }: { readonly params: Promise<{ id: string }> }) {
  const { id } = await params;
  return (
    <>
      <Late>
        <Trades />
      </Late>
      <TradeDrawer id={id} />
    </>
  );
}
