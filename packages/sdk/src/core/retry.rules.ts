/**
 * Whether a request is sent again, and after how long.
 *
 * 1. Only what may pass is tried again: no answer, 408, 429, 5xx, a repetition that met its first request still at
 *    work, and a nonce that the network sent twice. `x-should-retry` of an answer goes before all of it.
 * 2. Every request may be sent twice: a POST carries an Idempotency-Key, and what else writes says how things shall be.
 *    (A DELETE whose first answer was lost is then a 404: there is nothing left to delete.)
 * 3. What the server asks for (`retry-after-ms`, `Retry-After`) is kept, never undercut; over a minute it is the
 *    caller's to wait.
 */
import { ApiError, type ConnectionError, UnexpectedAnswerError } from './errors.js';

const RETRIED_STATUSES: readonly number[] = [408, 429];
const RETRIED_CODES: readonly string[] = ['idempotency_in_progress', 'nonce_replayed'];

const FIRST_DELAY_MS = 500;
const DELAY_MAX_MS = 8_000;
/** The longest that a server's word is waited for. */
export const RETRY_AFTER_MAX_MS = 60_000;

/** How an attempt ended without success. */
export interface FailedAttempt {
  /** How many attempts came before this one. */
  readonly retries: number;
  readonly maxRetries: number;
  readonly failure: ApiError | ConnectionError;
  /** At least 0 and less than 1: so that not all come back at once. */
  readonly random: number;
}

/** Milliseconds until the next attempt; undefined where there is none. */
export function retryDelayMs({ retries, maxRetries, failure, random }: FailedAttempt): number | undefined {
  if (retries >= maxRetries || !isTransient(failure)) return undefined;
  const asked = failure instanceof ApiError ? failure.retryAfterMs : undefined;
  if (asked === undefined) return Math.min(FIRST_DELAY_MS * 2 ** retries, DELAY_MAX_MS) * (1 - random / 2);
  return asked > RETRY_AFTER_MAX_MS ? undefined : asked + random * 100;
}

/** Whether the same request may succeed later. */
export function isTransient(failure: ApiError | ConnectionError): boolean {
  if (!(failure instanceof ApiError)) return !(failure instanceof UnexpectedAnswerError);
  const { status, code, headers } = failure;
  const told = headers.get('x-should-retry');
  if (told === 'true' || told === 'false') return told === 'true';
  return RETRIED_STATUSES.includes(status) || RETRIED_CODES.includes(code) || status >= 500;
}
