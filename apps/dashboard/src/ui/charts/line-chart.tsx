'use client';
/** Lines over time, such as equity and drawdown, on one axis of time. */
import type { IChartApi, UTCTimestamp } from 'lightweight-charts';
import { useTheme } from 'next-themes';
import { memo, useEffect, useRef, useState } from 'react';
import { loadLate } from '../../data/late-code';
import { usePreferences } from '../../format/preferences';
import { formatExact } from '../../format/times';
import { classNames } from '../class-names';
import { MissingCode } from '../missing-code';
import { ChartFrame, type ChartFrameProps } from './chart-frame';
import { chartColours, withOpacity } from './theme';

export interface LineSeries {
  readonly label: string;
  readonly unit: string;
  /** In order of time; a missing value leaves a gap. */
  readonly points: readonly { readonly at: string; readonly value: number | null }[];
  readonly tone?: 'accent' | 'muted' | 'loss';
  /** Fills the area below the line. */
  readonly isArea?: boolean;
  /** The number of the part of the chart, from the top; all parts share the axis of time. */
  readonly pane?: number;
}

export interface LineChartProps {
  /** What the chart shows, in a sentence, for screen readers. */
  readonly description: string;
  readonly series: readonly LineSeries[];
  readonly height?: number;
  readonly formatValue: (value: number) => string;
  /** Draws a line at this value, such as zero. */
  readonly baseline?: number;
  readonly note?: ChartFrameProps['note'];
}

type Library = typeof import('lightweight-charts');

const TONES = { accent: 'iris-9', muted: 'slate-11', loss: 'tomato-9' } as const;
const KEY_TONES = { accent: 'bg-accent', muted: 'bg-muted', loss: 'bg-loss-solid' } as const;
const KEY_PX = 24;
const timeOf = (at: string) => Math.floor(Date.parse(at) / 1000) as UTCTimestamp;

/** Renders again only for another series, since it writes all of its points into a table for screen readers. */
export const LineChart = memo(function LineChart(props: LineChartProps) {
  const { description, series, height = 240, formatValue, baseline, note } = props;
  const hasKey = series.length > 1;
  const style = usePreferences();
  return (
    <ChartFrame
      description={description}
      height={height}
      note={note}
      table={{
        columns: ['Time', ...series.map(({ label, unit }) => `${label} (${unit})`)],
        rows: tableRows(series, formatValue, (at) => formatExact(at, style)),
      }}
    >
      {hasKey && <Key series={series} />}
      <Canvas
        series={series}
        height={hasKey ? height - KEY_PX : height}
        formatValue={formatValue}
        baseline={baseline}
      />
    </ChartFrame>
  );
});

/** Names the lines above the chart, where no name covers a line. */
function Key({ series }: Pick<LineChartProps, 'series'>) {
  return (
    <p className="flex items-center gap-4 px-4 text-muted text-xs" style={{ height: KEY_PX }}>
      {series.map(({ label, tone = 'accent' }) => (
        <span key={label} className="flex items-center gap-1.5">
          <span aria-hidden className={classNames('h-0.5 w-3 rounded', KEY_TONES[tone])} />
          {label}
        </span>
      ))}
    </p>
  );
}

function tableRows(
  series: readonly LineSeries[],
  formatValue: (value: number) => string,
  formatAt: (at: string) => string,
): string[][] {
  const times = [...new Set(series.flatMap(({ points }) => points.map(({ at }) => at)))].sort();
  const byTime = series.map(({ points }) => new Map(points.map(({ at, value }) => [at, value])));
  return times.map((at) => [
    formatAt(at),
    ...byTime.map((values) => {
      const value = values.get(at);
      return value === undefined || value === null ? '–' : formatValue(value);
    }),
  ]);
}

const SHORT_S = 3 * 86_400;

/** Whether the axis shows times of day, because the whole chart covers a few days. */
function isWithinDays(series: readonly LineSeries[]): boolean {
  const times = series.flatMap(({ points }) => points.map(({ at }) => timeOf(at)));
  return Math.max(...times) - Math.min(...times) < SHORT_S;
}

function Canvas({
  series,
  height,
  formatValue,
  baseline,
}: Pick<LineChartProps, 'series' | 'formatValue' | 'baseline'> & { readonly height: number }) {
  const box = useRef<HTMLDivElement>(null);
  const [isMissing, setMissing] = useState(false);
  const { resolvedTheme } = useTheme();
  const { locale } = usePreferences();
  useEffect(() => {
    let chart: IChartApi | undefined;
    let isGone = false;
    const draw = ({ createChart, AreaSeries, LineSeries: Line, LineStyle }: Library) => {
      if (isGone || box.current === null) return;
      const colours = chartColours();
      chart = createChart(box.current, {
        height,
        autoSize: true,
        layout: {
          background: { color: 'transparent' },
          textColor: colours['slate-11'],
          fontSize: 11,
          // A canvas inherits no font.
          fontFamily: getComputedStyle(box.current).fontFamily,
          panes: { separatorColor: withOpacity(colours['slate-6'], 0.6), enableResize: false },
          attributionLogo: false,
        },
        localization: { priceFormatter: formatValue, ...(locale === undefined ? {} : { locale }) },
        grid: { vertLines: { visible: false }, horzLines: { color: withOpacity(colours['slate-6'], 0.6) } },
        rightPriceScale: {
          borderVisible: false,
          entireTextOnly: true,
          scaleMargins: { top: 0.12, bottom: 0.08 },
        },
        timeScale: {
          borderVisible: false,
          fixLeftEdge: true,
          fixRightEdge: true,
          timeVisible: isWithinDays(series),
        },
        handleScroll: false,
        handleScale: false,
      });
      for (const { points, tone = 'accent', isArea = false, pane = 0 } of series) {
        const colour = colours[TONES[tone]];
        const common = {
          lineWidth: 2 as const,
          priceLineVisible: false,
          lastValueVisible: true,
        };
        const drawn = isArea
          ? chart.addSeries(
              AreaSeries,
              {
                ...common,
                lineColor: colour,
                topColor: withOpacity(colour, 0.12),
                bottomColor: withOpacity(colour, 0.02),
                invertFilledArea: tone === 'loss',
              },
              pane,
            )
          : chart.addSeries(Line, { ...common, color: colour }, pane);
        drawn.setData(
          points.map(({ at, value }) =>
            value === null ? { time: timeOf(at) } : { time: timeOf(at), value },
          ),
        );
        if (pane > 0) drawn.priceScale().applyOptions({ scaleMargins: { top: 0.1, bottom: 0.1 } });
        if (baseline !== undefined)
          drawn.createPriceLine({
            price: baseline,
            color: colours['slate-11'],
            lineWidth: 1,
            lineStyle: LineStyle.Dotted,
            axisLabelVisible: false,
            title: '',
          });
      }
      // The main part is twice as high as the others.
      for (const [i, pane] of chart.panes().entries()) pane.setStretchFactor(i === 0 ? 2 : 1);
      chart.timeScale().fitContent();
    };
    void loadLate(() => import('lightweight-charts')).then(draw, () => setMissing(true));
    return () => {
      isGone = true;
      chart?.remove();
    };
  }, [series, height, formatValue, baseline, resolvedTheme, locale]);
  return isMissing ? <MissingCode /> : <div ref={box} aria-hidden style={{ height }} />;
}
