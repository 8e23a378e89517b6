import type { Metadata } from 'next';
import { NotificationPreferences } from '../../../../../features/notifications/preferences';

export const metadata: Metadata = { title: 'Notification preferences' };

export default function PreferencesPage() {
  return <NotificationPreferences />;
}
