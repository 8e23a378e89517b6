/** Reads the retry delay that a server requests: `retry-after-ms`, or `Retry-After` in seconds or as a date. */

/** Returns the delay in milliseconds, 0 or more; undefined if the headers are missing or unreadable. */
export function retryAfterMsIn(headers: Headers, nowMs: number): number | undefined {
  const ms = parseNumber(headers.get('retry-after-ms'));
  if (ms !== undefined) return ms;
  const retryAfter = headers.get('retry-after');
  const seconds = parseNumber(retryAfter);
  if (seconds !== undefined) return seconds * 1000;
  // An HTTP date starts with a weekday; `Date.parse` accepts far more.
  const retryAtMs = /^[a-z]/i.test(retryAfter ?? '') ? Date.parse(retryAfter!) : Number.NaN;
  return Number.isNaN(retryAtMs) ? undefined : Math.max(0, retryAtMs - nowMs);
}

function parseNumber(text: string | null): number | undefined {
  return text !== null && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
}
