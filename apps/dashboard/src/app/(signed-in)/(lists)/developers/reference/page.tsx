import type { Metadata } from 'next';
import { Reference } from '../../../../../features/developers/reference/reference';
import { openApiIntroduction } from '../../../../../server/openapi-introduction';

export const metadata: Metadata = { title: 'Reference' };

export default async function ReferencePage() {
  return <Reference introduction={await openApiIntroduction()} />;
}
