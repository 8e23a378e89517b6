'use client';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { api } from '../../data/api';
import type { Pair } from '../../data/pairs';
import { keepPreviousData, LATE, useQuery } from '../../data/query';
import { Card } from '../../ui/card';
import { onDemand } from '../../ui/on-demand';
import { Segmented } from '../../ui/segmented';
import { Skeleton } from '../../ui/skeleton';
import { StaleNotice } from '../../ui/stale-notice';
import { EmptyState, ErrorState } from '../../ui/states';

const INTERVALS = ['1m', '5m', '15m', '1h', '4h', '1d'] as const;
/** Fewer candles show no course of the price. */
const FEW = 5;
const RELOAD_MS = 15_000;
const ChartSkeleton = () => (
  <div role="status" aria-label="Loading" className="h-[412px] px-4 pb-4">
    <Skeleton className="h-full w-full" />
  </div>
);
const CandleChart = onDemand(
  () => import('./candle-chart').then((module) => module.CandleChart),
  <ChartSkeleton />,
);

/** The candles of a pair; the address keeps their interval. */
export function CandlesCard({ pair }: { readonly pair: Pair }) {
  const [interval, setInterval] = useQueryState(
    'interval',
    parseAsStringLiteral(INTERVALS).withDefault('1m'),
  );
  const { data, isError, error, refetch } = useQuery({
    queryKey: ['market', 'candles', pair.id, interval],
    queryFn: ({ signal }) => api().tradePairs.candles(pair.id, { interval }, { signal }),
    refetchInterval: RELOAD_MS,
    meta: LATE,
    placeholderData: keepPreviousData,
  });
  return (
    <Card
      title="Price"
      isFlush
      actions={
        <Segmented
          label="Length of a candle"
          value={interval}
          onChange={(next) => void setInterval(next)}
          options={INTERVALS.map((value) => ({ value, label: value }))}
        />
      }
    >
      {isError && data !== undefined && (
        <div className="px-4 pb-3">
          <StaleNotice error={error} onRetry={() => void refetch()} />
        </div>
      )}
      {data === undefined && isError && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data === undefined && !isError && <ChartSkeleton />}
      {data !== undefined &&
        (data.candles.length === 0 ? (
          <EmptyState title="Nothing was traded in this time." />
        ) : (
          <>
            <CandleChart pair={pair} interval={data.interval} candles={data.candles} />
            {data.candles.length < FEW && (
              <FewCandles count={data.candles.length} isShortest={interval === INTERVALS[0]} />
            )}
          </>
        ))}
    </Card>
  );
}

/** An exchange whose history is short has few long candles. */
const FewCandles = ({ count, isShortest }: { readonly count: number; readonly isShortest: boolean }) => (
  <p className="px-4 pb-3 text-muted text-xs">
    There {count === 1 ? 'is one candle' : `are ${count} candles`} so far
    {isShortest ? '.' : '. A shorter length shows more of the course.'}
  </p>
);
