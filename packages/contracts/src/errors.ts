import type { DetailCode } from './detail-codes.js';

/**
 * Every error code of the product; the list is closed. A feature throws a code, and this table
 * decides how each transport renders the error.
 */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'rate_limited'
  | 'unavailable'
  | 'internal';

interface ErrorEntry {
  readonly status: number;
  readonly kind: ErrorKind;
  /** What is wrong. */
  readonly meaning: string;
  /** How the caller can fix it. */
  readonly resolution: string;
}

export const ERRORS = {
  authentication_required: {
    status: 401,
    kind: 'unauthenticated',
    meaning: 'The request carries no credentials.',
    resolution: 'Send an API key in X-API-Key, or sign the request.',
  },
  invalid_api_key: {
    status: 401,
    kind: 'unauthenticated',
    meaning: 'The API key is unknown, revoked or expired, or belongs to the other environment.',
    resolution: 'Create or rotate a key, and use it at the base URL of its environment (test or live).',
  },
  invalid_access_token: {
    status: 401,
    kind: 'unauthenticated',
    meaning: 'The access token is unknown, expired or revoked.',
    resolution: 'Refresh the token or sign in again. Prefer signed requests.',
  },
  invalid_login: {
    status: 401,
    kind: 'unauthenticated',
    meaning: 'The sign-in details are wrong.',
    resolution: 'Correct the sign-in details and try again.',
  },
  invalid_signature_headers: {
    status: 401,
    kind: 'unauthenticated',
    meaning: 'The x-svc-* headers are incomplete, duplicated or malformed.',
    resolution:
      'Send each of the four x-svc-* headers once. Use lower-case hex and a timestamp in Unix milliseconds.',
  },
  invalid_signature: {
    status: 401,
    kind: 'unauthenticated',
    meaning: 'The signature does not match this request and public key.',
    resolution: 'Sign the exact method, target, timestamp, nonce and raw body that you send.',
  },
  credentials_ambiguous: {
    status: 401,
    kind: 'unauthenticated',
    meaning: 'X-API-Key and Authorization contain different keys.',
    resolution: 'Send only one of the two headers.',
  },
  credential_in_query: {
    status: 400,
    kind: 'invalid',
    meaning: 'The query string contains an API key or a signature.',
    resolution: 'Send credentials only in headers, and rotate the exposed key.',
  },
  unknown_public_key: {
    status: 401,
    kind: 'unauthenticated',
    meaning: 'The public key is not linked to an account, or was revoked.',
    resolution: 'Link the public key with POST /v1/auth/cli-identity.',
  },
  timestamp_out_of_window: {
    status: 401,
    kind: 'unauthenticated',
    meaning: 'The timestamp differs from server time by more than 60 seconds.',
    resolution: 'Synchronize your clock, or use the server time in the details, and sign again.',
  },
  nonce_replayed: {
    status: 401,
    kind: 'unauthenticated',
    meaning: 'The nonce was used within the last 10 minutes.',
    resolution: 'Generate 16 new random bytes for every request, including retries.',
  },
  permission_denied: {
    status: 403,
    kind: 'forbidden',
    meaning: 'The credential lacks a permission that the operation requires.',
    resolution: 'Use a credential with the permission named in the details.',
  },
  ip_not_allowed: {
    status: 403,
    kind: 'forbidden',
    meaning: "The caller's IP address is not in the key's allowlist.",
    resolution: 'Send the request from an allowed address, or use another key.',
  },
  not_found: {
    status: 404,
    kind: 'not_found',
    meaning: 'The record does not exist or belongs to another account.',
    resolution: 'Check the id, or list the resource to find it.',
  },
  route_not_found: {
    status: 404,
    kind: 'not_found',
    meaning: 'The route does not exist.',
    resolution: 'Compare the path with the API reference.',
  },
  method_not_allowed: {
    status: 405,
    kind: 'invalid',
    meaning: 'The route does not support this method.',
    resolution: 'Use one of the methods in the Allow header.',
  },
  malformed_json: {
    status: 400,
    kind: 'invalid',
    meaning: 'The body is not valid JSON, or exceeds a limit.',
    resolution:
      'Send one JSON value without duplicate keys, at most 32 levels deep, with at most 1,000 keys or items.',
  },
  unsupported_media_type: {
    status: 415,
    kind: 'invalid',
    meaning: 'The Content-Type is not JSON, or the body has a Content-Encoding.',
    resolution: 'Send Content-Type: application/json and no Content-Encoding.',
  },
  invalid_query: {
    status: 400,
    kind: 'invalid',
    meaning: 'A query parameter is unknown, repeated or has an invalid value.',
    resolution: 'Correct the parameters named in the details.',
  },
  validation_failed: {
    status: 422,
    kind: 'invalid',
    meaning: 'The body does not match the schema.',
    resolution: 'Correct the fields named in the details.',
  },
  exchange_rule_violated: {
    status: 422,
    kind: 'invalid',
    meaning: 'The order breaks a rule of the exchange.',
    resolution: 'Correct the order; the details name the rule, the value and the limit.',
  },
  insufficient_balance: {
    status: 422,
    kind: 'invalid',
    meaning: 'The account does not have enough free balance.',
    resolution:
      'Reduce the amount. On an exchange account, you can also cancel open orders, or sync it after a deposit.',
  },
  invalid_state: {
    status: 409,
    kind: 'conflict',
    meaning: "The record's state does not allow this operation.",
    resolution: 'Check the state in the details, or retrieve the record.',
  },
  idempotency_key_reused: {
    status: 422,
    kind: 'invalid',
    meaning: 'The Idempotency-Key was already used with a different request.',
    resolution: 'Use a new key for each new request.',
  },
  idempotency_in_progress: {
    status: 409,
    kind: 'conflict',
    meaning: 'A request with this Idempotency-Key is still in progress.',
    resolution: 'Wait a moment, then retry with the same key.',
  },
  already_exists: {
    status: 409,
    kind: 'conflict',
    meaning: 'The record already exists.',
    resolution: 'Use the existing record, or choose another value for the field in the details.',
  },
  payload_too_large: {
    status: 413,
    kind: 'invalid',
    meaning: 'The body exceeds 256 KiB.',
    resolution: 'Send less data in one request.',
  },
  rate_limited: {
    status: 429,
    kind: 'rate_limited',
    meaning: 'Too many requests.',
    resolution: 'Wait the number of seconds in Retry-After, then retry.',
  },
  exchange_unavailable: {
    status: 502,
    kind: 'unavailable',
    meaning: 'The exchange cannot be reached or returned an invalid response.',
    resolution: 'Try again later.',
  },
  exchange_credentials_rejected: {
    status: 422,
    kind: 'invalid',
    meaning: 'The exchange rejected the credentials.',
    resolution:
      "Check the key, secret and passphrase, and the key's permissions and IP allowlist at the exchange.",
  },
  service_unavailable: {
    status: 503,
    kind: 'unavailable',
    meaning: 'A service that this request needs is unavailable.',
    resolution: 'Wait the number of seconds in Retry-After, then retry.',
  },
  internal_error: {
    status: 500,
    kind: 'internal',
    meaning: 'An internal error occurred.',
    resolution: 'Try again. If the error persists, contact support with the request_id.',
  },
  namespace_removed: {
    status: 410,
    kind: 'invalid',
    meaning: 'This namespace was removed. Remote bot control is not available.',
    resolution: 'Use strategies, copiers and trades.',
  },
  limit_reached: {
    status: 409,
    kind: 'conflict',
    meaning: 'The account has reached the limit for this type of record.',
    resolution: 'Delete records that you no longer need, then retry.',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;

/** Codes of the deprecated sign-in, which exists only in GraphQL. */
const SIGN_IN_CODES = ['invalid_access_token', 'invalid_login'] as const;
export type RestErrorCode = Exclude<ErrorCode, (typeof SIGN_IN_CODES)[number]>;

/** The error codes that REST returns. */
export const REST_ERRORS = Object.fromEntries(
  Object.entries(ERRORS).filter(([code]) => !(SIGN_IN_CODES as readonly string[]).includes(code)),
) as Pick<typeof ERRORS, RestErrorCode>;

/**
 * One problem with one field of the request. Each error code may add members (server time, rule,
 * limit, state).
 */
export interface ErrorDetail {
  readonly field?: string;
  readonly code: DetailCode;
  readonly message: string;
  readonly [extra: string]: unknown;
}

/** An expected error. Its message reaches the caller, so it never contains secrets, SQL or driver messages. */
export class DomainError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string = `${ERRORS[code].meaning} ${ERRORS[code].resolution}`,
    readonly details: readonly ErrorDetail[] = [],
    options?: { cause?: unknown; retryAfterSeconds?: number },
  ) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'DomainError';
    this.retryAfterSeconds = options?.retryAfterSeconds;
  }

  readonly retryAfterSeconds: number | undefined;
}
