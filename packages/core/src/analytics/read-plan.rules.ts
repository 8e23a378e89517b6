/** A range of time, as the days that are kept and the rest of it. Pure. */

/** Part of one UTC day; the end is not in it. */
export interface TimeRange {
  readonly since: Date;
  readonly until: Date;
}

/** What of a selection is read from the days that are kept, and what from the ledger. */
export interface ReadPlan {
  /** The whole days in the range, as `yyyy-mm-dd`; the end is not in it, null is no bound. */
  readonly fromDay: string | null;
  readonly toDay: string | null;
  /** Days in between that are not up to date. */
  readonly staleDays: readonly string[];
  /** What the above leaves out; parts of one day each. */
  readonly ledgerRanges: readonly TimeRange[];
}

const DAY_MS = 86_400_000;
const dayOf = (instantMs: number) => Math.floor(instantMs / DAY_MS);
const textOf = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);

/**
 * Every instant of the range is in a kept day or in one stretch, and in none twice. A day that the range cuts, and a
 * marked one (`yyyy-mm-dd`), is read live as far as the range reaches.
 */
export function planRead(
  range: { readonly from: Date | undefined; readonly to: Date | undefined },
  markedDays: readonly string[],
): ReadPlan {
  const from = range.from?.getTime() ?? Number.NEGATIVE_INFINITY;
  const to = range.to?.getTime() ?? Number.POSITIVE_INFINITY;
  const days = new Set(markedDays.map((day) => dayOf(Date.parse(day))));
  for (const edge of [from, to]) {
    if (Number.isFinite(edge) && edge % DAY_MS !== 0) days.add(dayOf(edge));
  }
  const live = [...days]
    .sort((a, b) => a - b)
    .map((day) => ({ since: Math.max(day * DAY_MS, from), until: Math.min((day + 1) * DAY_MS, to) }))
    .filter(({ since, until }) => since < until)
    .map(({ since, until }) => ({ since: new Date(since), until: new Date(until) }));
  return {
    fromDay: range.from === undefined ? null : textOf(Math.ceil(from / DAY_MS)),
    toDay: range.to === undefined ? null : textOf(dayOf(to)),
    staleDays: markedDays,
    ledgerRanges: live,
  };
}
