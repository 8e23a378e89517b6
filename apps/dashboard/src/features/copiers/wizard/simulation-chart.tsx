'use client';
import type { Simulation } from '@trading-automation/sdk';
import { useCallback, useMemo } from 'react';
import { formatAmount } from '../../../format/numbers';
import { usePreferences } from '../../../format/preferences';
import { Card } from '../../../ui/card';
import type { LineSeries } from '../../../ui/charts/line-chart';
import { onDemand } from '../../../ui/on-demand';
import { Skeleton } from '../../../ui/skeleton';
import { basisOf, rebasedCurve, simulatedCurve } from '../simulated-curve.rules';
import type { CopierRow, StrategyRecord } from '../use-copier';

const LineChart = onDemand(
  () => import('../../../ui/charts/line-chart').then((module) => module.LineChart),
  <Skeleton className="m-4 h-56" />,
);

export interface SimulationChartProps {
  readonly result: Simulation<'string'>;
  readonly strategy: StrategyRecord;
  readonly sizing: CopierRow['sizing'];
}

/** The simulated copier beside the strategy: the value of 100 at the first signal. */
export function SimulationChart({ result, strategy, sizing }: SimulationChartProps) {
  const { locale } = usePreferences();
  const { curve } = strategy.performance;
  const series = useMemo<readonly LineSeries[]>(() => {
    const own = simulatedCurve(result, basisOf(result, sizing).amount);
    const leader = rebasedCurve(curve, result.from, new Date().toISOString());
    return [
      ...(own.length < 2 ? [] : [{ label: 'Copier', unit: 'start = 100', points: own }]),
      ...(own.length < 2 || leader.length < 2
        ? []
        : [{ label: 'Strategy', unit: 'start = 100', points: leader, tone: 'muted' as const }]),
    ];
  }, [result, curve, sizing]);
  const formatIndex = useCallback((value: number) => formatAmount(String(value), locale, 2), [locale]);
  if (series.length === 0)
    return (
      <Card title="Copier and strategy">
        <p className="text-muted text-sm">
          {result.truncated
            ? 'The curve needs all decisions, and the simulation returned only the newest. Choose a shorter time.'
            : 'There is no curve: too few signals were copied, or the account has no equity in this currency.'}
        </p>
      </Card>
    );
  return (
    <Card title="Copier and strategy, growth of 100" isFlush>
      <LineChart
        description="Value of 100 at the first signal: the simulated copier on its account, and the strategy"
        series={series}
        height={224}
        formatValue={formatIndex}
        baseline={100}
      />
      <p className="px-4 pb-3 text-muted text-xs">
        The curve of the copier is estimated from its decisions. Its end is the result above.
      </p>
    </Card>
  );
}
