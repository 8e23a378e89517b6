import type { Metadata } from 'next';
import { Reference } from '../../../../../features/developers/reference/reference';
import { publicRestUrl } from '../../../../../process/runtime';
import { openApiIntroduction } from '../../../../../server/openapi-introduction';

export const metadata: Metadata = { title: 'Reference' };

// The address is known when the process runs, not when the pages are built.
export const dynamic = 'force-dynamic';

export default async function ReferencePage() {
  return <Reference introduction={await openApiIntroduction()} restUrl={publicRestUrl()} />;
}
