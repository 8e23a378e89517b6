import type { Metadata } from 'next';
import { ConnectExchange } from '../../../../../features/exchanges/connect-exchange';

export const metadata: Metadata = { title: 'Connect exchange' };

export default function ConnectExchangePage() {
  return <ConnectExchange />;
}
