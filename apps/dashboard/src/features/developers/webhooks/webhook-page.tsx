'use client';
import type { Webhook } from '@trading-automation/sdk';
import { Fragment, type ReactNode, useState } from 'react';
import { api } from '../../../data/api';
import { useMay } from '../../../data/me';
import { useQuery, useQueryClient } from '../../../data/query';
import { useEarlyData } from '../../../data/server-data';
import { Button } from '../../../ui/button';
import { Card } from '../../../ui/card';
import { ConfirmDialog } from '../../../ui/confirm-dialog';
import { Copyable } from '../../../ui/copyable';
import { Detail, Details } from '../../../ui/details';
import { PageHeader } from '../../../ui/page-header';
import { Skeleton, TableSkeleton } from '../../../ui/skeleton';
import { StaleNotice } from '../../../ui/stale-notice';
import { ErrorState } from '../../../ui/states';
import { useRecordName } from '../../../ui/use-record-name';
import { Time } from '../../../ui/values';
import { deadLetterStatsQuery } from '../shared/dead-letter-stats';
import { useFollowDeliveries } from '../shared/use-follow-deliveries';
import { Deliveries } from './deliveries';
import { WebhookState, webhookStatsQuery } from './parts';
import { WebhookActions } from './webhook-actions';
import { WebhookFigures } from './webhook-figures';

/** One webhook with its deliveries; `children` is the drawer of the delivery that the address names. */
export function WebhookPage({ id, children }: { readonly id: string; readonly children?: ReactNode }) {
  useEarlyData([webhookStatsQuery(id), deadLetterStatsQuery(id)]);
  const webhook = useQuery({
    queryKey: ['webhooks', id],
    queryFn: ({ signal }) => api().webhooks.get(id, { signal }),
  });
  const { data } = webhook;
  useRecordName(data?.url);
  useFollowDeliveries(id);
  const retry = () => void webhook.refetch();
  return (
    <>
      {data !== undefined ? (
        <>
          {webhook.isError && <StaleNotice error={webhook.error} onRetry={retry} />}
          <Content webhook={data} />
        </>
      ) : (
        <>
          <PageHeader title="Webhook" />
          {webhook.isPending ? (
            <div className="flex flex-col gap-4">
              <Skeleton className="h-24 w-full" />
              <TableSkeleton />
            </div>
          ) : (
            <ErrorState error={webhook.error} onRetry={retry} />
          )}
        </>
      )}
      {/* The drawer stays open, and shows its own states, while the page behind it changes. */}
      {children}
    </>
  );
}

function Content({ webhook }: { readonly webhook: Webhook }) {
  const isAdmin = useMay('ADMIN') === true;
  const [result, setResult] = useState<ReactNode>();
  return (
    <>
      <PageHeader
        title={
          <>
            <span className="min-w-0 wrap-anywhere">{breakable(webhook.url)}</span>
            <WebhookState webhook={webhook} />
          </>
        }
        description={webhook.description === '' ? undefined : webhook.description}
        actions={isAdmin && <WebhookActions webhook={webhook} onResult={setResult} />}
      />
      <div className="flex flex-col gap-4">
        <div role="status" className="empty:hidden">
          {result}
        </div>
        {!webhook.is_active && <Deactivated webhook={webhook} mayActivate={isAdmin} />}
        <WebhookFigures id={webhook.id} />
        <Card title="Settings">
          <div className="grid gap-x-10 md:grid-cols-2">
            <Details>
              <Detail name="Events">
                {webhook.events.includes('*') ? 'All events' : <EventList events={webhook.events} />}
              </Detail>
              <Detail name="Failed deliveries in a row">{webhook.consecutive_failures}</Detail>
              <Detail name="Webhook">
                <Copyable text={webhook.id} isShort />
              </Detail>
            </Details>
            <Details>
              <Detail name="Created">
                <Time at={webhook.created_at} />
              </Detail>
              <Detail name="Changed">
                <Time at={webhook.updated_at} />
              </Detail>
              <Detail name="Secret since">
                <Time at={webhook.secret_last_rotated_at} isExact />
              </Detail>
            </Details>
          </div>
        </Card>
      </div>
      <Deliveries webhook={webhook} mayReplay={isAdmin} />
    </>
  );
}

/** Lets a URL break after its slashes and dots before it breaks anywhere. */
const breakable = (url: string): ReactNode =>
  url.split(/(?<=[/.])(?![/.])/).map((part, i) => (
    <Fragment key={i}>
      {i > 0 && <wbr />}
      {part}
    </Fragment>
  ));

const EventList = ({ events }: { readonly events: readonly string[] }) => (
  <span className="flex flex-wrap justify-end gap-x-2">
    {events.map((event) => (
      <code key={event} className="font-mono text-xs">
        {event}
      </code>
    ))}
  </span>
);

const REASONS: Readonly<Record<string, string>> = {
  consecutive_failures: 'The service deactivated it after repeated failures. Correct the receiver first.',
  insecure_url: 'Its URL is not https, which the live world requires. Change the URL first.',
  user: 'It was deactivated by you.',
};

function Deactivated({ webhook, mayActivate }: { readonly webhook: Webhook; readonly mayActivate: boolean }) {
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const activate = async () => {
    await api().webhooks.update(webhook.id, { is_active: true });
    await queries.invalidateQueries({ queryKey: ['webhooks'] });
  };
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center justify-between gap-3 rounded-card border border-warn-line bg-warn-soft px-4 py-3 text-sm"
    >
      <div>
        <p className="font-medium">
          This webhook has been deactivated <Time at={webhook.deactivated_at} />. No events are sent to it.
        </p>
        <p>{REASONS[webhook.deactivation_reason ?? ''] ?? 'The service deactivated it.'}</p>
      </div>
      {mayActivate && <Button onClick={() => setAsking(true)}>Activate webhook</Button>}
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Activate this webhook?"
        action="Activate webhook"
        onConfirm={activate}
      >
        New events are sent to {webhook.url} from now on, and the failure count starts at zero. Dead letters
        are not sent; retry them separately.
      </ConfirmDialog>
    </div>
  );
}
