const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The venue's weeks start on Mondays. The Unix epoch, 1 January 1970, was a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

const FIXED_MS: ReadonlyMap<string, number> = new Map([
  ['1s', 1_000],
  ['1m', MINUTE_MS],
  ['3m', 3 * MINUTE_MS],
  ['5m', 5 * MINUTE_MS],
  ['15m', 15 * MINUTE_MS],
  ['30m', 30 * MINUTE_MS],
  ['1h', HOUR_MS],
  ['2h', 2 * HOUR_MS],
  ['4h', 4 * HOUR_MS],
  ['6h', 6 * HOUR_MS],
  ['8h', 8 * HOUR_MS],
  ['12h', 12 * HOUR_MS],
  ['1d', DAY_MS],
  ['3d', 3 * DAY_MS],
]);

/** The boundaries of the candles of one interval, in UTC. */
export interface Interval {
  readonly name: string;
  /** The start of the candle that contains `at`. */
  readonly openOf: (at: number) => number;
  /** The exclusive end of the candle that starts at `open`. */
  readonly endOf: (open: number) => number;
}

export const SECOND: Interval = every('1s', 1_000, 0);
export const MINUTE: Interval = every('1m', MINUTE_MS, 0);

/** Returns the interval with this wire name (`1s` to `1M`); undefined for an unsupported name such as `7m`. */
export function findInterval(name: string): Interval | undefined {
  const lengthMs = FIXED_MS.get(name);
  if (lengthMs !== undefined) return every(name, lengthMs, 0);
  if (name === '1w') return every(name, 7 * DAY_MS, FIRST_MONDAY_MS);
  if (name === '1M') return { name, openOf: (at) => monthStart(at, 0), endOf: (open) => monthStart(open, 1) };
  return undefined;
}

function every(name: string, lengthMs: number, offsetMs: number): Interval {
  return {
    name,
    openOf: (at) => Math.floor((at - offsetMs) / lengthMs) * lengthMs + offsetMs,
    endOf: (open) => open + lengthMs,
  };
}

/** Returns the start of the month that is `monthsLater` after the month of `at`. */
function monthStart(at: number, monthsLater: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsLater);
}
