import type { Metadata } from 'next';
import { Identities } from '../../../../../features/developers/identities/identities';

export const metadata: Metadata = { title: 'Identities' };

export default function IdentitiesPage() {
  return <Identities />;
}
