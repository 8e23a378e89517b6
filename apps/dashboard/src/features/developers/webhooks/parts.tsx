'use client';
import type { Webhook } from '@trading-automation/sdk';
import { CircleDot, CircleSlash, TriangleAlert } from 'lucide-react';
import { api } from '../../../data/api';
import { queryOptions, useQuery } from '../../../data/query';
import { formatCount } from '../../../format/numbers';
import { usePreferences } from '../../../format/preferences';
import { Badge } from '../../../ui/badge';
import { Skeleton } from '../../../ui/skeleton';
import { Missing } from '../../../ui/values';

export const webhookStatsQuery = (id: string) =>
  queryOptions({
    queryKey: ['webhooks', id, 'stats'],
    queryFn: ({ signal }) => api().webhooks.stats(id, { signal }),
  });

export const useWebhookStats = (id: string) => useQuery(webhookStatsQuery(id));

export function WebhookState({ webhook }: { readonly webhook: Webhook }) {
  const icon = 'size-3';
  if (!webhook.is_active)
    return (
      <Badge
        tone={webhook.deactivation_reason === 'user' ? 'neutral' : 'loss'}
        icon={<CircleSlash aria-hidden className={icon} />}
      >
        Deactivated
      </Badge>
    );
  if (webhook.consecutive_failures > 0)
    return (
      <Badge tone="warn" icon={<TriangleAlert aria-hidden className={icon} />}>
        Failing
      </Badge>
    );
  return (
    <Badge tone="gain" icon={<CircleDot aria-hidden className={icon} />}>
      Active
    </Badge>
  );
}

/** A rate in percent, as the API sends it. */
export const Rate = ({ percent }: { readonly percent: string | null }) =>
  percent === null ? <Missing /> : <span className="whitespace-nowrap">{`${trimmed(percent)}\u2009%`}</span>;

const trimmed = (percent: string) =>
  percent.includes('.') ? percent.replace(/(\.\d{1,2}).*$/, '$1') : percent;

export function Milliseconds({ value }: { readonly value: number | null }) {
  const { locale } = usePreferences();
  if (value === null) return <Missing />;
  return (
    <span className="whitespace-nowrap">
      {formatCount(value, locale)}
      <span data-unit className="text-muted">
        {'\u2009ms'}
      </span>
    </span>
  );
}

/** A figure of the last 24 hours, in a row of the list. */
export function StatsCell({ id, figure }: { readonly id: string; readonly figure: 'rate' | 'p95' }) {
  const { data, isPending } = useWebhookStats(id);
  if (isPending) return <Skeleton className="ml-auto h-3 w-12" />;
  if (data === undefined) return <Missing />;
  const { success_rate, p95_response_time_ms } = data.last_24_hours;
  return figure === 'rate' ? <Rate percent={success_rate} /> : <Milliseconds value={p95_response_time_ms} />;
}
