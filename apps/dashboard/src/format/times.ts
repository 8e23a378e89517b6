import { relativeTimeFormatter, timeFormatter } from './formatters';

export interface TimeStyle {
  readonly locale: string | undefined;
  /** IANA name; undefined: that of the browser. */
  readonly timeZone: string | undefined;
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Formats a time relative to now: "just now" under 10 s, then "2 min ago", and a date after 7 days. The past is rounded down, the future to the nearest. */
export function formatRelative(at: string, nowMs: number, { locale, timeZone }: TimeStyle): string {
  const seconds = (Date.parse(at) - nowMs) / 1000;
  if (Math.abs(seconds) < 10) return 'just now';
  if (Math.abs(seconds) > 7 * 86_400)
    return timeFormatter(locale, { dateStyle: 'medium', timeZone }).format(new Date(at));
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return relativeTimeFormatter(locale, { style: 'short', numeric: 'always' }).format(
    seconds > 0 ? Math.round(seconds / size) : Math.trunc(seconds / size),
    unit,
  );
}

/** Formats the exact time with its zone. */
export function formatExact(at: string, { locale, timeZone }: TimeStyle): string {
  return timeFormatter(locale, { dateStyle: 'medium', timeStyle: 'long', timeZone }).format(new Date(at));
}

/** Formats a time for a table: date and time to the second. */
export function formatTime(at: string, { locale, timeZone }: TimeStyle): string {
  return timeFormatter(locale, {
    month: 'short',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZone,
  }).format(new Date(at));
}

/** Formats a duration in milliseconds: 340 ms, 2.4 s, 3 min. No line breaks before the unit. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)}\u202fms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)}\u202fs`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)}\u202fmin`;
  return `${Math.round(ms / 3_600_000)}\u202fh`;
}
