/**
 * The errors of the SDK: one class for each way to handle a failure.
 *
 * 1. No message and no property contains a key, a signature or a secret.
 * 2. An error response of the API causes an {@link ApiError}; its status selects the subclass. A request without a
 *    response causes a {@link ConnectionError}, an invalid argument a TypeError or a RangeError. An abort throws the
 *    signal's reason.
 */
import type { ErrorCode } from '../generated/error-codes.js';
import { retryAfterMsIn } from './retry-after.js';

/** The base class of all errors that the API, or the connection to the API, causes. */
export class TradingAutomationError extends Error {
  override readonly name: string = 'TradingAutomationError';
}

/** One invalid part of a request. */
export interface ErrorDetail {
  /** The invalid field, parameter or header. */
  readonly field?: string;
  /** A stable code for the problem. */
  readonly code?: string;
  /** What is wrong, and how to fix it. */
  readonly message?: string;
  readonly [more: string]: unknown;
}

/** The content of a GraphQL error response. Code and message of the {@link ApiError} are those of its first error. */
export interface GraphqlFailure {
  /** Path of the failed field; empty if the whole document was rejected. */
  readonly path: readonly (string | number)[];
  /** All errors of the response, unchanged. */
  readonly errors: readonly unknown[];
  /** Partial data; null or absent if no field succeeded. */
  readonly data?: unknown;
}

/** The content of an error response. */
export interface ErrorResponse {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: readonly ErrorDetail[];
  readonly requestId: string | undefined;
  readonly headers: Headers;
  readonly docUrl?: string | undefined;
  readonly graphql?: GraphqlFailure | undefined;
}

/** The API returned an error. The subclass names the kind of error; `code` names the exact error. */
export class ApiError extends TradingAutomationError {
  override readonly name: string = 'ApiError';
  /** HTTP status of the response. */
  readonly status: number;
  /** The API's message. The property `message` adds the invalid fields to it. */
  readonly summary: string;
  /** The API's stable error code. */
  readonly code: ErrorCode;
  /** The invalid fields; empty if the error concerns no field. */
  readonly details: readonly ErrorDetail[];
  /** The id of the request (`x-request-id`). Include it when you contact support. */
  readonly requestId: string | undefined;
  /** Headers of the response. */
  readonly headers: Headers;
  /** URL of the error reference; undefined if the response has no error code of the API. */
  readonly docUrl: string | undefined;
  /** Milliseconds that the server asks you to wait before a retry; undefined if it does not ask. */
  readonly retryAfterMs: number | undefined;
  /** For GraphQL: the failed path, all errors and the partial data. Undefined for REST. */
  readonly graphql: GraphqlFailure | undefined;

  /** @internal */
  constructor({ message, details, ...rest }: ErrorResponse) {
    const problems = details.flatMap(({ field, message: problem }) =>
      field && problem ? [`${field}: ${problem}`] : [],
    );
    super([message, ...problems].join(' '));
    this.summary = message;
    this.status = rest.status;
    this.code = rest.code;
    this.details = details;
    this.requestId = rest.requestId;
    this.headers = rest.headers;
    this.docUrl = rest.docUrl;
    this.retryAfterMs = retryAfterMsIn(rest.headers, Date.now());
    this.graphql = rest.graphql;
  }
}

/** 400: the request is malformed, or a query parameter is invalid. */
export class BadRequestError extends ApiError {
  override readonly name = 'BadRequestError';
}
/** 401: the credential is missing, invalid, expired or revoked. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError';
}
/** 403: the credential does not have the required permission. */
export class PermissionDeniedError extends ApiError {
  override readonly name = 'PermissionDeniedError';
}
/** 404: the record does not exist, or it belongs to another user. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError';
}
/** 409: the request conflicts with the current state. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError';
}
/** 422: the body is well-formed but has invalid values; `details` lists them. */
export class UnprocessableError extends ApiError {
  override readonly name = 'UnprocessableError';
}
/** 429: a rate limit was exceeded, and automatic retries did not succeed. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError';
}
/** 500 and above: the server or an exchange failed. */
export class InternalServerError extends ApiError {
  override readonly name = 'InternalServerError';
}

const CLASS_BY_STATUS: Readonly<Record<number, new (response: ErrorResponse) => ApiError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
  422: UnprocessableError,
  429: RateLimitError,
};

/** A completely read response with an error status. */
export interface RawErrorResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The origin that responded. */
  readonly origin: string;
}

/** Builds the error of a response. */
export function toApiError({ status, headers, text, origin }: RawErrorResponse): ApiError {
  const { code, message, details, request_id } = parseErrorBody(text);
  const isApiError = typeof code === 'string';
  return createApiError({
    status,
    code: isApiError ? code : 'unknown',
    message: typeof message === 'string' ? message : `The server responded with ${status} and no message.`,
    details: Array.isArray(details) ? details.filter((detail) => Object(detail) === detail) : [],
    requestId: headers.get('x-request-id') ?? (typeof request_id === 'string' ? request_id : undefined),
    headers,
    docUrl: isApiError ? docUrlOf(origin) : undefined,
  });
}

/** Creates an error of the class that matches the status. */
export function createApiError(response: ErrorResponse): ApiError {
  const { status } = response;
  const ErrorClass = CLASS_BY_STATUS[status] ?? (status >= 500 ? InternalServerError : ApiError);
  return new ErrorClass(response);
}

/** Returns the URL of the error reference, which the API itself serves. */
export function docUrlOf(origin: string): string {
  return `${origin}/docs#description/errors`;
}

/**
 * Parses the error of a REST or GraphQL response. Returns an empty object for any other body, such as a proxy's page.
 */
function parseErrorBody(text: string): Record<string, unknown> {
  try {
    const { error, errors } = JSON.parse(text);
    return error ?? { message: errors[0].message, ...errors[0].extensions };
  } catch {
    return {};
  }
}

/** The connection failed or dropped, or the response is unreadable. The API may have executed the request. */
export class ConnectionError extends TradingAutomationError {
  override readonly name: string = 'ConnectionError';
}

/** The API did not respond within the time limit. It may have executed the request. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError';
}

/**
 * The response comes from a proxy or another service instead of the API, or it is a redirect. Do not retry; check
 * `baseURL` and the proxies between client and API.
 */
export class UnexpectedAnswerError extends ConnectionError {
  override readonly name: string = 'UnexpectedAnswerError';

  /**
   * @param summary what is wrong, without advice. The property `message` adds the advice for users of the SDK
   * @internal
   */
  constructor(
    readonly summary: string,
    resolution?: string,
  ) {
    super(resolution === undefined ? summary : `${summary} ${resolution}`);
  }
}

/**
 * No GraphQL API responds at the client's address for GraphQL. Set the option `graphqlURL`, or the environment variable
 * `SVC_GRAPHQL_URL`. Without either, the client uses `baseURL`, which is the address of the REST API.
 */
export class GraphqlAddressError extends UnexpectedAnswerError {
  override readonly name = 'GraphqlAddressError';

  /**
   * @param origin the address to which the request was sent
   * @param isConfigured whether the address was configured; otherwise, it is `baseURL`
   * @internal
   */
  constructor(
    readonly origin: string,
    isConfigured: boolean,
  ) {
    super(
      isConfigured
        ? `graphqlURL is ${origin}, where no GraphQL API responds.`
        : `graphqlURL is not set, and no GraphQL API responds at the baseURL ${origin}.`,
      'Set the option graphqlURL, or the environment variable SVC_GRAPHQL_URL, to the origin of the GraphQL API, such as http://127.0.0.1:4001.',
    );
  }
}
