'use client';
import type { Webhook } from '@trading-automation/sdk';
import { Fragment, type ReactNode, useState } from 'react';
import { api } from '../../../data/api';
import { Late } from '../../../data/late';
import { useMay } from '../../../data/me';
import { useQuery } from '../../../data/query';
import { useEarlyData } from '../../../data/server-data';
import { Button } from '../../../ui/button';
import { Card } from '../../../ui/card';
import { Copyable } from '../../../ui/copyable';
import { Detail, Details } from '../../../ui/details';
import { onDemand } from '../../../ui/on-demand';
import { PageHeader } from '../../../ui/page-header';
import { Skeleton, TableSkeleton } from '../../../ui/skeleton';
import { StaleNotice } from '../../../ui/stale-notice';
import { ErrorState } from '../../../ui/states';
import { useRecordName } from '../../../ui/use-record-name';
import { useWasTrue } from '../../../ui/use-was-true';
import { Time } from '../../../ui/values';
import { deadLetterStatsQuery } from '../shared/dead-letter-stats';
import { useFollowDeliveries } from '../shared/use-follow-deliveries';
import { DeactivatedNotice } from './deactivated-notice';
import { DEACTIVATION_RULE } from './deactivation.rules';
import { Deliveries } from './deliveries';
import { WebhookState, webhookStatsQuery } from './parts';
import { ResultNotice } from './result-notice';
import { WebhookActions } from './webhook-actions';
import type { WebhookAction } from './webhook-dialogs';
import { WebhookFigures } from './webhook-figures';

const WebhookDialogs = onDemand(() => import('./webhook-dialogs').then((module) => module.WebhookDialogs));

/** One webhook with its deliveries; `children` is the drawer of the delivery that the address names. */
export function WebhookPage({ id, children }: { readonly id: string; readonly children?: ReactNode }) {
  // A drawer is what a person looks at first.
  const isBehind = children !== undefined;
  useEarlyData(isBehind ? [] : [webhookStatsQuery(id), deadLetterStatsQuery(id)]);
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
          <Content webhook={data} isBehind={isBehind} />
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

function Content({ webhook, isBehind }: { readonly webhook: Webhook; readonly isBehind: boolean }) {
  const isAdmin = useMay('ADMIN') === true;
  const [result, setResult] = useState<ReactNode>();
  const [open, setOpen] = useState<WebhookAction>();
  const isOpened = useWasTrue(open !== undefined);
  const Part = isBehind ? Late : Fragment;
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
        actions={isAdmin && <WebhookActions webhook={webhook} onOpen={setOpen} onResult={setResult} />}
      />
      <div className="flex flex-col gap-4">
        <div role="status" className="empty:hidden">
          {result}
        </div>
        {!webhook.is_active && <DeactivatedNotice webhook={webhook} mayActivate={isAdmin} />}
        <Part>
          <WebhookFigures id={webhook.id} />
        </Part>
        <Card
          title="Settings"
          actions={
            <div className="flex flex-wrap gap-2">
              <Button onClick={() => setOpen('verify')}>Verify signatures</Button>
              {isAdmin && <Button onClick={() => setOpen('edit')}>Edit webhook</Button>}
            </div>
          }
        >
          <div className="grid gap-x-10 md:grid-cols-2">
            <Details>
              <Detail name="Events">
                {webhook.events.includes('*') ? 'All events' : <EventList events={webhook.events} />}
              </Detail>
              <Detail name="Failed attempts in a row">{webhook.consecutive_failures}</Detail>
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
          <p className="pt-3 text-muted text-xs">
            {DEACTIVATION_RULE} An attempt that succeeds sets the count to zero.
          </p>
        </Card>
      </div>
      <Part>
        <Deliveries webhook={webhook} mayReplay={isAdmin} />
      </Part>
      {isOpened && (
        <WebhookDialogs
          webhook={webhook}
          open={open}
          onClose={() => setOpen(undefined)}
          onSaved={() =>
            setResult(<ResultNotice>The changes are saved. The next attempts use them.</ResultNotice>)
          }
        />
      )}
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
