/**
 * Every error code of the product, closed. A feature says a code; how a transport shows it follows from
 * the table, once for all features. Source: the published error table.
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
  /** What the caller can do. */
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
    meaning: 'The API key is unknown, revoked, expired or of another world.',
    resolution: 'Create or rotate a key, and use it at the origin it was made for.',
  },
  invalid_access_token: {
    status: 401,
    kind: 'unauthenticated',
    meaning: 'The access token is unknown, expired or revoked.',
    resolution: 'Refresh it or sign in again; better, sign your requests.',
  },
  invalid_login: {
    status: 401,
    kind: 'unauthenticated',
    meaning: 'What was given to sign in is wrong.',
    resolution: 'Correct it and try again.',
  },
  invalid_signature_headers: {
    status: 401,
    kind: 'unauthenticated',
    meaning: 'The x-svc-* headers are incomplete, doubled or malformed.',
    resolution:
      'Send all four headers once each: lower-case hex, Unix time in milliseconds, a 64-byte signature.',
  },
  invalid_signature: {
    status: 401,
    kind: 'unauthenticated',
    meaning: 'The signature does not verify for this request and this public key.',
    resolution: 'Sign the exact method, target, timestamp, nonce and raw body that you send.',
  },
  credentials_ambiguous: {
    status: 401,
    kind: 'unauthenticated',
    meaning: 'X-API-Key and Authorization carry different keys.',
    resolution: 'Send one of them.',
  },
  credential_in_query: {
    status: 400,
    kind: 'invalid',
    meaning: 'The query string carries a key or a signature.',
    resolution: 'Send credentials in headers only, and replace the key that was exposed.',
  },
  unknown_public_key: {
    status: 401,
    kind: 'unauthenticated',
    meaning: 'The public key belongs to no account, or was revoked.',
    resolution: 'Link it with POST /v1/auth/cli-identity.',
  },
  timestamp_out_of_window: {
    status: 401,
    kind: 'unauthenticated',
    meaning: 'The timestamp is more than 60 seconds away from server time.',
    resolution: 'Set your clock, or correct it by the server time in the details, and sign again.',
  },
  nonce_replayed: {
    status: 401,
    kind: 'unauthenticated',
    meaning: 'The nonce was used within the last 10 minutes.',
    resolution: 'Draw 16 fresh random bytes for every request, retries too.',
  },
  permission_denied: {
    status: 403,
    kind: 'forbidden',
    meaning: 'The credential lacks a permission.',
    resolution: 'Use a credential that has the permission named in the details.',
  },
  ip_not_allowed: {
    status: 403,
    kind: 'forbidden',
    meaning: "The address is not on the key's allow-list.",
    resolution: 'Call from an allowed address, or use another key.',
  },
  not_found: {
    status: 404,
    kind: 'not_found',
    meaning: 'No such record belongs to this account.',
    resolution: 'Check the id; list the resource to see what there is.',
  },
  route_not_found: {
    status: 404,
    kind: 'not_found',
    meaning: 'There is no such route.',
    resolution: 'Check the path against the reference.',
  },
  method_not_allowed: {
    status: 405,
    kind: 'invalid',
    meaning: 'The route does not take this method.',
    resolution: 'Use one of the methods in the Allow header.',
  },
  malformed_json: {
    status: 400,
    kind: 'invalid',
    meaning: 'The body is not acceptable JSON.',
    resolution:
      'Send one JSON value: no duplicate keys, at most 32 levels deep, at most 1,000 keys or items.',
  },
  unsupported_media_type: {
    status: 415,
    kind: 'invalid',
    meaning: 'The body is not declared as JSON, or is encoded.',
    resolution: 'Send Content-Type: application/json and no Content-Encoding.',
  },
  invalid_query: {
    status: 400,
    kind: 'invalid',
    meaning: 'A query parameter is unknown, doubled or has a bad value.',
    resolution: 'Correct the parameters named in the details.',
  },
  validation_failed: {
    status: 422,
    kind: 'invalid',
    meaning: 'The body does not fit the schema.',
    resolution: 'Correct the fields named in the details.',
  },
  exchange_rule_violated: {
    status: 422,
    kind: 'invalid',
    meaning: 'The order breaks a rule of the exchange.',
    resolution: 'Keep to the rule, value and limit in the details.',
  },
  insufficient_balance: {
    status: 422,
    kind: 'invalid',
    meaning: 'The account has not enough free balance.',
    resolution: 'Lower the amount, cancel open orders, or sync the account after a deposit.',
  },
  invalid_state: {
    status: 409,
    kind: 'conflict',
    meaning: "The record's state does not allow this.",
    resolution: 'Read the record; the details name its state.',
  },
  idempotency_key_reused: {
    status: 422,
    kind: 'invalid',
    meaning: 'The Idempotency-Key was used with another request.',
    resolution: 'Use a new key for a new request.',
  },
  idempotency_in_progress: {
    status: 409,
    kind: 'conflict',
    meaning: 'A request with this Idempotency-Key is still being worked on.',
    resolution: 'Wait a moment and send it again with the same key.',
  },
  already_exists: {
    status: 409,
    kind: 'conflict',
    meaning: 'Such a record exists already.',
    resolution: 'Use the existing record, or choose another value for the field in the details.',
  },
  payload_too_large: {
    status: 413,
    kind: 'invalid',
    meaning: 'The body is over 256 KiB.',
    resolution: 'Send less in one request.',
  },
  rate_limited: {
    status: 429,
    kind: 'rate_limited',
    meaning: 'Too many requests.',
    resolution: 'Wait for the time in Retry-After.',
  },
  exchange_unavailable: {
    status: 502,
    kind: 'unavailable',
    meaning: 'The exchange cannot be reached or answers nonsense.',
    resolution: 'Try again later.',
  },
  exchange_credentials_rejected: {
    status: 422,
    kind: 'invalid',
    meaning: 'The exchange refused the credentials.',
    resolution:
      'Check key, secret and passphrase, and the rights and address list that the exchange keeps for the key.',
  },
  service_unavailable: {
    status: 503,
    kind: 'unavailable',
    meaning: 'A service that this needs is down.',
    resolution: 'Try again after the time in Retry-After.',
  },
  internal_error: {
    status: 500,
    kind: 'internal',
    meaning: 'Something went wrong on our side.',
    resolution: 'Try again; tell support the request_id if it stays.',
  },
  namespace_removed: {
    status: 410,
    kind: 'invalid',
    meaning: 'This namespace was removed; remote bot control is not offered.',
    resolution: 'Use strategies, copiers and trades.',
  },
  limit_reached: {
    status: 409,
    kind: 'conflict',
    meaning: 'The account holds as many of these records as it may.',
    resolution: 'Delete some first.',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;

/** Codes of the deprecated sign-in, which GraphQL alone has. */
const SIGN_IN_CODES = ['invalid_access_token', 'invalid_login'] as const;
export type RestErrorCode = Exclude<ErrorCode, (typeof SIGN_IN_CODES)[number]>;

/** The codes that REST answers with. */
export const REST_ERRORS = Object.fromEntries(
  Object.entries(ERRORS).filter(([code]) => !(SIGN_IN_CODES as readonly string[]).includes(code)),
) as Pick<typeof ERRORS, RestErrorCode>;

/** One fault, at one place of the request. Further members (server time, rule, limit, state) are named by the code. */
export interface ErrorDetail {
  readonly field?: string;
  readonly code: string;
  readonly message: string;
  readonly [extra: string]: unknown;
}

/** An expected refusal. What it says reaches the caller: never secrets, SQL, or a driver's words. */
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
