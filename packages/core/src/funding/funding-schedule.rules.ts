/** Decides when funding is read. The functions are pure. */

/** Exchanges list a payment some time after the instant of funding. */
const LISTED_AFTER_MS = 60_000;
/** Reads of one instant of funding are spread over this time, so that they do not use up the call budget at once. */
const SPREAD_MS = 240_000;
/** The planned read after an instant of funding begins within this time. */
export const PLANNED_WITHIN_MS = LISTED_AFTER_MS + SPREAD_MS;

const HOUR_MS = 3_600_000;
/** The interval of most perpetuals; used while no rates of a pair are known. */
const FUNDING_INTERVAL_MS = 28_800_000;
/** Exchanges charge interest each hour. Nothing waits for it, so it is read less often. */
export const INTEREST_INTERVAL_MS = 14_400_000;

/**
 * Returns the interval of funding of a pair, in whole hours, because exchanges date funding a few milliseconds late.
 *
 * @param gapMs the least time between two known rates; null if fewer are known
 */
export function fundingIntervalMs(gapMs: number | null): number {
  return gapMs === null ? FUNDING_INTERVAL_MS : Math.max(1, Math.round(gapMs / HOUR_MS)) * HOUR_MS;
}

/**
 * Returns when to read next: after the next instant of funding that a read at `now` may have missed. Instants of funding
 * are multiples of the interval since the epoch.
 *
 * @param key the account or pair; each has its own place in the spread
 */
export function nextReadAt(now: Date, intervalMs: number, key: string): Date {
  const offsetMs = LISTED_AFTER_MS + placeOf(key, SPREAD_MS);
  const passed = Math.floor((now.getTime() - offsetMs) / intervalMs);
  return new Date((passed + 1) * intervalMs + offsetMs);
}

/** Returns the same number below `range` for the same key; the numbers of many keys are spread evenly. */
function placeOf(key: string, range: number): number {
  let hash = 0;
  for (const character of key) hash = (hash * 31 + character.charCodeAt(0)) % 1_000_003;
  return hash % range;
}
