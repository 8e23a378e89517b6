/** Describes, for the reference, the error codes that each operation can return. */
import {
  ERRORS,
  type ErrorCode,
  type Operation,
  REST_ERRORS,
  storesResponse,
} from '@trading-automation/contracts';
import { type Json, type JsonObject, refTo } from './json.js';

const OF_ANY_REQUEST: readonly ErrorCode[] = [
  'credential_in_query',
  'invalid_query',
  'malformed_json',
  'payload_too_large',
  'unsupported_media_type',
  'validation_failed',
  'rate_limited',
  'internal_error',
  'service_unavailable',
];
const OF_CREDENTIALS: readonly ErrorCode[] = [
  'invalid_api_key',
  'invalid_signature_headers',
  'invalid_signature',
  'credentials_ambiguous',
  'unknown_public_key',
  'timestamp_out_of_window',
  'nonce_replayed',
  'ip_not_allowed',
];
const OF_IDEMPOTENCY: readonly ErrorCode[] = ['idempotency_key_reused', 'idempotency_in_progress'];

const ALL_CODES = Object.keys(REST_ERRORS) as ErrorCode[];

/** Returns every error code that the operation can return, in the order of the published table. */
export function errorCodesOf(operation: Operation): readonly ErrorCode[] {
  const { access, errors } = operation;
  const codes = new Set<ErrorCode>([
    ...OF_ANY_REQUEST,
    ...(access === 'PUBLIC' ? [] : OF_CREDENTIALS),
    ...(access === 'PUBLIC' || access === 'CHALLENGE'
      ? []
      : (['authentication_required', 'permission_denied'] as const)),
    ...(storesResponse(operation) ? OF_IDEMPOTENCY : []),
    ...errors,
  ]);
  return ALL_CODES.filter((code) => codes.has(code));
}

/** Returns the error responses by status, as references to components that {@link errorResponseComponents} creates. */
export function errorResponsesOf(operation: Operation): JsonObject {
  return Object.fromEntries(
    codesByStatus(operation).map(([status, codes]) => [status, refTo('responses', nameOf(status, codes))]),
  );
}

/** Returns every response that {@link errorResponsesOf} references, with its codes and an example of each. */
export function errorResponseComponents(operations: readonly Operation[]): JsonObject {
  const responses = new Map<string, JsonObject>();
  for (const operation of operations)
    for (const [status, codes] of codesByStatus(operation))
      responses.set(nameOf(status, codes), errorResponse(codes));
  return Object.fromEntries([...responses].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function codesByStatus(operation: Operation): [number, readonly ErrorCode[]][] {
  const codes = errorCodesOf(operation);
  const statuses = [...new Set(codes.map((code) => ERRORS[code].status))].sort();
  return statuses.map((status) => [status, codes.filter((code) => ERRORS[code].status === status)]);
}

/** Returns a component name from the status and the codes that only some operations return. */
function nameOf(status: number, codes: readonly ErrorCode[]): string {
  const specific = codes.filter((code) => !OF_ANY_REQUEST.includes(code) && !OF_CREDENTIALS.includes(code));
  return ['refused', status, ...specific].join('.');
}

function errorResponse(codes: readonly ErrorCode[]): JsonObject {
  const { status } = ERRORS[codes[0]!];
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].meaning}`).join('\n\n'),
    headers: {
      'x-request-id': refTo('headers', 'RequestId'),
      RateLimit: refTo('headers', 'RateLimit'),
      'RateLimit-Policy': refTo('headers', 'RateLimitPolicy'),
      ...(status === 429 || status === 503 ? { 'Retry-After': refTo('headers', 'RetryAfter') } : {}),
    },
    content: {
      'application/json': {
        schema: refTo('schemas', 'Error'),
        examples: Object.fromEntries(codes.map((code) => [code, refTo('examples', code)])),
      },
    },
    'x-error-codes': codes,
  };
}

/** Example `details` of the codes whose errors contain details. */
const DETAILS: Partial<Record<ErrorCode, readonly JsonObject[]>> = {
  permission_denied: [
    { code: 'permission_needed', message: 'This needs the permission TRADE.', permission: 'TRADE' },
  ],
  not_found: [{ field: 'trade_pair_id', code: 'not_found', message: 'There is no such trade pair.' }],
  invalid_query: [{ field: 'limit', code: 'custom', message: 'limit: must be an integer from 1 to 100' }],
  validation_failed: [{ field: 'amount', code: 'not_positive', message: 'Must be greater than zero.' }],
  invalid_state: [{ code: 'invalid_state', message: 'The trade is FILLED.', state: 'FILLED' }],
};

/** Returns an example response for every code. */
export function errorExamples(): JsonObject {
  return Object.fromEntries(
    ALL_CODES.map((code) => {
      const { meaning, resolution } = ERRORS[code];
      const details = DETAILS[code];
      const error = {
        code,
        message: `${meaning} ${resolution}`,
        ...(details === undefined ? {} : { details }),
        request_id: '3f0c8a52-6d1e-4b7a-9a51-7c1f0e2d4b68',
      };
      return [code, { summary: meaning, description: resolution, value: { success: false, error } }];
    }),
  );
}

/** Returns the whole error table in machine-readable form. */
export function errorTable(): Json {
  return ALL_CODES.map((code) => {
    const { status, meaning, resolution } = ERRORS[code];
    return { code, status, meaning, resolution };
  });
}

export const errorSchema: JsonObject = {
  type: 'object',
  description: 'The body of every error response.',
  properties: {
    success: { const: false },
    error: {
      type: 'object',
      properties: {
        code: {
          type: 'string',
          enum: ALL_CODES,
          description: 'Stable error code. Base your error handling on it.',
        },
        message: { type: 'string', description: 'Human-readable: what is wrong and how to fix it.' },
        details: {
          type: 'array',
          description: 'The individual problems, if there are further details.',
          items: {
            type: 'object',
            properties: {
              field: { type: 'string', description: 'Path of the field in the request, separated by dots.' },
              code: { type: 'string' },
              message: { type: 'string' },
            },
            required: ['code', 'message'],
          },
        },
        request_id: {
          type: 'string',
          description: 'Equal to `x-request-id`. Include it when you contact support.',
        },
      },
      required: ['code', 'message', 'request_id'],
    },
  },
  required: ['success', 'error'],
};
