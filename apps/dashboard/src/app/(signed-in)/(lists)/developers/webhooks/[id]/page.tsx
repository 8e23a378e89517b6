import type { Metadata } from 'next';
import { WebhookPage } from '../../../../../../features/developers/webhooks/webhook-page';

export const metadata: Metadata = { title: 'Webhook' };

export default async function OneWebhookPage({ params }: { readonly params: Promise<{ id: string }> }) {
  return <WebhookPage id={(await params).id} />;
}
