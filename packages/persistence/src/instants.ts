import pg from 'pg';

const { TIMESTAMPTZ } = pg.types.builtins;
const LENGTH_TO_SECONDS = 'YYYY-MM-DD HH:MM:SS'.length;
const UTC = '+00';
/** `Date.UTC` maps the years 0 to 99 to 1900 to 1999. */
const YEAR_MIN = 100;

const parseWithDriver = pg.types.getTypeParser(TIMESTAMPTZ);

/** The driver's type parsers, except for a faster parser of timestamps. */
export const TYPE_PARSERS: pg.CustomTypesConfig = {
  getTypeParser: (type, format) =>
    type === TIMESTAMPTZ && format !== 'binary' ? readInstant : pg.types.getTypeParser(type, format),
};

/**
 * Parses a `timestamptz` to the millisecond, with the same result as the driver but faster. A page of a list contains
 * hundreds of timestamps, nearly all like `2026-11-21 18:54:37.123456+00`. The driver parses all other forms.
 */
export function readInstant(text: string): Date {
  const utcMs = text.endsWith(UTC) ? epochMsOf(text, text.length - UTC.length) : Number.NaN;
  return Number.isNaN(utcMs) ? parseWithDriver(text) : new Date(utcMs);
}

/** Parses `text` up to `end` and returns Unix time in milliseconds; NaN if the text has another form. */
function epochMsOf(text: string, end: number): number {
  const year = digits(text, 0, 4);
  if (!(year >= YEAR_MIN && hasPunctuation(text))) return Number.NaN;
  const ms = millisecondsOf(text, end);
  const seconds = digits(text, 11, 13) * 3600 + digits(text, 14, 16) * 60 + digits(text, 17, 19);
  return Date.UTC(year, digits(text, 5, 7) - 1, digits(text, 8, 10)) + seconds * 1000 + ms;
}

const [HYPHEN, SPACE, COLON, POINT, ZERO] = [0x2d, 0x20, 0x3a, 0x2e, 0x30];

function hasPunctuation(text: string): boolean {
  return (
    text.charCodeAt(4) === HYPHEN &&
    text.charCodeAt(7) === HYPHEN &&
    text.charCodeAt(10) === SPACE &&
    text.charCodeAt(13) === COLON &&
    text.charCodeAt(16) === COLON
  );
}

/** Returns the fraction of the second in milliseconds, truncated; NaN if the text has another form. */
function millisecondsOf(text: string, end: number): number {
  if (end === LENGTH_TO_SECONDS) return 0;
  const first = LENGTH_TO_SECONDS + 1;
  if (text.charCodeAt(LENGTH_TO_SECONDS) !== POINT || end <= first) return Number.NaN;
  const millisecondsEnd = Math.min(end, first + 3);
  const droppedDigits = digits(text, millisecondsEnd, end);
  const scale = [100, 10, 1][millisecondsEnd - first - 1]!;
  return Number.isNaN(droppedDigits) ? Number.NaN : digits(text, first, millisecondsEnd) * scale;
}

function digits(text: string, from: number, to: number): number {
  let value = 0;
  for (let i = from; i < to; i++) {
    const digit = text.charCodeAt(i) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}
