/**
 * What can go wrong, one class for each way to act on it.
 *
 * 1. No message and no member holds a key, a signature or a secret.
 * 2. An answer of the API that refuses is an {@link ApiError}, by its status; a request without an answer is a
 *    {@link ConnectionError}. A mistake in the caller's own code is a TypeError, and an abort is the signal's reason.
 */
import type { ErrorCode } from '../generated/error-codes.js';
import { retryAfterMsIn } from './retry-after.js';

/** Whatever the SDK throws because of the API or the way to it. */
export class TradingAutomationError extends Error {
  override readonly name: string = 'TradingAutomationError';
}

/** One fault of a request. */
export interface ErrorDetail {
  /** The field, parameter or header at fault. */
  readonly field?: string;
  /** A stable word for the fault. */
  readonly code?: string;
  /** What is wrong with it, and how to mend it. */
  readonly message?: string;
  readonly [more: string]: unknown;
}

/** What a GraphQL answer says beside its first error. */
export interface GraphqlFailure {
  /** Where in the answer it is missing; empty where the whole document was refused. */
  readonly path: readonly (string | number)[];
  /** All errors of the answer, as they came. */
  readonly errors: readonly unknown[];
  /** What was answered nevertheless: null or absent where nothing was. */
  readonly data?: unknown;
}

/** What an answer says of a refusal. */
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

/** The API refused the request. Its subclasses say why; `code` says it exactly. */
export class ApiError extends TradingAutomationError {
  override readonly name: string = 'ApiError';
  /** HTTP status of the answer. */
  readonly status: number;
  /** The API's own sentence; `message` goes on with the faults of fields. */
  readonly summary: string;
  /** The API's stable word for what is wrong. */
  readonly code: ErrorCode;
  /** What is wrong, field by field; empty where there is no more to say. */
  readonly details: readonly ErrorDetail[];
  /** The request as the server knows it (`x-request-id`): tell it when you ask for help. */
  readonly requestId: string | undefined;
  /** Headers of the answer. */
  readonly headers: Headers;
  /** Where the API explains its codes; undefined where the answer had none of them. */
  readonly docUrl: string | undefined;
  /** How long the server asks to be left alone, in milliseconds; undefined where it does not ask. */
  readonly retryAfterMs: number | undefined;
  /** Of a GraphQL operation: where, and what was answered nevertheless. */
  readonly graphql: GraphqlFailure | undefined;

  /** @internal */
  constructor({ message, details, ...rest }: ErrorResponse) {
    const faults = details.flatMap(({ field, message: fault }) =>
      field && fault ? [`${field}: ${fault}`] : [],
    );
    super([message, ...faults].join(' '));
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

/** 400: the request is malformed, or a query parameter is wrong. */
export class BadRequestError extends ApiError {
  override readonly name = 'BadRequestError';
}
/** 401: the credential is missing, wrong, expired or revoked. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError';
}
/** 403: the credential may not do this. */
export class PermissionDeniedError extends ApiError {
  override readonly name = 'PermissionDeniedError';
}
/** 404: there is no such record, or it is somebody else's. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError';
}
/** 409: the state of things does not allow it. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError';
}
/** 422: the body was understood, and can't be accepted: see `details`. */
export class UnprocessableError extends ApiError {
  override readonly name = 'UnprocessableError';
}
/** 429: too many requests, still after the retries. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError';
}
/** 500 and above: the server, or an exchange behind it, is at fault. */
export class InternalServerError extends ApiError {
  override readonly name = 'InternalServerError';
}

const BY_STATUS: Readonly<Record<number, new (refusal: ErrorResponse) => ApiError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
  422: UnprocessableError,
  429: RateLimitError,
};

/** An answer that is no success, all of it read. */
export interface RawErrorResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Who answered. */
  readonly origin: string;
}

/** The error that an answer is. */
export function toApiError({ status, headers, text, origin }: RawErrorResponse): ApiError {
  const { code, message, details, request_id } = parseErrorBody(text);
  const isOfApi = typeof code === 'string';
  return createApiError({
    status,
    code: isOfApi ? code : 'unknown',
    message: typeof message === 'string' ? message : `The server answered ${status} without saying why.`,
    details: Array.isArray(details) ? details.filter((detail) => Object(detail) === detail) : [],
    requestId: headers.get('x-request-id') ?? (typeof request_id === 'string' ? request_id : undefined),
    headers,
    docUrl: isOfApi ? docUrlOf(origin) : undefined,
  });
}

/** The error of a refusal, by its status. */
export function createApiError(refusal: ErrorResponse): ApiError {
  const { status } = refusal;
  const Kind = BY_STATUS[status] ?? (status >= 500 ? InternalServerError : ApiError);
  return new Kind(refusal);
}

/** The reference of the API's codes, which the API itself serves. */
export function docUrlOf(origin: string): string {
  return `${origin}/docs#description/errors`;
}

/** A refusal of REST, or of a whole GraphQL request. What stands between may answer with anything. */
function parseErrorBody(text: string): Record<string, unknown> {
  try {
    const { error, errors } = JSON.parse(text);
    return error ?? { message: errors[0].message, ...errors[0].extensions };
  } catch {
    return {};
  }
}

/** No answer came: the connection failed, was cut, or answered nonsense. Whether the request was carried out is not known. */
export class ConnectionError extends TradingAutomationError {
  override readonly name: string = 'ConnectionError';
}

/** No answer came in time. Whether the request was carried out is not known. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError';
}

/**
 * Something answered that is not the API: a proxy's page, a redirect, another service. Trying again does not help:
 * look at `baseURL` and at what stands between.
 */
export class UnexpectedAnswerError extends ConnectionError {
  override readonly name = 'UnexpectedAnswerError';
}
