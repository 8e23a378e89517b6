/** Splits a time range into days with rollups and the rest. Pure. */

/** Part of one UTC day; excludes its end. */
export interface TimeRange {
  readonly since: Date;
  readonly until: Date;
}

/** Which parts of a selection are read from rollups and which from the ledger. */
export interface ReadPlan {
  /** The whole days of the range, as `yyyy-mm-dd`; excludes `toDay`; null means unbounded. */
  readonly fromDay: string | null;
  readonly toDay: string | null;
  /** The stale days of the range. */
  readonly staleDays: readonly string[];
  /** The rest of the range; each of these is part of one day. */
  readonly ledgerRanges: readonly TimeRange[];
}

const DAY_MS = 86_400_000;
const dayOf = (instantMs: number) => Math.floor(instantMs / DAY_MS);
const formatDay = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);

/**
 * Plans a read that covers every instant of the range exactly once, by a rollup or by one ledger range. Stale days
 * (`yyyy-mm-dd`) and the days at whose middle the range starts or ends are read from the ledger, within the range.
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
  const ledgerRanges = [...days]
    .sort((a, b) => a - b)
    .map((day) => ({ since: Math.max(day * DAY_MS, from), until: Math.min((day + 1) * DAY_MS, to) }))
    .filter(({ since, until }) => since < until)
    .map(({ since, until }) => ({ since: new Date(since), until: new Date(until) }));
  return {
    fromDay: range.from === undefined ? null : formatDay(Math.ceil(from / DAY_MS)),
    toDay: range.to === undefined ? null : formatDay(dayOf(to)),
    staleDays,
    ledgerRanges,
  };
}
