const DAY_MS = 86_400_000;
/** The numbers from 0 to 99, padded to two digits. */
const TWO_DIGITS = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));
/** The numbers from 0 to 999, padded to three digits. */
const THREE_DIGITS = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'));

/**
 * The day of the last formatted instant, in days since 1970. `lastPrefix` is its date, followed by `T`. Formatting a
 * date is slow, and most instants of a page share their day.
 */
let lastDay = Number.NaN;
let lastPrefix = '';

/**
 * Returns the same string as `instant.toISOString()`, but several times faster: a page of records contains hundreds
 * of instants.
 *
 * @throws {RangeError} if the instant is invalid
 */
export function formatInstant(instant: Date): string {
  const epochMs = instant.getTime();
  const day = Math.floor(epochMs / DAY_MS);
  if (day !== lastDay) {
    lastPrefix = instant.toISOString().slice(0, -'00:00:00.000Z'.length);
    lastDay = day;
  }
  const ms = epochMs - day * DAY_MS;
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  return `${lastPrefix}${TWO_DIGITS[Math.floor(minutes / 60)]}:${TWO_DIGITS[minutes % 60]}:${TWO_DIGITS[seconds % 60]}.${THREE_DIGITS[ms % 1000]}Z`;
}
