import type { Metadata } from 'next';
import { Identities } from '../../../../../features/developers/identities/identities';
import { publicRestUrl } from '../../../../../process/runtime';

export const metadata: Metadata = { title: 'Identities' };

// The address is known when the process runs, not when the pages are built.
export const dynamic = 'force-dynamic';

export default function IdentitiesPage() {
  return <Identities restUrl={publicRestUrl()} />;
}
