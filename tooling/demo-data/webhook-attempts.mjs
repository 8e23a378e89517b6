import { instantOf } from './units.mjs';

/** The delays before the attempts of a delivery, counted from the end of the attempt before. */
export const RETRIES = [120, 5000, 30_000, 120_000, 600_000];

/** @typedef {'serverError' | 'timeout' | 'rateLimited' | 'unavailable' | 'unknownHost'} FailureKind */

/** @type {Readonly<Record<FailureKind, { status: number | null, error: string, reason: string, body: string | null, ms: readonly [number, number] }>>} */
const FAILURES = {
  serverError: {
    status: 500,
    error: 'http_status',
    reason: 'http_status',
    body: '{"error":"internal_error","message":"relation \\"inbound_fills\\" does not exist"}',
    ms: [90, 700],
  },
  timeout: {
    status: null,
    error: 'timeout',
    reason: 'timeout_in_response',
    body: null,
    ms: [10_000, 10_020],
  },
  rateLimited: {
    status: 429,
    error: 'http_status',
    reason: 'http_status',
    body: '{"error":"too_many_requests","retry_after":30}',
    ms: [20, 90],
  },
  unavailable: {
    status: 503,
    error: 'http_status',
    reason: 'http_status',
    body: '<html><body><h1>503 Service Unavailable</h1></body></html>',
    ms: [15, 60],
  },
  unknownHost: { status: null, error: 'dns_error', reason: 'dns_name_not_found', body: null, ms: [3, 40] },
};

/**
 * Returns the attempts of a delivery: the failed ones, and a successful one unless all attempts failed.
 *
 * @param {{ random: import('./random.mjs').Random, at: number, failures: number, kinds: readonly FailureKind[] }} options
 */
export function attemptsOf({ random, at, failures, kinds }) {
  let time = at;
  const count = Math.min(failures + 1, RETRIES.length);
  return Array.from({ length: count }, (_, index) => {
    time += (RETRIES[index] ?? 0) * (1 + random.next() * 0.08);
    const attemptedAt = Math.floor(time);
    const failure = index < failures ? FAILURES[random.pick(kinds)] : undefined;
    const duration =
      failure === undefined ? Math.exp(4.7 + random.normal() * 0.45) : random.between(...failure.ms);
    time += duration;
    const delay = RETRIES[index + 1];
    const isRetried = failure !== undefined && delay !== undefined;
    return {
      id: random.uuid(attemptedAt),
      attempt: index + 1,
      status: failure === undefined ? 'SUCCEEDED' : 'FAILED',
      status_code: failure === undefined ? 200 : failure.status,
      error: failure?.error ?? null,
      error_reason: failure?.reason ?? null,
      response_time_ms: Math.round(duration),
      response_body: failure === undefined ? '{"received":true}' : failure.body,
      attempted_at: instantOf(attemptedAt),
      next_attempt_at: isRetried ? instantOf(time + delay) : null,
      created_at: instantOf(Math.floor(time)),
    };
  });
}
