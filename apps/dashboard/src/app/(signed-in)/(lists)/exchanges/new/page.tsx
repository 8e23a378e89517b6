import type { Metadata } from 'next';
import { ConnectExchange } from '../../../../../features/exchanges/connect-exchange';
import { dashboardRuntime } from '../../../../../process/runtime';

export const metadata: Metadata = { title: 'Connect exchange' };

// The address is known when the process runs, not when the pages are built.
export const dynamic = 'force-dynamic';

export default function ConnectExchangePage() {
  return <ConnectExchange docsUrl={dashboardRuntime().config.DOCS_URL} />;
}
