'use client';
import { useCallback, useMemo } from 'react';
import { useArrivedAt } from '../../format/clock';
import { Exact } from '../../format/decimals';
import { formatAmount, formatPercent } from '../../format/numbers';
import { usePreferences } from '../../format/preferences';
import { Card } from '../../ui/card';
import type { LineSeries } from '../../ui/charts/line-chart';
import { onDemand } from '../../ui/on-demand';
import { Skeleton } from '../../ui/skeleton';
import type { StrategyRow } from './figures';
import { drawdownsOf, untilNow } from './performance.rules';

const LineChart = onDemand(
  () => import('../../ui/charts/line-chart').then((module) => module.LineChart),
  <Skeleton className="mx-4 h-full" />,
);

/** The index of what was invested at the start, and the fall from its peak below it. */
export function EquityChart({ strategy }: { readonly strategy: StrategyRow }) {
  const { locale } = usePreferences();
  const { performance } = strategy;
  const arrivedAt = useArrivedAt();
  const curve = useMemo(() => untilNow(performance.curve, arrivedAt), [performance.curve, arrivedAt]);
  const index = useMemo<readonly LineSeries[]>(
    () => [
      {
        label: 'Index',
        unit: 'start = 100',
        points: curve.map(({ at, index: value }) => ({ at, value: Number(value) })),
        isArea: true,
      },
    ],
    [curve],
  );
  const drawdown = useMemo<readonly LineSeries[]>(
    () => [{ label: 'Drawdown', unit: '%', points: drawdownsOf(curve), tone: 'loss', isArea: true }],
    [curve],
  );
  const formatIndex = useCallback((value: number) => formatAmount(String(value), locale, 2), [locale]);
  const formatFall = useCallback(
    (value: number) => formatPercent(new Exact(value).div(100).toFixed(), locale),
    [locale],
  );
  if (curve.length < 2)
    return (
      <Card title="Growth of 100">
        <p className="py-6 text-muted text-sm">
          No curve yet. It has a point for each UTC day, and it needs the equity of the account at the start
          of each day with a result.
        </p>
      </Card>
    );
  return (
    <Card title="Growth of 100" isFlush>
      <div className="h-69">
        <LineChart
          description={`Index of ${strategy.name}: the value of 100 that was invested at the start`}
          series={index}
          height={240}
          formatValue={formatIndex}
          baseline={100}
        />
      </div>
      <h3 className="px-4 pt-2 font-medium text-sm">Drawdown</h3>
      <div className="h-39">
        <LineChart
          description={`Fall of the index of ${strategy.name} from its peak, in percent`}
          series={drawdown}
          height={120}
          formatValue={formatFall}
        />
      </div>
    </Card>
  );
}
