import type { Metadata } from 'next';
import { Late } from '../../../../../../data/late';
import { EventDrawer } from '../../../../../../features/developers/events/event-drawer';
import { Events } from '../../../../../../features/developers/events/events';

export const metadata: Metadata = { title: 'Event' };

export default async function EventPage({ params }: { readonly params: Promise<{ id: string }> }) {
  const { id } = await params;
  return (
    <>
      <Late>
        <Events />
      </Late>
      <EventDrawer id={id} />
    </>
  );
}
