'use client';
import { useCallback, useDeferredValue, useMemo } from 'react';
import { useAnalytics } from '../../data/analytics';
import { curveOf, drawdownOf, hasEquity } from '../../data/curve.rules';
import { formatAmount, formatSigned } from '../../format/numbers';
import { usePreferences } from '../../format/preferences';
import { startOfDay } from '../../format/ranges';
import { Card } from '../../ui/card';
import { onDemand } from '../../ui/on-demand';
import { Segmented } from '../../ui/segmented';
import { Skeleton } from '../../ui/skeleton';
import { EmptyState, ErrorState } from '../../ui/states';
import { INTERVALS } from './selection.rules';
import type { SelectionState } from './use-selection';

const HEIGHT = 340;
const ChartSkeleton = () => <Skeleton className="mx-4 mb-4 h-89" />;
const LineChart = onDemand(
  () => import('../../ui/charts/line-chart').then((module) => module.LineChart),
  <ChartSkeleton />,
);

const LABELS = { day: 'Days', week: 'Weeks', month: 'Months' } as const;
const OPTIONS = INTERVALS.map((value) => ({ value, label: LABELS[value] }));

export interface CurveCardProps {
  readonly state: SelectionState;
  /** What the curve shows: `state.query`, or the previous one until the next is rendered. */
  readonly query: SelectionState['query'];
}

/** Equity and drawdown on one axis of time. */
export function CurveCard({ state: { selection, change }, query }: CurveCardProps) {
  const interval = useDeferredValue(selection.interval);
  const { locale } = usePreferences();
  const figures = useAnalytics({ ...query, interval });
  const { data } = figures;
  const series = useMemo(() => {
    if (data === undefined) return [];
    const unit = data.currency ?? '';
    const label = hasEquity(data) ? 'Equity' : 'Realised result';
    // Only a range that lasts until now ends with the current value.
    const today = query.to === undefined ? startOfDay(Date.now()) : '';
    return [
      { label, unit, points: curveOf(data, today), isArea: true },
      {
        label: 'Drawdown',
        unit,
        points: drawdownOf(data),
        isArea: true,
        tone: 'loss' as const,
        pane: 1,
      },
    ];
  }, [data, query.to]);
  const formatValue = useCallback(
    (value: number) => {
      const digits = Math.abs(value) < 10_000 ? 2 : 0;
      return value < 0
        ? formatSigned(String(value), locale, digits)
        : formatAmount(String(value), locale, digits);
    },
    [locale],
  );
  return (
    <Card
      title="Equity and drawdown"
      isFlush
      actions={
        <Segmented
          label="Interval"
          value={selection.interval}
          onChange={(next) => void change({ interval: next })}
          options={OPTIONS}
        />
      }
    >
      {figures.isPending ? (
        <ChartSkeleton />
      ) : data === undefined ? (
        <ErrorState error={figures.error} onRetry={() => void figures.refetch()} />
      ) : (series[0]?.points.length ?? 0) < 2 ? (
        <EmptyState
          title="Too few closed trades for a curve."
          hint="Each day with a closed trade adds a point."
        />
      ) : (
        <LineChart
          description={`${series.map(({ label }) => label).join(' and ')} in ${data.currency ?? ''} by ${interval}`}
          series={series}
          height={HEIGHT}
          formatValue={formatValue}
        />
      )}
    </Card>
  );
}
