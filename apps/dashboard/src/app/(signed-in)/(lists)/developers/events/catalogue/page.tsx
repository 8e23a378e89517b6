import type { Metadata } from 'next';
import { EventCatalogue } from '../../../../../../features/developers/events/catalogue';

export const metadata: Metadata = { title: 'Event catalogue' };

export default function EventCataloguePage() {
  return <EventCatalogue />;
}
