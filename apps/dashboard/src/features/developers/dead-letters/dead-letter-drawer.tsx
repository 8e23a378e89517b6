'use client';
import type { DeadLetter } from '@trading-automation/sdk';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { api } from '../../../data/api';
import { useMay } from '../../../data/me';
import { useQuery } from '../../../data/query';
import { Button } from '../../../ui/button';
import { ConfirmDialog } from '../../../ui/confirm-dialog';
import { Copyable } from '../../../ui/copyable';
import { Detail, Details } from '../../../ui/details';
import { Drawer } from '../../../ui/drawer';
import { TableSkeleton } from '../../../ui/skeleton';
import { StaleNotice } from '../../../ui/stale-notice';
import { ErrorState } from '../../../ui/states';
import { Status } from '../../../ui/status';
import { Time } from '../../../ui/values';
import { Payload } from '../shared/payload';
import { memberText } from '../shared/raw-json.rules';
import { failureWords, withTimeLimit } from '../webhooks/failure-words.rules';
import { LastAttempt } from './last-attempt';
import { isAbandoned } from './last-attempt.rules';
import { RetryWarning, WebhookLink } from './retry-warning';
import { useReloadDeadLetters } from './use-dead-letters';

interface Loaded {
  readonly letter: DeadLetter;
  /** The payload as it was sent, with every digit. */
  readonly payload: string;
}

interface LetterProps {
  readonly webhookId: string;
  readonly letter: DeadLetter;
}

/** A dead letter with its payload. */
export function DeadLetterDrawer({ webhookId, id }: { readonly webhookId: string; readonly id: string }) {
  const router = useRouter();
  const loaded = useQuery({
    queryKey: ['dead-letters', webhookId, id],
    queryFn: async ({ signal }): Promise<Loaded> => {
      const headers = { accept: 'application/json' };
      const response = await api().webhooks.deadLetters.get(webhookId, id, { signal, headers }).asResponse();
      const text = await response.text();
      const letter: DeadLetter = JSON.parse(text).data;
      return { letter, payload: memberText(text, ['data', 'payload']) ?? '' };
    },
  });
  const retry = () => void loaded.refetch();
  const { data } = loaded;
  return (
    <Drawer
      isOpen
      onClose={() => router.push(`/developers/dead-letters?webhook=${webhookId}`, { scroll: false })}
      title={data?.letter.event_type ?? 'Dead letter'}
      footer={data !== undefined && <Actions webhookId={webhookId} letter={data.letter} />}
    >
      {loaded.isPending && <TableSkeleton rows={6} />}
      {loaded.isError &&
        (data === undefined ? (
          <ErrorState error={loaded.error} onRetry={retry} />
        ) : (
          <StaleNotice error={loaded.error} onRetry={retry} />
        ))}
      {data !== undefined && (
        <div className="flex flex-col gap-6">
          <LetterDetails webhookId={webhookId} letter={data.letter} />
          <section className="flex flex-col gap-2">
            <h3 className="font-semibold text-sm">Payload</h3>
            <Payload json={data.payload} />
          </section>
        </div>
      )}
    </Drawer>
  );
}

const AttemptsLink = ({ webhookId, letter, children }: LetterProps & { readonly children: string }) => (
  <Link
    href={`/developers/webhooks/${webhookId}/events/${letter.event_id}`}
    className="text-accent-text underline"
  >
    {children}
  </Link>
);

function LetterDetails({ webhookId, letter }: LetterProps) {
  const failure = failureWords({ reason: letter.last_error_reason, statusCode: letter.last_status_code });
  return (
    <Details>
      <Detail name="Status">
        <Status value={letter.status} />
      </Detail>
      {letter.last_error_message !== undefined && (
        <Detail name="Last error">
          {failure !== undefined && <span className="font-medium">{failure}. </span>}
          {withTimeLimit(letter.last_error_message)}
        </Detail>
      )}
      {isAbandoned(letter) && <LastAttempt webhookId={webhookId} letter={letter} />}
      {letter.last_status_code !== undefined && <Detail name="Last code">{letter.last_status_code}</Detail>}
      <Detail name="Attempts">
        {letter.attempts} of 5
        {letter.attempts > 0 && (
          <>
            {', '}
            <AttemptsLink webhookId={webhookId} letter={letter}>
              show requests and responses
            </AttemptsLink>
          </>
        )}
      </Detail>
      <Detail name="Failed">
        <Time at={letter.created_at} isExact />
      </Detail>
      {letter.resolved_at !== undefined && (
        <Detail name={letter.status === 'RETRIED' ? 'Retried' : 'Discarded'}>
          <Time at={letter.resolved_at} isExact />
        </Detail>
      )}
      <Detail name="Event">
        <Copyable text={letter.event_id} isShort />
      </Detail>
      <Detail name="Dead letter">
        <Copyable text={letter.id} isShort />
      </Detail>
    </Details>
  );
}

function Actions({ webhookId, letter }: LetterProps) {
  const mayChange = useMay('ADMIN') === true;
  const reload = useReloadDeadLetters();
  const [asked, setAsked] = useState<'retry' | 'discard'>();
  const webhook = useQuery({
    queryKey: ['webhooks', webhookId],
    queryFn: ({ signal }) => api().webhooks.get(webhookId, { signal }),
  });
  if (letter.status === 'RETRIED')
    return (
      <span className="text-muted text-sm">
        Sent again. The result is among{' '}
        <AttemptsLink webhookId={webhookId} letter={letter}>
          the attempts of the event
        </AttemptsLink>
        .
      </span>
    );
  if (letter.status !== 'PENDING')
    return <span className="text-muted text-sm">Only pending dead letters can be retried or discarded.</span>;
  if (!mayChange)
    return <span className="text-muted text-sm">Retrying and discarding need the permission Admin.</span>;
  const { deadLetters } = api().webhooks;
  const isBlocked = webhook.data?.is_active === false;
  return (
    <>
      {isBlocked && (
        <span id="retry-blocked" className="mr-auto self-center text-sm">
          The webhook is deactivated. <WebhookLink id={webhookId}>Activate it</WebhookLink> to retry.
        </span>
      )}
      <Button variant="danger-outline" onClick={() => setAsked('discard')}>
        Discard
      </Button>
      <Button
        variant="primary"
        disabled={isBlocked}
        aria-describedby={isBlocked ? 'retry-blocked' : undefined}
        onClick={() => setAsked('retry')}
      >
        Retry
      </Button>
      <ConfirmDialog
        isOpen={asked === 'retry'}
        onClose={() => setAsked(undefined)}
        title="Retry this dead letter?"
        action="Retry delivery"
        onConfirm={async () => {
          await deadLetters.retry(webhookId, letter.id);
          await reload();
        }}
      >
        The event is sent with the same id and the same body, in up to five attempts.
        <RetryWarning webhook={webhook.data} />
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asked === 'discard'}
        onClose={() => setAsked(undefined)}
        title="Discard this dead letter?"
        action="Discard"
        isDanger
        onConfirm={async () => {
          await deadLetters.discard(webhookId, letter.id);
          await reload();
        }}
      >
        It is not sent again, but stays readable. The event itself can be resent for 30 days.
      </ConfirmDialog>
    </>
  );
}
