/**
 * How a person reads numbers and times. The browser knows it and gives it to the server in a cookie, so that a page arrives as it
 * stays.
 */
export interface Reading {
  /** BCP 47 tag, such as en-GB. */
  readonly locale: string;
  /** IANA name, such as Europe/Berlin. */
  readonly timeZone: string;
  readonly density: 'compact' | 'comfortable';
}

const COOKIE = 'reading';
const YEAR_SECONDS = 365 * 86_400;

/** Returns a reading as one string, the same for equal readings. */
export const formatReading = ({ locale, timeZone, density }: Reading): string =>
  JSON.stringify([locale, timeZone, density]);

/** Returns the reading in a string of `formatReading`; undefined for another string. */
export function parseReading(text: string): Reading | undefined {
  try {
    const [locale, timeZone, density] = JSON.parse(text);
    if (density !== 'compact' && density !== 'comfortable') return undefined;
    // Both throw for an unknown name.
    new Intl.DateTimeFormat(locale, { timeZone });
    return typeof locale === 'string' && typeof timeZone === 'string'
      ? { locale, timeZone, density }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the reading of a request. Without a valid cookie it is the browser's first language, in UTC. */
export function readingOf(headers: Pick<Headers, 'get'>): Reading {
  const stored = /(?:^|; *)reading=([^;]*)/.exec(headers.get('cookie') ?? '')?.[1];
  return (
    parseReading(decoded(stored)) ?? {
      locale: firstLanguage(headers.get('accept-language')),
      timeZone: 'UTC',
      density: 'comfortable',
    }
  );
}

function decoded(value = ''): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return '';
  }
}

function firstLanguage(accepted: string | null): string {
  const first = accepted?.split(/[,;]/, 1)[0]?.trim() ?? '';
  try {
    return Intl.getCanonicalLocales(first)[0] ?? 'en-US';
  } catch {
    return 'en-US';
  }
}

/** Stores the reading of this browser for the server. */
export function storeReading(reading: string): void {
  const cookie = `${COOKIE}=${encodeURIComponent(reading)}`;
  if (document.cookie.split('; ').includes(cookie)) return;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in all browsers
  document.cookie = `${cookie}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax`;
}
