import type { Metadata } from 'next';
import { StoredValues } from '../../../../../features/settings/values/values';

export const metadata: Metadata = { title: 'Stored values' };

export default function StoredValuesPage() {
  return <StoredValues />;
}
