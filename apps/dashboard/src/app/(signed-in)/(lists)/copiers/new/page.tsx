import type { Metadata } from 'next';
import { CopyWizard } from '../../../../../features/copiers/wizard/wizard';

export const metadata: Metadata = { title: 'Copy a strategy' };

export default function NewCopierPage() {
  return <CopyWizard />;
}
