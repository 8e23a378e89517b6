import type { Metadata } from 'next';
import { Appearance } from '../../../../../features/settings/appearance';

export const metadata: Metadata = { title: 'Appearance' };

export default function AppearancePage() {
  return <Appearance />;
}
