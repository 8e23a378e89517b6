import type { Metadata } from 'next';
import { NewWithdrawal } from '../../../../../features/withdrawals/new/new-withdrawal';

export const metadata: Metadata = { title: 'Withdraw tokens' };

export default function NewWithdrawalPage() {
  return <NewWithdrawal />;
}
