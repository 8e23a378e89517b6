'use client';
import { useCallback, useMemo } from 'react';
import type { Figures } from '../../data/analytics';
import { curveOf, hasEquity } from '../../data/curve.rules';
import { formatAmount } from '../../format/numbers';
import { usePreferences } from '../../format/preferences';
import { RANGE_WORDS, type Range, startOfDay } from '../../format/ranges';
import { formatTime } from '../../format/times';
import { ButtonLink } from '../../ui/button';
import { LineChart } from '../../ui/charts/line-chart';
import { StaleNotice } from '../../ui/stale-notice';
import { EmptyState, ErrorState } from '../../ui/states';

const HEIGHT = 248;

export interface EquityCurveProps {
  readonly figures: Figures | undefined;
  /** When the figures were read, in milliseconds since 1970. */
  readonly readAt: number;
  readonly failure: unknown;
  readonly onRetry: () => void;
  readonly range: Range;
}

/** The curve, or why it cannot be shown. */
export function EquityCurve({ figures, readAt, failure, onRetry, range }: EquityCurveProps) {
  if (figures === undefined) return <ErrorState error={failure} onRetry={onRetry} />;
  return (
    <>
      {failure !== null && (
        <div className="px-4 pb-3">
          <StaleNotice error={failure} onRetry={onRetry} />
        </div>
      )}
      <EquityChart figures={figures} readAt={readAt} range={range} />
    </>
  );
}

type ChartProps = Pick<EquityCurveProps, 'readAt' | 'range'> & { readonly figures: Figures };

/** The curve of the equity, or of the realised result if the equity is unknown. */
function EquityChart({ figures, readAt, range }: ChartProps) {
  const style = usePreferences();
  const { locale } = style;
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
      note={`As of ${formatTime(new Date(readAt).toISOString(), style)}`}
    />
  );
}
