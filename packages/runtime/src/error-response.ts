/**
 * Converts errors to the responses of both APIs.
 *
 * The response to a {@link DomainError} has its code, message and details. Any other error is internal: the response has
 * only the code `internal_error` and the request id, and the caller of this module logs the error.
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

/**
 * HTTP requires an authentication challenge in every 401 response. Of the authentication methods of the APIs, only Bearer
 * has a registered scheme.
 */
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
