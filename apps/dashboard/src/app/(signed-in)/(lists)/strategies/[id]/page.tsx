import type { Metadata } from 'next';
import { StrategyPage } from '../../../../../features/strategies/strategy-page';

export const metadata: Metadata = { title: 'Strategy' };

export default async function StrategyRoute({ params }: { readonly params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <StrategyPage id={id} />;
}
