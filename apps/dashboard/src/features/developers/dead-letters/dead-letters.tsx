'use client';
import { useMay } from '../../../data/me';
import { formatCount } from '../../../format/numbers';
import { usePreferences } from '../../../format/preferences';
import { ButtonLink } from '../../../ui/button';
import { Field, Select } from '../../../ui/field';
import { PageHeader } from '../../../ui/page-header';
import { TableSkeleton } from '../../../ui/skeleton';
import { Stat, StatRow } from '../../../ui/stat';
import { EmptyState, ErrorState } from '../../../ui/states';
import { useFollowDeliveries } from '../shared/use-follow-deliveries';
import { WebhookTabs } from '../shared/webhook-tabs';
import { LetterTable } from './letter-table';
import { WebhookLink } from './retry-warning';
import { type Receiver, useReceivers } from './use-dead-letters';

export interface DeadLettersProps {
  /** The webhook of the drawer before this page. */
  readonly webhookId?: string;
}

/** Deliveries whose attempts all failed. */
export function DeadLetters({ webhookId }: DeadLettersProps) {
  const { webhooks, receivers, chosen, choose } = useReceivers(webhookId);
  const mayChange = useMay('ADMIN') === true;
  useFollowDeliveries(chosen?.webhook.id);
  return (
    <>
      <PageHeader
        title="Webhooks"
        description="Events whose five attempts all failed, or whose webhook was deactivated, wait here until you retry or discard them."
      />
      <WebhookTabs pending={pendingOf(receivers)} />
      {webhooks.data !== undefined && receivers.length === 0 ? (
        <NoWebhook />
      ) : webhooks.isError && webhooks.data === undefined ? (
        <ErrorState error={webhooks.error} onRetry={() => void webhooks.refetch()} />
      ) : chosen === undefined ? (
        <TableSkeleton />
      ) : (
        <div className="flex flex-col gap-4">
          <Field
            label="Webhook"
            aside={<WebhookLink id={chosen.webhook.id}>Show this webhook</WebhookLink>}
            className="max-w-160"
          >
            <Select value={chosen.webhook.id} onChange={(event) => choose(event.target.value)}>
              {receivers.map(({ webhook, stats }) => (
                <option key={webhook.id} value={webhook.id}>
                  {webhook.url}
                  {stats !== undefined && ` (${stats.pending} pending)`}
                </option>
              ))}
            </Select>
          </Field>
          <Counters receiver={chosen} />
          <div>
            <LetterTable key={chosen.webhook.id} receiver={chosen} mayChange={mayChange} />
          </div>
        </div>
      )}
    </>
  );
}

/** Returns the number of pending dead letters of all webhooks; undefined until each is loaded. */
function pendingOf(receivers: readonly Receiver[]): number | undefined {
  if (receivers.length === 0 || receivers.some(({ stats }) => stats === undefined)) return undefined;
  return receivers.reduce((sum, { stats }) => sum + (stats?.pending ?? 0), 0);
}

function Counters({ receiver: { stats } }: { readonly receiver: Receiver }) {
  const { locale } = usePreferences();
  const countOf = (count: number | undefined) => (count === undefined ? '' : formatCount(count, locale));
  const isLoading = stats === undefined;
  return (
    <StatRow>
      <Stat label="Pending" isLoading={isLoading} value={countOf(stats?.pending)} note="Wait for you" />
      <Stat
        label="Retried"
        isLoading={isLoading}
        value={countOf(stats?.retried)}
        note="Sent again in a new run"
      />
      <Stat
        label="Discarded"
        isLoading={isLoading}
        value={countOf(stats?.discarded)}
        note="Are not sent again"
      />
    </StatRow>
  );
}

const NoWebhook = () => (
  <div className="rounded-card border bg-surface">
    <EmptyState
      title="No webhook exists yet."
      hint="Dead letters belong to a webhook."
      action={
        <ButtonLink href="/developers/webhooks?new=1" variant="primary">
          Add webhook
        </ButtonLink>
      }
    />
  </div>
);
