'use client';
import type { Delivery } from '@trading-automation/sdk';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { parseAsString, useQueryState } from 'nuqs';
import { useState } from 'react';
import { api } from '../../../data/api';
import { useMay } from '../../../data/me';
import { useQuery, useQueryClient } from '../../../data/query';
import { useNow } from '../../../format/clock';
import { Button, ButtonLink } from '../../../ui/button';
import { classNames } from '../../../ui/class-names';
import { CodeBlock } from '../../../ui/code-block';
import { ConfirmDialog } from '../../../ui/confirm-dialog';
import { Copyable } from '../../../ui/copyable';
import { Detail, Details } from '../../../ui/details';
import { Drawer } from '../../../ui/drawer';
import { TableSkeleton } from '../../../ui/skeleton';
import { StaleNotice } from '../../../ui/stale-notice';
import { EmptyState, ErrorState } from '../../../ui/states';
import { Time } from '../../../ui/values';
import { EventPayload } from '../shared/payload';
import { attemptText, DeliveryStatus, NextAttempt } from './deliveries';
import { deliveryState, isLatestOfRun } from './delivery-state.rules';
import { eventAttemptsQuery } from './event-attempts';
import { failureWords, withTimeLimit } from './failure-words.rules';
import { Milliseconds } from './parts';

const failureOf = ({ error_reason, status_code }: Delivery) =>
  failureWords({ reason: error_reason, statusCode: status_code });

/** All attempts to deliver one event to a webhook, and the request and the response of one of them. */
export function AttemptDrawer({
  webhookId,
  eventId,
}: {
  readonly webhookId: string;
  readonly eventId: string;
}) {
  const router = useRouter();
  const [chosen, choose] = useQueryState('attempt', parseAsString);
  const attempts = useQuery(eventAttemptsQuery(webhookId, eventId));
  const webhook = useQuery({
    queryKey: ['webhooks', webhookId],
    queryFn: ({ signal }) => api().webhooks.get(webhookId, { signal }),
  });
  const retry = () => void attempts.refetch();
  const { data } = attempts;
  const isPendingPossible = (delivery: Delivery) =>
    webhook.data?.is_active === true && isLatestOfRun(delivery, data ?? []);
  const shown = data?.find(({ id }) => id === chosen) ?? data?.[0];
  return (
    <Drawer
      isOpen
      onClose={() => router.push(`/developers/webhooks/${webhookId}`, { scroll: false })}
      title={shown === undefined ? 'Delivery' : shown.event_type}
      footer={shown !== undefined && <Resend webhookId={webhookId} delivery={shown} />}
    >
      {attempts.isPending && <TableSkeleton rows={6} />}
      {attempts.isError &&
        (data === undefined ? (
          <ErrorState error={attempts.error} onRetry={retry} />
        ) : (
          <StaleNotice error={attempts.error} onRetry={retry} />
        ))}
      {data !== undefined && shown === undefined && (
        <EmptyState
          title="This event was not sent to the webhook yet."
          action={<ButtonLink href={`/developers/events/${eventId}`}>Show event</ButtonLink>}
        />
      )}
      {data !== undefined && shown !== undefined && (
        <div className="flex flex-col gap-6">
          <AttemptList
            attempts={data}
            shown={shown}
            isActive={isPendingPossible}
            onChoose={(id) => void choose(id)}
          />
          <Attempt delivery={shown} isActive={isPendingPossible(shown)} />
        </div>
      )}
    </Drawer>
  );
}

interface AttemptListProps {
  readonly attempts: readonly Delivery[];
  readonly shown: Delivery;
  readonly isActive: (delivery: Delivery) => boolean;
  readonly onChoose: (id: string) => void;
}

