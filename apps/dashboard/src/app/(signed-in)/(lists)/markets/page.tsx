import type { Metadata } from 'next';
import { Markets } from '../../../../features/markets/markets';

export const metadata: Metadata = { title: 'Markets' };

export default function MarketsPage() {
  return <Markets />;
}
