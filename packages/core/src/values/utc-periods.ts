import type { ProfitSharePeriod } from '@trading-automation/contracts';

/** A half-open period: includes `from`, excludes `to`. */
export interface UtcPeriod {
  readonly from: Date;
  readonly to: Date;
}

const DAY_MS = 86_400_000;
const MONTHS_PER_PERIOD = { MONTH: 1, QUARTER: 3 } as const;

/**
 * Returns the period that contains `at`. Weeks start on Mondays, quarters in January, April, July and October, all at
 * 00:00 UTC.
 */
export function utcPeriodAt(kind: ProfitSharePeriod, at: Date): UtcPeriod {
  if (kind === 'WEEK') {
    const day = Math.floor(at.getTime() / DAY_MS);
    // Day 0 was a Thursday.
    const from = (day - ((day + 3) % 7)) * DAY_MS;
    return { from: new Date(from), to: new Date(from + 7 * DAY_MS) };
  }
  const months = MONTHS_PER_PERIOD[kind];
  const first = Math.floor(at.getUTCMonth() / months) * months;
  const year = at.getUTCFullYear();
  return { from: new Date(Date.UTC(year, first)), to: new Date(Date.UTC(year, first + months)) };
}
