import type { Metadata } from 'next';
import { AttemptDrawer } from '../../../../../../../../features/developers/webhooks/attempt-drawer';
import { WebhookPage } from '../../../../../../../../features/developers/webhooks/webhook-page';

export const metadata: Metadata = { title: 'Delivery' };

interface Props {
  readonly params: Promise<{ id: string; eventId: string }>;
}

export default async function DeliveryPage({ params }: Props) {
  const { id, eventId } = await params;
  return (
    <WebhookPage id={id}>
      <AttemptDrawer webhookId={id} eventId={eventId} />
    </WebhookPage>
  );
}
