'use client';
import type { Figures } from '../../data/analytics';
import { timeFormatter } from '../../format/formatters';
import { formatSigned } from '../../format/numbers';
import { usePreferences } from '../../format/preferences';
import { Card } from '../../ui/card';
import { ChartFrame } from '../../ui/charts/chart-frame';
import { ScrollRegion } from '../../ui/scroll-region';
import { EmptyState } from '../../ui/states';
import { type HeatCell, type HeatWeek, heatWeeks } from './heat-map.rules';

const WEEKDAYS = ['Mon', '', 'Wed', '', 'Fri', '', 'Sun'];
const HEIGHT = 220;
/** Up to this number of weeks, the squares of a wide screen have room for the result. */
const WEEKS_WITH_FIGURES = 14;
const GAIN = ['jade-3', 'jade-4', 'jade-5', 'jade-7'];
const LOSS = ['tomato-3', 'tomato-4', 'tomato-5', 'tomato-7'];

/** The result of each day, in weeks. */
export function HeatMap({ figures, lastDay }: { readonly figures: Figures; readonly lastDay: string }) {
  const { locale } = usePreferences();
  const weeks = heatWeeks(figures.equity_curve, lastDay);
  const unit = figures.currency ?? '';
  const nameOf = (day: string) =>
    timeFormatter(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(day));
  return (
    <Card title={`Result by day${unit === '' ? '' : `, ${unit}`}`} isFlush>
      {weeks.length === 0 ? (
        <EmptyState title="No trade was closed in this range." />
      ) : (
        <ChartFrame
          description={`Result by day in ${unit}`}
          height={HEIGHT}
          hasAttribution={false}
          table={{
            columns: ['Day (UTC)', `Result (${unit})`],
            rows: figures.equity_curve.map(({ at, period_pnl }) => [
              nameOf(at),
              formatSigned(period_pnl, locale, 2),
            ]),
          }}
        >
          <div style={{ height: HEIGHT }} className="flex flex-col justify-between px-4">
            <ScrollRegion label="Days, in weeks" className="overflow-x-auto pb-2">
              <div aria-hidden className="flex gap-1">
                <Weekdays />
                {weeks.map((week, i) => (
                  <Week
                    key={week.monday}
                    week={week}
                    month={monthOf(week, weeks[i - 1], locale)}
                    titleOf={(cell) => titleOf(cell, nameOf(cell.day), unit, locale)}
                    hasFigures={weeks.length <= WEEKS_WITH_FIGURES}
                  />
                ))}
              </div>
            </ScrollRegion>
            <Legend />
          </div>
        </ChartFrame>
      )}
    </Card>
  );
}

function titleOf({ result }: HeatCell, day: string, unit: string, locale: string | undefined): string {
  return result === undefined
    ? `${day}: no closed trade`
    : `${day}: ${formatSigned(result, locale, 2)} ${unit}`;
}

/** The name of the month if the week is the first one that begins in it. */
function monthOf(week: HeatWeek, before: HeatWeek | undefined, locale: string | undefined): string {
  if (before !== undefined && before.monday.slice(0, 7) === week.monday.slice(0, 7)) return '';
  return timeFormatter(locale, { month: 'short', timeZone: 'UTC' }).format(new Date(week.monday));
}

const Weekdays = () => (
  <div className="flex shrink-0 flex-col gap-1 pr-1 text-2xs text-muted">
    <span className="h-4" />
    {WEEKDAYS.map((name, i) => (
      <span key={i} className="flex h-5 items-center">
        {name}
      </span>
    ))}
  </div>
);

function Week({
  week,
  month,
  titleOf,
  hasFigures,
}: {
  readonly week: HeatWeek;
  readonly month: string;
  readonly titleOf: (cell: HeatCell) => string;
  readonly hasFigures: boolean;
}) {
  return (
    <div className="flex w-5 min-w-5 flex-1 flex-col gap-1">
      <span className="h-4 overflow-visible whitespace-nowrap text-2xs text-muted">{month}</span>
      {week.cells.map((cell, i) =>
        cell === undefined ? (
          <span key={i} className="h-5" />
        ) : (
          <Square
            key={cell.day}
            level={cell.level}
            title={titleOf(cell)}
            {...(hasFigures ? { result: cell.result } : {})}
          />
        ),
      )}
    </div>
  );
}

interface SquareProps {
  readonly level: number;
  readonly title?: string;
  /** Shown on wide screens in the place of the sign. */
  readonly result?: string | undefined;
}

function Square({ level, title, result }: SquareProps) {
  const { locale } = usePreferences();
  const colour = level === 0 ? 'slate-3' : (level > 0 ? GAIN : LOSS)[Math.abs(level) - 1];
  const sign = level === 0 ? '' : level > 0 ? '+' : '−';
  return (
    <span
      title={title}
      style={{ background: `var(--${colour})` }}
      className="grid h-5 min-w-5 place-items-center rounded-xs text-2xs"
    >
      {result === undefined ? (
        sign
      ) : (
        <>
          <span className="lg:hidden">{sign}</span>
          <span className="hidden lg:inline">{formatSigned(result, locale, 0)}</span>
        </>
      )}
    </span>
  );
}

function Legend() {
  return (
    <p aria-hidden className="flex flex-wrap items-center gap-1 text-2xs text-muted">
      <span className="pr-1">Loss</span>
      {[-4, -3, -2, -1, 0, 1, 2, 3, 4].map((level) => (
        <Square key={level} level={level} />
      ))}
      <span className="pl-1">Gain</span>
    </p>
  );
}
