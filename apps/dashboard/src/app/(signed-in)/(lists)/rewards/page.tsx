import type { Metadata } from 'next';
import { Rewards } from '../../../../features/rewards/rewards';

export const metadata: Metadata = { title: 'Rewards' };

export default function RewardsPage() {
  return <Rewards />;
}
