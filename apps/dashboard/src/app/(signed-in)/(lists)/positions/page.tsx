import type { Metadata } from 'next';
import { Positions } from '../../../../features/positions/positions';

export const metadata: Metadata = { title: 'Positions' };

export default function PositionsPage() {
  return <Positions />;
}
