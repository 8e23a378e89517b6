/** The result by day, in weeks that start on Monday. */

export interface DayResult {
  readonly at: string;
  readonly period_pnl: string;
}

export interface HeatCell {
  /** The day, such as 2026-03-01. */
  readonly day: string;
  /** Missing: no trade was closed on the day. */
  readonly result: string | undefined;
  /** From -4, the largest loss, to 4, the largest gain; 0 without a result. */
  readonly level: number;
}

export interface HeatWeek {
  readonly monday: string;
  /** The cells of Monday to Sunday; undefined for days outside of the range. */
  readonly cells: readonly (HeatCell | undefined)[];
}

const DAY_MS = 86_400_000;
const LEVELS = 4;
const WEEKS_MAX = 53;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** Returns the weeks from the first result to `lastDay`, at most the last 53. */
export function heatWeeks(results: readonly DayResult[], lastDay: string): HeatWeek[] {
  const [first] = results;
  if (first === undefined) return [];
  const byDay = new Map(results.map(({ at, period_pnl }) => [at.slice(0, 10), period_pnl]));
  const largest = Math.max(...results.map(({ period_pnl }) => Math.abs(Number(period_pnl))));
  const firstDay = first.at.slice(0, 10);
  const start = mondayOf(Date.parse(firstDay));
  const end = Date.parse(lastDay);
  const weeks: HeatWeek[] = [];
  for (let monday = start; monday <= end; monday += 7 * DAY_MS)
    weeks.push({
      monday: dayOf(monday),
      cells: Array.from({ length: 7 }, (_, i) => {
        const day = dayOf(monday + i * DAY_MS);
        if (day < firstDay || day > lastDay) return undefined;
        const result = byDay.get(day);
        return { day, result, level: result === undefined ? 0 : levelOf(Number(result), largest) };
      }),
    });
  return weeks.slice(-WEEKS_MAX);
}

function mondayOf(ms: number): number {
  const daysSinceMonday = (new Date(ms).getUTCDay() + 6) % 7;
  return ms - daysSinceMonday * DAY_MS;
}

function levelOf(result: number, largest: number): number {
  if (result === 0 || largest === 0) return 0;
  return Math.sign(result) * Math.max(1, Math.ceil((Math.abs(result) / largest) * LEVELS));
}
