/** Splits a time range into days that are read from rollups and the rest, which is computed. The functions are pure. */

/** Part of one UTC day; excludes its end. */
export interface TimeRange {
  readonly since: Date;
  readonly until: Date;
}

/** Defines which parts of a time range are read from rollups, and which are computed from fills, lots and trades. */
export interface ReadPlan {
  /** The first whole day of the range (`yyyy-mm-dd`); null if the range has no start. */
  readonly fromDay: string | null;
  /** The day after the last whole day of the range (`yyyy-mm-dd`); null if the range has no end. */
  readonly toDay: string | null;
  /** The days of the range whose rollups may be outdated. */
  readonly staleDays: readonly string[];
  /** The parts of the range to compute; each is part of one day. */
  readonly computedRanges: readonly TimeRange[];
}

const DAY_MS = 86_400_000;
const dayOf = (instantMs: number) => Math.floor(instantMs / DAY_MS);
const formatDay = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);

/**
 * Plans a read that covers every instant of the range exactly once, by a rollup or by a computed range. Stale days
 * (`yyyy-mm-dd`) are computed, and so are days within which the range starts or ends.
 */
export function planRead(
  range: { readonly from: Date | undefined; readonly to: Date | undefined },
  staleDays: readonly string[],
): ReadPlan {
  const from = range.from?.getTime() ?? Number.NEGATIVE_INFINITY;
  const to = range.to?.getTime() ?? Number.POSITIVE_INFINITY;
  const days = new Set(staleDays.map((day) => dayOf(Date.parse(day))));
  for (const edge of [from, to]) {
    if (Number.isFinite(edge) && edge % DAY_MS !== 0) days.add(dayOf(edge));
  }
  const computedRanges = [...days]
    .sort((a, b) => a - b)
    .map((day) => ({ since: Math.max(day * DAY_MS, from), until: Math.min((day + 1) * DAY_MS, to) }))
    .filter(({ since, until }) => since < until)
    .map(({ since, until }) => ({ since: new Date(since), until: new Date(until) }));
  return {
    fromDay: range.from === undefined ? null : formatDay(Math.ceil(from / DAY_MS)),
    toDay: range.to === undefined ? null : formatDay(dayOf(to)),
    staleDays,
    computedRanges,
  };
}
