'use client';
import { useCallback, useMemo } from 'react';
import type { Figures } from '../../data/analytics';
import { curveOf, hasEquity } from '../../data/curve.rules';
import { formatAmount } from '../../format/numbers';
import { usePreferences } from '../../format/preferences';
import { RANGE_WORDS, type Range, startOfDay } from '../../format/ranges';
import { ButtonLink } from '../../ui/button';
import { LineChart } from '../../ui/charts/line-chart';
import { EmptyState } from '../../ui/states';

const HEIGHT = 248;

export interface EquityChartProps {
  readonly figures: Figures;
  readonly range: Range;
}

/** The curve of the equity, or of the realised result if the equity is unknown. */
export function EquityChart({ figures, range }: EquityChartProps) {
  const { locale } = usePreferences();
  const today = startOfDay(Date.now());
  const isEquity = hasEquity(figures);
  const unit = figures.currency ?? '';
  const series = useMemo(
    () => [
      { label: isEquity ? 'Equity' : 'Realised result', unit, points: curveOf(figures, today), isArea: true },
    ],
    [figures, today, isEquity, unit],
  );
  const formatValue = useCallback(
    (value: number) => formatAmount(String(value), locale, Math.abs(value) < 10_000 ? 2 : 0),
    [locale],
  );
  if ((series[0]?.points.length ?? 0) < 2)
    return (
      <div style={{ minHeight: HEIGHT }}>
        <EmptyState
          title={
            range === 'all'
              ? 'The curve begins with your first closed trades.'
              : 'Too few closed trades in this range.'
          }
          hint="Each day with a closed trade adds a point."
          action={<ButtonLink href="/positions">View positions</ButtonLink>}
        />
      </div>
    );
  return (
    <LineChart
      description={`${isEquity ? 'Equity' : 'Realised result'} in ${unit} by day, ${RANGE_WORDS[range]}`}
      series={series}
      height={HEIGHT}
      formatValue={formatValue}
    />
  );
}
