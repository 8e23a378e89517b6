'use client';
import type { WebhookStats } from '@trading-automation/sdk';
import Link from 'next/link';
import { useQuery } from '../../../data/query';
import { formatCount } from '../../../format/numbers';
import { usePreferences } from '../../../format/preferences';
import { Stat, StatRow } from '../../../ui/stat';
import { Missing } from '../../../ui/values';
import { deadLetterStatsQuery } from '../shared/dead-letter-stats';
import { Milliseconds, Rate, useWebhookStats } from './parts';

type Attempts = WebhookStats<'string'>['last_24_hours'];

/** How deliveries went in the last 24 hours and 7 days. */
export function WebhookFigures({ id }: { readonly id: string }) {
  const { locale } = usePreferences();
  const { data, isPending } = useWebhookStats(id);
  const pending = useQuery(deadLetterStatsQuery(id));
  const countsOf = (attempts: Attempts | undefined) =>
    attempts &&
    `${formatCount(attempts.succeeded, locale)} of ${formatCount(attempts.attempts, locale)} attempts`;
  const [day, week] = [data?.last_24_hours, data?.last_7_days];
  return (
    <StatRow>
      <Stat
        label="Success, 24 h"
        isLoading={isPending}
        value={day === undefined ? <Missing /> : <Rate percent={day.success_rate} />}
        note={countsOf(day)}
      />
      <Stat
        label="p95, 24 h"
        isLoading={isPending}
        value={day === undefined ? <Missing /> : <Milliseconds value={day.p95_response_time_ms} />}
        note="95 % of the attempts are faster"
      />
      <Stat
        label="Success, 7 days"
        isLoading={isPending}
        value={week === undefined ? <Missing /> : <Rate percent={week.success_rate} />}
        note={countsOf(week)}
      />
      <Stat
        label="p95, 7 days"
        isLoading={isPending}
        value={week === undefined ? <Missing /> : <Milliseconds value={week.p95_response_time_ms} />}
        note={week && `${formatCount(week.failed, locale)} failed`}
      />
      <Stat
        label="Dead letters"
        isLoading={pending.isPending}
        value={pending.data === undefined ? <Missing /> : formatCount(pending.data.pending, locale)}
        note={
          <Link href={`/developers/dead-letters?webhook=${id}`} className="text-accent-text underline">
            Show
          </Link>
        }
      />
    </StatRow>
  );
}
