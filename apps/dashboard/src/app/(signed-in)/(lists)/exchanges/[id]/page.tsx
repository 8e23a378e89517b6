import type { Metadata } from 'next';
import { AccountDrawer } from '../../../../../features/exchanges/account-drawer';
import { Exchanges } from '../../../../../features/exchanges/exchanges';

export const metadata: Metadata = { title: 'Exchange account' };

export default async function ExchangePage({ params }: { readonly params: Promise<{ id: string }> }) {
  const { id } = await params;
  return (
    <Exchanges>
      <AccountDrawer id={id} />
    </Exchanges>
  );
}
