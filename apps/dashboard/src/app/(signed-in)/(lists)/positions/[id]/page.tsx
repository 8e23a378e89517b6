import type { Metadata } from 'next';
import { LotDrawer } from '../../../../../features/positions/lot-drawer';
import { Positions } from '../../../../../features/positions/positions';

export const metadata: Metadata = { title: 'Position' };

export default async function PositionPage({ params }: { readonly params: Promise<{ id: string }> }) {
  const { id } = await params;
  return (
    <Positions>
      <LotDrawer id={id} />
    </Positions>
  );
}
