import type { Metadata } from 'next';
import { Late } from '../../../../../data/late';
import { LotDrawer } from '../../../../../features/positions/lot-drawer';
import { Positions } from '../../../../../features/positions/positions';

export const metadata: Metadata = { title: 'Position' };

export default async function PositionPage({ params }: { readonly params: Promise<{ id: string }> }) {
  const { id } = await params;
  return (
    <>
      <Late>
        <Positions />
      </Late>
      <LotDrawer id={id} />
    </>
  );
}
