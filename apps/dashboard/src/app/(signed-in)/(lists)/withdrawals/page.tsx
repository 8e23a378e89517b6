import type { Metadata } from 'next';
import { Withdrawals } from '../../../../features/withdrawals/withdrawals';

export const metadata: Metadata = { title: 'Withdrawals' };

export default function WithdrawalsPage() {
  return <Withdrawals />;
}
