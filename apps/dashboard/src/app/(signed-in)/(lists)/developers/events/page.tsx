import type { Metadata } from 'next';
import { Events } from '../../../../../features/developers/events/events';

export const metadata: Metadata = { title: 'Events' };

export default function EventsPage() {
  return <Events />;
}
