import type { Metadata } from 'next';
import { Profile } from '../../../../features/settings/profile';

export const metadata: Metadata = { title: 'Settings' };

export default function ProfilePage() {
  return <Profile />;
}
