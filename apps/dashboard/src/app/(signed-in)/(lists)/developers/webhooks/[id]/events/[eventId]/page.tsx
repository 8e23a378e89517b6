import type { Metadata } from 'next';
import { DeliveryPage } from '../../../../../../../../features/developers/webhooks/delivery-page';

export const metadata: Metadata = { title: 'Delivery' };

interface Props {
  readonly params: Promise<{ id: string; eventId: string }>;
}

export default async function Page({ params }: Props) {
  const { id, eventId } = await params;
  return <DeliveryPage webhookId={id} eventId={eventId} />;
}
