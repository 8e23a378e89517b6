import type { Metadata } from 'next';
import { NewStrategy } from '../../../../../features/strategies/new-strategy';

export const metadata: Metadata = { title: 'New strategy' };

export default function NewStrategyPage() {
  return <NewStrategy />;
}
