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

const P95_NOTE = '95\u2009% of all attempts ended within this time, failed ones and test events included';

type Attempts = WebhookStats<'string'>['last_24_hours'];

/** How deliveries went in the last 24 hours and 7 days. */
export function WebhookFigures({ id }: { readonly id: string }) {
  const { locale } = usePreferences();
  const { data, isPending } = useWebhookStats(id);
  const pending = useQuery(deadLetterStatsQuery(id));
  const countsOf = (attempts: Attempts | undefined) =>
    attempts &&
    `${formatCount(attempts.succeeded, locale)} of ${formatCount(attempts.attempts, locale)} attempts, test events included`;
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
        label="Response time p95, 24 h"
        isLoading={isPending}
        value={day === undefined ? <Missing /> : <Milliseconds value={day.p95_response_time_ms} />}
        note={P95_NOTE}
      />
      <Stat
        label="Success, 7 days"
        isLoading={isPending}
        value={week === undefined ? <Missing /> : <Rate percent={week.success_rate} />}
        note={countsOf(week)}
      />
      <Stat
        label="Response time p95, 7 days"
        isLoading={isPending}
        value={week === undefined ? <Missing /> : <Milliseconds value={week.p95_response_time_ms} />}
        note={P95_NOTE}
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
