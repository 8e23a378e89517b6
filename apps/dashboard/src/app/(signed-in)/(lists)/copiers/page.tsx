import type { Metadata } from 'next';
import { Copiers } from '../../../../features/copiers/copiers';

export const metadata: Metadata = { title: 'Copiers' };

export default function CopiersPage() {
  return <Copiers />;
}
