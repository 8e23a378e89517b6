import type { Metadata } from 'next';
import { Discover } from '../../../../features/strategies/discover';

export const metadata: Metadata = { title: 'Discover' };

export default function DiscoverPage() {
  return <Discover />;
}
