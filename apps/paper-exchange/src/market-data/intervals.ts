const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The epoch began on a Thursday; the venue's weeks begin on Mondays. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

const FIXED_MS: ReadonlyMap<string, number> = new Map([
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

/** How candles of one interval stand in time, in UTC. */
export interface Interval {
  readonly name: string;
  /** When the candle that holds `at` begins. */
  readonly openOf: (at: number) => number;
  /** When the candle that begins at `open` ends, exclusive. */
  readonly endOf: (open: number) => number;
}

export const MINUTE: Interval = every('1m', MINUTE_MS, 0);

/** The interval of that name on the wire (`1m` to `1M`); undefined for one that isn't kept, `1s` among them. */
export function findInterval(name: string): Interval | undefined {
  const lengthMs = FIXED_MS.get(name);
  if (lengthMs !== undefined) return every(name, lengthMs, 0);
  if (name === '1w') return every(name, 7 * DAY_MS, FIRST_MONDAY_MS);
  if (name === '1M') return { name, openOf: (at) => monthOf(at, 0), endOf: (open) => monthOf(open, 1) };
  return undefined;
}

function every(name: string, lengthMs: number, offsetMs: number): Interval {
  return {
    name,
    openOf: (at) => Math.floor((at - offsetMs) / lengthMs) * lengthMs + offsetMs,
    endOf: (open) => open + lengthMs,
  };
}

function monthOf(at: number, ahead: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + ahead);
}
