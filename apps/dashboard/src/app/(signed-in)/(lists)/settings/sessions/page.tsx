import type { Metadata } from 'next';
import { Sessions } from '../../../../../features/settings/sessions/sessions';

export const metadata: Metadata = { title: 'Sessions' };

export default function SessionsPage() {
  return <Sessions />;
}