function AttemptList({ attempts, shown, isActive, onChoose }: AttemptListProps) {
  return (
    <ul aria-label="Attempts" className="flex flex-col overflow-hidden rounded-card border">
      {attempts.map((delivery) => (
        <li key={delivery.id} className="border-t first:border-t-0">
          <button
            type="button"
            aria-pressed={delivery.id === shown.id}
            onClick={() => onChoose(delivery.id)}
            className={classNames(
              'flex min-h-10 w-full items-center gap-3 px-3 text-left text-sm -outline-offset-2 hover:bg-hover',
              delivery.id === shown.id && 'bg-selected',
            )}
          >
            <DeliveryStatus delivery={delivery} isActive={isActive(delivery)} />
            <span className="shrink-0">
              Attempt {attemptText(delivery)}
              {delivery.run > 0 && <span className="text-muted">, resend {delivery.run}</span>}
            </span>
            <span className="min-w-0 flex-1 truncate text-muted">{failureOf(delivery)}</span>
            <span className="shrink-0 text-muted">
              <Time at={delivery.attempted_at} />
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Attempt({ delivery, isActive }: { readonly delivery: Delivery; readonly isActive: boolean }) {
  const isPending = deliveryState(delivery, useNow(), isActive) === 'PENDING';
  const failure = failureOf(delivery);
  return (
    <>
      <Details>
        {delivery.error_message !== undefined && (
          <Detail name="Why it failed">
            {failure !== undefined && <span className="font-medium">{failure}. </span>}
            {withTimeLimit(delivery.error_message)}
          </Detail>
        )}
        {isPending && (
          <Detail name="Next attempt">
            <NextAttempt delivery={delivery} isActive={isActive} />
          </Detail>
        )}
        <Detail name="Sent">
          <Time at={delivery.attempted_at} isExact />
        </Detail>
        <Detail name="Time taken">
          <Milliseconds value={delivery.response_time_ms} />
        </Detail>
        <Detail name="Event">
          <Copyable text={delivery.event_id} isShort />
        </Detail>
        <Detail name="Delivery">
          <Copyable text={delivery.id} isShort />
        </Detail>
      </Details>
      <section className="flex flex-col gap-2">
        <h3 className="font-semibold text-sm">Request</h3>
        {delivery.request_headers.length > 0 && (
          <CodeBlock
            label="Request headers"
            code={delivery.request_headers.map(({ name, value }) => `${name}: ${value}`).join('\n')}
          />
        )}
        {delivery.event_type === 'webhook.test' ? (
          <p className="text-muted text-sm">
            The body of a test event is not kept, because a test is no event of the account. It has the form
            of{' '}
            <Link
              href="/developers/events/catalogue?type=webhook.test"
              className="text-accent-text underline"
            >
              this sample
            </Link>
            , with your webhook as its record.
          </p>
        ) : (
          <EventPayload eventId={delivery.event_id} />
        )}
      </section>
      <section className="flex flex-col gap-2">
        <h3 className="font-semibold text-sm">Response</h3>
        <p className="text-sm">
          {delivery.status_code === undefined
            ? 'The receiver sent no response.'
            : `Status ${delivery.status_code}.`}
        </p>
        {delivery.status_code !== undefined && (
          <p className="text-muted text-sm">
            The status and the first 1 KiB of the body are kept, the headers of the response are not.
          </p>
        )}
        {delivery.response_body !== null && delivery.response_body !== '' && (
          <CodeBlock
            label="Response body"
            title="First 1 KiB of the body, as plain text"
            code={delivery.response_body}
          />
        )}
      </section>
    </>
  );
}

function Resend({ webhookId, delivery }: { readonly webhookId: string; readonly delivery: Delivery }) {
  const queries = useQueryClient();
  const mayReplay = useMay('ADMIN') === true;
  const [isAsking, setAsking] = useState(false);
  const [isSent, setSent] = useState(false);
  const resend = async () => {
    await api().webhooks.replay(webhookId, { event_id: delivery.event_id });
    setSent(true);
    await queries.invalidateQueries({ queryKey: ['deliveries'] });
  };
  if (delivery.event_type === 'webhook.test')
    return <span className="text-muted text-sm">A test event is sent once.</span>;
  if (!mayReplay) return <span className="text-muted text-sm">Resending needs the permission Admin.</span>;
  return (
    <>
      <span role="status" className="mr-auto self-center text-muted text-sm">
        {isSent && 'The event is sent again.'}
      </span>
      <Button onClick={() => setAsking(true)}>Resend event</Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Resend this event?"
        action="Resend event"
        onConfirm={resend}
      >
        It is sent with the same id and the same body, in up to five attempts. A receiver that has processed
        it must ignore the repeated id.
      </ConfirmDialog>
    </>
  );
}
