'use client';
import { onDemand } from '../../../ui/on-demand';
import { WebhookPage } from './webhook-page';

const AttemptDrawer = onDemand(() => import('./attempt-drawer').then((module) => module.AttemptDrawer));

/** A webhook with the attempts of one event beside its deliveries. */
export function DeliveryPage({
  webhookId,
  eventId,
}: {
  readonly webhookId: string;
  readonly eventId: string;
}) {
  return (
    <WebhookPage id={webhookId}>
      <AttemptDrawer webhookId={webhookId} eventId={eventId} />
    </WebhookPage>
  );
}
