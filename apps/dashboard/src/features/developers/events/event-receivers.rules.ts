import type { Webhook, WebhookEvent } from '@trading-automation/sdk';
import { isChosen } from '../shared/event-selectors.rules';

type Event = Pick<WebhookEvent<'string'>, 'type' | 'timestamp'>;
type Receiver = Pick<Webhook, 'events' | 'is_active' | 'created_at'>;

/** Sorts the webhooks that subscribe to an event before the others, which received it only if it was resent to them. */
export function subscribersFirst<T extends Receiver>(webhooks: readonly T[], type: string): readonly T[] {
  const isSubscribed = ({ events }: Receiver) => isChosen(events, type);
  return [...webhooks.filter(isSubscribed), ...webhooks.filter((webhook) => !isSubscribed(webhook))];
}

/** Says why a webhook has no attempt of an event. */
export function absenceWords(
  { events, is_active, created_at }: Receiver,
  { type, timestamp }: Event,
): string {
  if (!isChosen(events, type)) return 'Not subscribed to this type';
  if (Date.parse(created_at) > Date.parse(timestamp)) return 'Not sent: the webhook is newer';
  return is_active ? 'Not sent' : 'Not sent: the webhook is deactivated';
}
