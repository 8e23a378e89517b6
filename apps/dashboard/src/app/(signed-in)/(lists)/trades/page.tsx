import type { Metadata } from 'next';
import { Trades } from '../../../../features/trades/trades';

export const metadata: Metadata = { title: 'Trades' };

export default function TradesPage() {
  return <Trades />;
}
