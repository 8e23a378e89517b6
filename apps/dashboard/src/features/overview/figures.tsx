'use client';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { ALL_TIME, useAnalytics } from '../../data/analytics';
import { api } from '../../data/api';
import { LATE, queryOptions, useQuery } from '../../data/query';
import { formatCount } from '../../format/numbers';
import { usePreferences } from '../../format/preferences';
import { startOfDay } from '../../format/ranges';
import { StaleNotice } from '../../ui/stale-notice';
import { Stat, StatRow } from '../../ui/stat';
import { Change, Missing, Percent } from '../../ui/values';

const copiersQuery = queryOptions({
  queryKey: ['copiers', 'active-count'],
  meta: LATE,
  queryFn: async ({ signal }) => {
    const query = { status: 'ACTIVE', limit: 1, include: 'total' } as const;
    return (await api().copiers.list(query, { signal })).pagination.total ?? 0;
  },
});

/** The results of the day and in total, and the counts of orders and copiers. */
export function Figures() {
  const day = { from: startOfDay(Date.now()) };
  const today = useAnalytics(day, LATE);
  const total = useAnalytics(ALL_TIME, LATE);
  const copiers = useQuery(copiersQuery);
  const failed = [today, total, copiers].find(({ isError }) => isError);
  const status = total.data?.by_status;
  return (
    <div className="flex flex-col gap-3">
      {failed !== undefined && (
        <StaleNotice
          error={failed.error}
          onRetry={() => void Promise.all([today.refetch(), total.refetch(), copiers.refetch()])}
        />
      )}
      <StatRow>
        <Stat
          label="Result today"
          isLoading={today.isPending}
          value={<Change value={today.data?.net_pnl} asset={today.data?.currency ?? undefined} />}
          note={
            <>
              <Percent ratio={today.data?.roi} isChange /> return
            </>
          }
        />
        <Stat
          label="Total result"
          isLoading={total.isPending}
          value={<Change value={total.data?.net_pnl} asset={total.data?.currency ?? undefined} />}
          note={
            <>
              <Change value={total.data?.unrealized_pnl} asset={total.data?.currency ?? undefined} /> open
            </>
          }
        />
        <Count
          label="Open orders"
          href="/trades?status=PENDING"
          isLoading={total.isPending}
          count={status && status.PENDING + status.PARTIALLY_FILLED}
        />
        <Count
          label="Filled orders"
          href="/trades?status=FILLED"
          isLoading={total.isPending}
          count={status?.FILLED}
        />
        <Count
          label="Failed orders"
          href="/trades?status=FAILED"
          isLoading={total.isPending}
          count={status?.FAILED}
        />
        <Count
          label="Active copiers"
          href="/copiers?status=ACTIVE"
          isLoading={copiers.isPending}
          count={copiers.data}
        />
      </StatRow>
    </div>
  );
}

interface CountProps {
  readonly label: string;
  readonly href: string;
  readonly isLoading: boolean;
  readonly count: number | undefined;
}

function Count({ label, href, isLoading, count }: CountProps): ReactNode {
  const { locale } = usePreferences();
  const value =
    count === undefined ? (
      <Missing />
    ) : (
      <Link href={href} className="hover:underline" aria-label={`${label}: ${count}`}>
        {formatCount(count, locale)}
      </Link>
    );
  return <Stat label={label} isLoading={isLoading} value={value} />;
}
