/** Ranges of time that end now. Days are those of UTC, as in the API's analytics. */

export const RANGES = ['7d', '30d', '90d', '1y', 'all'] as const;
export type Range = (typeof RANGES)[number];

export const RANGE_OPTIONS: readonly { readonly value: Range; readonly label: string }[] = [
  { value: '7d', label: '7D' },
  { value: '30d', label: '30D' },
  { value: '90d', label: '90D' },
  { value: '1y', label: '1Y' },
  { value: 'all', label: 'All' },
];

export const RANGE_WORDS: Readonly<Record<Range, string>> = {
  '7d': 'in the last 7 days',
  '30d': 'in the last 30 days',
  '90d': 'in the last 90 days',
  '1y': 'in the last year',
  all: 'so far',
};

const DAYS: Readonly<Record<Exclude<Range, 'all'>, number>> = { '7d': 7, '30d': 30, '90d': 90, '1y': 365 };
const DAY_MS = 86_400_000;

/** Returns the start of the day of an instant, in UTC. */
export const startOfDay = (ms: number) => new Date(Math.floor(ms / DAY_MS) * DAY_MS).toISOString();

/** Returns the start of a range whose last day is that of `nowMs`; undefined for all time. */
export function startOfRange(range: Range, nowMs: number): string | undefined {
  return range === 'all' ? undefined : startOfDay(nowMs - (DAYS[range] - 1) * DAY_MS);
}
