import type { Metadata } from 'next';
import { Late } from '../../../../../data/late';
import { WithdrawalDrawer } from '../../../../../features/withdrawals/withdrawal-drawer';
import { Withdrawals } from '../../../../../features/withdrawals/withdrawals';

export const metadata: Metadata = { title: 'Withdrawal' };

export default async function WithdrawalPage({ params }: { readonly params: Promise<{ id: string }> }) {
  const { id } = await params;
  return (
    <>
      <Late>
        <Withdrawals />
      </Late>
      <WithdrawalDrawer id={id} />
    </>
  );
}
