import type { Metadata } from 'next';
import { ApiKeys } from '../../../../../features/developers/api-keys/api-keys';
import { publicRestUrl } from '../../../../../process/runtime';

export const metadata: Metadata = { title: 'API keys' };

// The address is known when the process runs, not when the pages are built.
export const dynamic = 'force-dynamic';

export default function ApiKeysPage() {
  return <ApiKeys restUrl={publicRestUrl()} />;
}
