/**
 * Decides whether a request is retried, and after which delay.
 *
 * 1. Only transient failures are retried: no response, 408, 429, 5xx, `idempotency_in_progress` and `nonce_replayed`
 *    (the network duplicated the request). The response header `x-should-retry` overrides these rules.
 * 2. Every request is safe to retry: a POST has an Idempotency-Key, and the other methods are idempotent.
 *    (A DELETE whose first response was lost returns 404 on the retry.)
 * 3. The delay is never shorter than the server requests (`retry-after-ms`, `Retry-After`). If the server requests more
 *    than a minute, the error is thrown, so that the caller can decide when to retry.
 */
import { type Backoff, backoffMs } from './backoff.js';
import { ApiError, type ConnectionError, UnexpectedAnswerError } from './errors.js';

const RETRIED_STATUSES: readonly number[] = [408, 429];
const RETRIED_CODES: readonly string[] = ['idempotency_in_progress', 'nonce_replayed'];

const BACKOFF: Backoff = { firstMs: 500, maxMs: 8_000, jitter: 'subtracted' };
/** The longest delay that the client accepts from the server. */
export const RETRY_AFTER_MAX_MS = 60_000;

/** A failed attempt. */
export interface FailedAttempt {
  /** Number of attempts before this one. */
  readonly retries: number;
  readonly maxRetries: number;
  readonly failure: ApiError | ConnectionError;
  /** A random number, at least 0 and less than 1, so that clients do not retry simultaneously. */
  readonly random: number;
}

/** Returns the milliseconds until the next attempt; undefined if the request is not retried. */
export function retryDelayMs({ retries, maxRetries, failure, random }: FailedAttempt): number | undefined {
  if (retries >= maxRetries || !isTransient(failure)) return undefined;
  const requestedMs = failure instanceof ApiError ? failure.retryAfterMs : undefined;
  if (requestedMs === undefined) return backoffMs(BACKOFF, retries, random);
  return requestedMs > RETRY_AFTER_MAX_MS ? undefined : requestedMs + random * 100;
}

/** Returns whether the same request may succeed later. */
export function isTransient(failure: ApiError | ConnectionError): boolean {
  if (!(failure instanceof ApiError)) return !(failure instanceof UnexpectedAnswerError);
  const { status, code, headers } = failure;
  const override = headers.get('x-should-retry');
  if (override === 'true' || override === 'false') return override === 'true';
  return RETRIED_STATUSES.includes(status) || RETRIED_CODES.includes(code) || status >= 500;
}
