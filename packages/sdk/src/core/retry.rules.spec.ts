import fc from 'fast-check';
import { backoffMs } from './backoff.js';
import { ApiError, ConnectionError, TimeoutError, toApiError, UnexpectedAnswerError } from './errors.js';
import { RETRY_AFTER_MAX_MS, retryDelayMs } from './retry.rules.js';
import { retryAfterMsIn } from './retry-after.js';

const errorWith = (status: number, code = 'some_code', headers: Record<string, string> = {}) =>
  toApiError({
    status,
    headers: new Headers(headers),
    text: JSON.stringify({ success: false, error: { code, message: 'No.' } }),
    origin: 'https://api.example.com',
  });

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const transientFailure = fc.oneof(
  fc.constant(new ConnectionError('reset')),
  fc.constant(new TimeoutError('late')),
  fc.constantFrom(408, 429, 500, 502, 503, 504).map((status) => errorWith(status)),
  fc.constantFrom('idempotency_in_progress', 'nonce_replayed').map((code) => errorWith(409, code)),
);
const permanentFailure = fc.oneof(
  fc.constant(new UnexpectedAnswerError('a page')),
  fc.constantFrom(400, 401, 403, 404, 405, 409, 410, 413, 415, 422).map((status) => errorWith(status)),
);

describe('a failed request', () => {
  it('is retried up to maxRetries times after a transient failure', () => {
    fc.assert(
      fc.property(
        transientFailure,
        fc.nat(20),
        fc.nat(20),
        chance,
        (failure, retries, maxRetries, random) => {
          const delayMs = retryDelayMs({ retries, maxRetries, failure, random });
          expect(delayMs !== undefined).toBe(retries < maxRetries);
        },
      ),
    );
  });

  it('is not retried after a permanent failure', () => {
    fc.assert(
      fc.property(permanentFailure, fc.nat(20), chance, (failure, maxRetries, random) => {
        expect(retryDelayMs({ retries: 0, maxRetries, failure, random })).toBeUndefined();
      }),
    );
  });

  it('is retried if and only if x-should-retry is true, regardless of the other rules', () => {
    fc.assert(
      fc.property(fc.integer({ min: 400, max: 599 }), fc.boolean(), chance, (status, shouldRetry, random) => {
        const failure = errorWith(status, 'x', { 'x-should-retry': String(shouldRetry) });
        expect(retryDelayMs({ retries: 0, maxRetries: 1, failure, random }) !== undefined).toBe(shouldRetry);
      }),
    );
  });

  it('is retried after 50 to 100 percent of a delay that doubles from 0.5 s up to 8 s', () => {
    fc.assert(
      fc.property(transientFailure, fc.nat(1_000), chance, (failure, retries, random) => {
        const delayMs = retryDelayMs({ retries, maxRetries: 1_001, failure, random })!;
        const fullDelayMs = Math.min(500 * 2 ** retries, 8_000);
        expect(delayMs).toBeGreaterThanOrEqual(fullDelayMs / 2);
        expect(delayMs).toBeLessThanOrEqual(fullDelayMs);
      }),
    );
  });

  it('is retried up to 0.1 s after the requested delay, but not if the requested delay is over a minute', () => {
    fc.assert(
      fc.property(fc.nat(2 * RETRY_AFTER_MAX_MS), fc.nat(5), chance, (requestedMs, retries, random) => {
        const failure = errorWith(429, 'rate_limited', { 'retry-after-ms': String(requestedMs) });
        const delayMs = retryDelayMs({ retries, maxRetries: 6, failure, random });
        if (requestedMs > RETRY_AFTER_MAX_MS) expect(delayMs).toBeUndefined();
        else {
          expect(delayMs).toBeGreaterThanOrEqual(requestedMs);
          expect(delayMs).toBeLessThanOrEqual(requestedMs + 100);
        }
      }),
    );
  });

  it('is retried after the default delay if the requested delay is unreadable', () => {
    const failure = errorWith(503, 'service_unavailable', { 'retry-after': 'soon' });
    expect(failure).toBeInstanceOf(ApiError);
    expect(retryDelayMs({ retries: 0, maxRetries: 1, failure, random: 0 })).toBe(500);
  });
});

describe('the backoff', () => {
  const [firstMs, maxMs] = [500, 8_000];

  it('doubles with each failure, up to the maximum', () => {
    const delays = [0, 1, 4, 5, 5_000].map((failures) =>
      backoffMs({ firstMs, maxMs, jitter: 'subtracted' }, failures, 0),
    );
    expect(delays).toEqual([500, 1_000, 8_000, 8_000, 8_000]);
  });

  it('is shortened by up to half, or extended by up to half', () => {
    expect(backoffMs({ firstMs, maxMs, jitter: 'subtracted' }, 1, 0.5)).toBe(750);
    expect(backoffMs({ firstMs, maxMs, jitter: 'added' }, 1, 0.5)).toBe(1_250);
  });
});

describe('retryAfterMsIn', () => {
  const NOW_MS = Date.UTC(2026, 0, 1, 12);

  it.each([
    [{}, undefined],
    [{ 'retry-after': '3' }, 3_000],
    [{ 'retry-after': ' 3 ' }, 3_000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '1.5' }, 1_500],
    [{ 'retry-after': 'Thu, 01 Jan 2026 12:00:20 GMT' }, 20_000],
    [{ 'retry-after': 'Thu, 01 Jan 2026 11:59:00 GMT' }, 0],
    [{ 'retry-after-ms': '250' }, 250],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after-ms': 'x', 'retry-after': '9' }, 9_000],
    [{ 'retry-after': '-3' }, undefined],
    [{ 'retry-after': 'Infinity' }, undefined],
    [{ 'retry-after': '' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
  ])('returns the delay of %j as %p ms', (headers, ms) => {
    expect(retryAfterMsIn(new Headers(headers as Record<string, string>), NOW_MS)).toBe(ms);
  });
});
