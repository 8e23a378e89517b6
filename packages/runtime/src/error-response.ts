/**
 * Converts errors to responses, for all features and both APIs.
 *
 * A {@link DomainError} has its own code. Any other error is internal: the caller gets only `internal_error` and the request
 * id; the log has the details.
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

/** Default of the Retry-After header, in seconds. */
const RETRY_AFTER_SECONDS = 5;
const CODES_WITH_RETRY_AFTER: readonly ErrorCode[] = ['rate_limited', 'service_unavailable'];

/** HTTP requires a challenge with every 401. Bearer is the only authentication method here with a registered scheme. */
const CHALLENGE = 'Bearer realm="api"';

/** Returns whether an error is expected. Other errors are internal and must be logged. */
export function isExpected(error: unknown): error is DomainError {
  return error instanceof DomainError && ERRORS[error.code].kind !== 'internal';
}

/** Builds the response of an error. */
export function toErrorResponse(error: unknown, requestId: string): ErrorResponse {
  const domainError = error instanceof DomainError ? error : new DomainError('internal_error');
  const { code, message, details } = domainError;
  const { status } = ERRORS[code];
  const headers: Record<string, string> = {};
  if (status === 401) headers['www-authenticate'] = CHALLENGE;
  if (CODES_WITH_RETRY_AFTER.includes(code)) {
    headers['retry-after'] = String(
      Math.max(1, Math.ceil(domainError.retryAfterSeconds ?? RETRY_AFTER_SECONDS)),
    );
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
