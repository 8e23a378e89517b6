import type { Metadata } from 'next';
import { CopierPage } from '../../../../../features/copiers/copier-page';

export const metadata: Metadata = { title: 'Copier' };

export default async function CopierRoute({ params }: { readonly params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <CopierPage id={id} />;
}
