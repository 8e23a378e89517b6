import fc from 'fast-check';
import { ApiError, ConnectionError, TimeoutError, toApiError, UnexpectedAnswerError } from './errors.js';
import { RETRY_AFTER_MAX_MS, retryDelayMs } from './retry.rules.js';

const refused = (status: number, code = 'some_code', headers: Record<string, string> = {}) =>
  toApiError({
    status,
    headers: new Headers(headers),
    text: JSON.stringify({ success: false, error: { code, message: 'No.' } }),
    origin: 'https://api.example.com',
  });

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const passing = fc.oneof(
  fc.constant(new ConnectionError('reset')),
  fc.constant(new TimeoutError('late')),
  fc.constantFrom(408, 429, 500, 502, 503, 504).map((status) => refused(status)),
  fc.constantFrom('idempotency_in_progress', 'nonce_replayed').map((code) => refused(409, code)),
);
const lasting = fc.oneof(
  fc.constant(new UnexpectedAnswerError('a page')),
  fc.constantFrom(400, 401, 403, 404, 405, 409, 410, 413, 415, 422).map((status) => refused(status)),
);

describe('a request that failed', () => {
  it('is sent again as often as was asked for, where it may pass, and never more', () => {
    fc.assert(
      fc.property(passing, fc.nat(20), fc.nat(20), chance, (failure, retries, maxRetries, random) => {
        const delayMs = retryDelayMs({ retries, maxRetries, failure, random });
        expect(delayMs !== undefined).toBe(retries < maxRetries);
      }),
    );
  });

  it('is never sent again where it can not pass', () => {
    fc.assert(
      fc.property(lasting, fc.nat(20), chance, (failure, maxRetries, random) => {
        expect(retryDelayMs({ retries: 0, maxRetries, failure, random })).toBeUndefined();
      }),
    );
  });

  it("follows the server's word whether to try again, against every rule of its own", () => {
    fc.assert(
      fc.property(fc.integer({ min: 400, max: 599 }), fc.boolean(), chance, (status, told, random) => {
        const failure = refused(status, 'x', { 'x-should-retry': String(told) });
        expect(retryDelayMs({ retries: 0, maxRetries: 1, failure, random }) !== undefined).toBe(told);
      }),
    );
  });

  it('waits between half of a step and all of it; steps double up to eight seconds', () => {
    fc.assert(
      fc.property(passing, fc.nat(1_000), chance, (failure, retries, random) => {
        const delayMs = retryDelayMs({ retries, maxRetries: 1_001, failure, random })!;
        const step = Math.min(500 * 2 ** retries, 8_000);
        expect(delayMs).toBeGreaterThanOrEqual(step / 2);
        expect(delayMs).toBeLessThanOrEqual(step);
      }),
    );
  });

  it('waits as long as the server asks, a tenth of a second more at most, and over a minute not at all', () => {
    fc.assert(
      fc.property(fc.nat(2 * RETRY_AFTER_MAX_MS), fc.nat(5), chance, (askedMs, retries, random) => {
        const failure = refused(429, 'rate_limited', { 'retry-after-ms': String(askedMs) });
        const delayMs = retryDelayMs({ retries, maxRetries: 6, failure, random });
        if (askedMs > RETRY_AFTER_MAX_MS) expect(delayMs).toBeUndefined();
        else {
          expect(delayMs).toBeGreaterThanOrEqual(askedMs);
          expect(delayMs).toBeLessThanOrEqual(askedMs + 100);
        }
      }),
    );
  });

  it('waits by its own steps where the server asks in no known form', () => {
    const failure = refused(503, 'service_unavailable', { 'retry-after': 'soon' });
    expect(failure).toBeInstanceOf(ApiError);
    expect(retryDelayMs({ retries: 0, maxRetries: 1, failure, random: 0 })).toBe(500);
  });
});
