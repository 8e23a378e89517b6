import type { Metadata } from 'next';
import { Exchanges } from '../../../../features/exchanges/exchanges';

export const metadata: Metadata = { title: 'Exchanges' };

export default function ExchangesPage() {
  return <Exchanges />;
}
