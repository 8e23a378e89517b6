/**
 * How an error leaves a process: one table for all features and both APIs.
 *
 * A {@link DomainError} says what it is. Anything else is ours to mend: the caller learns only that it
 * happened and under which request id, and the log has the rest.
 */
import { DomainError, ERRORS, type ErrorCode, type ErrorDetail } from '@trading-automation/contracts';

export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: {
    readonly success: false;
    readonly error: {
      readonly code: ErrorCode;
      readonly message: string;
      readonly details?: readonly ErrorDetail[];
      readonly request_id: string;
    };
  };
}

/** Seconds a caller is asked to wait where a refusal does not say it better. */
const RETRY_AFTER_SECONDS = 5;
const ASKS_TO_WAIT: readonly ErrorCode[] = ['rate_limited', 'service_unavailable'];

/** HTTP asks for a challenge beside every 401. Of the ways to authenticate, this is the one with a registered scheme. */
const CHALLENGE = 'Bearer realm="api"';

/** True where the error is an expected refusal, and not a fault of ours to be logged as one. */
export function isExpected(error: unknown): error is DomainError {
  return error instanceof DomainError && ERRORS[error.code].kind !== 'internal';
}

/** The answer that an error becomes. */
export function toErrorResponse(error: unknown, requestId: string): ErrorResponse {
  const refusal = error instanceof DomainError ? error : new DomainError('internal_error');
  const { code, message, details } = refusal;
  const { status } = ERRORS[code];
  const headers: Record<string, string> = {};
  if (status === 401) headers['www-authenticate'] = CHALLENGE;
  if (ASKS_TO_WAIT.includes(code)) {
    headers['retry-after'] = String(Math.max(1, Math.ceil(refusal.retryAfterSeconds ?? RETRY_AFTER_SECONDS)));
  }
  return {
    status,
    headers,
    body: {
      success: false,
      error: { code, message, ...(details.length > 0 ? { details } : {}), request_id: requestId },
    },
  };
}
