/** What the checks of this tab have seen. The API returns the present state only. */

export interface Outage {
  /** The name of a part; `EVERYTHING` if the check itself failed. */
  readonly part: string;
  readonly fromMs: number;
  /** Undefined while it lasts. */
  readonly toMs?: number;
}

export interface Seen {
  readonly sinceMs: number;
  readonly lastMs: number;
  readonly checks: number;
  /** Newest first. */
  readonly outages: readonly Outage[];
}

export const EVERYTHING = '*';

const OUTAGES_MAX = 50;

/** Adds a check: begins an outage for each failing part that worked before, and ends those of the others. */
export function withCheck(seen: Seen | undefined, failing: readonly string[], atMs: number): Seen {
  if (seen !== undefined && atMs <= seen.lastMs) return seen;
  const { sinceMs = atMs, checks = 0, outages = [] } = seen ?? {};
  const open = outages.filter(({ toMs }) => toMs === undefined).map(({ part }) => part);
  const begun = failing
    .filter((part) => !open.includes(part))
    .map((part): Outage => ({ part, fromMs: atMs }));
  const continued = outages.map((outage) =>
    outage.toMs !== undefined || failing.includes(outage.part) ? outage : { ...outage, toMs: atMs },
  );
  return {
    sinceMs,
    lastMs: atMs,
    checks: checks + 1,
    outages: [...begun, ...continued].slice(0, OUTAGES_MAX),
  };
}
