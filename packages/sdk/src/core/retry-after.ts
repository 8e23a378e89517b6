/** How long a server asks to be left alone: `retry-after-ms`, or `Retry-After` in seconds or as a date. */

/** Milliseconds from 0 up; undefined where the server asks for none, or in no form that is known. */
export function retryAfterMsIn(headers: Headers, nowMs: number): number | undefined {
  const ms = numberIn(headers.get('retry-after-ms'));
  if (ms !== undefined) return ms;
  const given = headers.get('retry-after');
  const seconds = numberIn(given);
  if (seconds !== undefined) return seconds * 1000;
  // A date of HTTP begins with a weekday; `Date.parse` takes far more for one.
  const at = /^[a-z]/i.test(given ?? '') ? Date.parse(given!) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}

function numberIn(text: string | null): number | undefined {
  return text !== null && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
}
