'use client';
import type { Delivery, Webhook, WebhookEvent } from '@trading-automation/sdk';
import Link from 'next/link';
import { useState } from 'react';
import { api } from '../../../data/api';
import { useQueries } from '../../../data/queries';
import { LATE, useQuery } from '../../../data/query';
import { useNow } from '../../../format/clock';
import { Button } from '../../../ui/button';
import { Skeleton } from '../../../ui/skeleton';
import { ErrorState } from '../../../ui/states';
import { Status } from '../../../ui/status';
import { Time } from '../../../ui/values';
import { allWebhooksQuery } from '../shared/all-webhooks';
import { deliveryState, nextCheckMs } from '../webhooks/delivery-state.rules';
import { failureWords } from '../webhooks/failure-words.rules';
import { absenceWords, subscribersFirst } from './event-receivers.rules';

type Event = WebhookEvent<'string'>;

/** Each webhook costs one request. */
const ASKED_AT_ONCE = 5;

/** The latest attempt of each webhook to deliver an event. */
export function EventDeliveries({ event }: { readonly event: Event }) {
  const webhooks = useQuery({ ...allWebhooksQuery, meta: LATE });
  const [count, setCount] = useState(ASKED_AT_ONCE);
  const all = subscribersFirst(webhooks.data ?? [], event.type);
  const shown = all.slice(0, count);
  const attempts = useQueries({ queries: shown.map(({ id }) => latestAttemptQuery(id, event)) });
  if (webhooks.isPending) return <Skeleton className="h-26 w-full" />;
  if (webhooks.data === undefined)
    return <ErrorState error={webhooks.error} onRetry={() => void webhooks.refetch()} />;
  if (all.length === 0)
    return <p className="text-muted text-sm">There is no webhook that could receive this event.</p>;
  return (
    <>
      <ul aria-label="Webhooks" className="overflow-hidden rounded-card border">
        {shown.map((webhook, i) => (
          <li key={webhook.id} className="min-h-12 border-t px-3 py-2 text-sm first:border-t-0">
            <Receiver webhook={webhook} event={event} attempt={attempts[i]} />
          </li>
        ))}
      </ul>
      {all.length > count && (
        <Button className="self-start" onClick={() => setCount(count + ASKED_AT_ONCE)}>
          {`Show ${Math.min(ASKED_AT_ONCE, all.length - count)} more of ${all.length} webhooks`}
        </Button>
      )}
    </>
  );
}

/** Null if the event was not sent to the webhook. */
const latestAttemptQuery = (webhookId: string, { event_id, timestamp }: Event) => ({
  queryKey: ['deliveries', webhookId, 'latest', event_id],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<Delivery | null> => {
    const query = { event_id, limit: 1 };
    return (await api().webhooks.deliveries(webhookId, query, { signal })).data[0] ?? null;
  },
  meta: LATE,
  refetchInterval: ({
    state: { data },
  }: {
    readonly state: { readonly data?: Delivery | null | undefined };
  }) => nextCheckMs(data ? [data] : [], Date.now(), Date.parse(timestamp)) ?? false,
});

interface ReceiverProps {
  readonly webhook: Webhook;
  readonly event: Event;
  readonly attempt: { readonly data?: unknown; readonly isError: boolean } | undefined;
}

function Receiver({ webhook, event, attempt }: ReceiverProps) {
  const delivery = attempt?.data as Delivery | null | undefined;
  return (
    <>
      <span className="block truncate" title={webhook.url}>
        {webhook.url}
      </span>
      <span className="flex min-h-6 flex-wrap items-center gap-x-3 text-muted text-xs">
        {delivery ? (
          <Attempt webhook={webhook} delivery={delivery} />
        ) : delivery === null ? (
          absenceWords(webhook, event)
        ) : attempt?.isError === true ? (
          'Its attempts could not be loaded.'
        ) : (
          <Skeleton className="h-3 w-40" />
        )}
      </span>
    </>
  );
}

function Attempt({ webhook, delivery }: { readonly webhook: Webhook; readonly delivery: Delivery }) {
  const { event_id, attempted_at, error_reason, status_code } = delivery;
  return (
    <>
      <Status value={deliveryState(delivery, useNow(), webhook.is_active)} />
      <span>
        {failureWords({ reason: error_reason, statusCode: status_code }) ?? `Status ${status_code}`}
      </span>
      <Time at={attempted_at} />
      <Link
        href={`/developers/webhooks/${webhook.id}/events/${event_id}`}
        className="ml-auto text-accent-text underline"
      >
        Show attempts
        <span className="sr-only"> to {webhook.url}</span>
      </Link>
    </>
  );
}
