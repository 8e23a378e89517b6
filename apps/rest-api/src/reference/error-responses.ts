/** Describes, for the reference, the error codes that each operation can return. */
import {
  ERRORS,
  type ErrorCode,
  errorDetailOf,
  type Operation,
  REST_ERRORS,
  storesResponse,
} from '@trading-automation/contracts';
import { type Json, type JsonObject, refTo } from './json.js';
import type { SchemaComponents } from './schema-components.js';

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
  return {
    ...Object.fromEntries(
      codesByStatus(operation).map(([status, codes]) => [status, refTo('responses', nameOf(status, codes))]),
    ),
    default: refTo('responses', ANY_ERROR),
  };
}

/** The response of errors that precede the operation, such as a method that the path does not have. */
function anyError(): JsonObject {
  const codes = ['route_not_found', 'method_not_allowed', 'namespace_removed'] as const;
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].meaning}`).join('\n\n'),
    headers: {
      'x-request-id': refTo('headers', 'RequestId'),
      Deprecation: refTo('headers', 'Deprecation'),
      Link: refTo('headers', 'SuccessorLink'),
    },
    content: {
      'application/json': {
        schema: refTo('schemas', 'Error'),
        examples: Object.fromEntries(codes.map((code) => [code, refTo('examples', code)])),
      },
    },
  };
}

/** The name of the response of errors that precede the operation. */
const ANY_ERROR = 'refused';

/** Returns every response that {@link errorResponsesOf} references, with its codes and an example of each. */
export function errorResponseComponents(operations: readonly Operation[]): JsonObject {
  const responses = new Map<string, JsonObject>([[ANY_ERROR, anyError()]]);
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
        schema: anyOf(codes),
        examples: Object.fromEntries(codes.map((code) => [code, refTo('examples', code)])),
      },
    },
    'x-error-codes': codes,
  };
}

/** Example `details` of the codes whose errors usually contain details. */
const DETAILS: Partial<Record<ErrorCode, readonly JsonObject[]>> = {
  permission_denied: [
    { code: 'permission_needed', message: 'This needs the permission TRADE.', permission: 'TRADE' },
  ],
  timestamp_out_of_window: [
    {
      field: 'x-svc-timestamp',
      code: 'out_of_window',
      message: "The server's time is 1767225600000.",
      server_time: 1_767_225_600_000,
    },
  ],
  invalid_signature_headers: [
    { field: 'x-svc-nonce', code: 'invalid', message: 'x-svc-nonce must have 32 lower-case hex characters.' },
  ],
  not_found: [{ field: 'trade_pair_id', code: 'not_found', message: 'There is no such trade pair.' }],
  malformed_json: [{ code: 'syntax', message: 'Invalid JSON at character 12.' }],
  invalid_query: [{ field: 'limit', code: 'custom', message: 'limit: must be an integer from 1 to 100' }],
  validation_failed: [{ field: 'amount', code: 'not_positive', message: 'Must be greater than zero.' }],
  exchange_rule_violated: [
    {
      field: 'price',
      code: 'price_tick',
      message: 'price must be a multiple of 0.01; got 1.005. Use 1.00 or 1.01.',
      rule: 'price_tick',
      value: '1.005',
      limit: '0.01',
    },
  ],
  insufficient_balance: [
    {
      field: 'amount',
      code: 'insufficient_balance',
      message: 'The order needs 601 USDT; 20 is free. Reduce the amount or add funds.',
      asset: 'USDT',
      needed: '601',
      free: '20',
    },
  ],
  invalid_state: [{ code: 'invalid_state', message: 'The trade is FILLED.', state: 'FILLED' }],
  already_exists: [
    {
      field: 'client_order_id',
      code: 'already_exists',
      message: 'A trade of this account has this client_order_id. Choose another.',
    },
  ],
  limit_reached: [{ code: 'limit_reached', message: 'An account has at most 100 API keys.', limit: 100 }],
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

/** Returns the name of the schema of errors with this code: `NotFoundError`. */
function schemaNameOf(code: ErrorCode): string {
  const words = code.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('').replace(/Error$/, '')}Error`;
}

/** The bodies of errors with these codes. Their codes make them exclusive, but a validator of `oneOf` cannot see that. */
function anyOf(codes: readonly ErrorCode[]): JsonObject {
  const schemas = codes.map((code) => refTo('schemas', schemaNameOf(code)));
  return schemas.length === 1 ? schemas[0]! : { anyOf: schemas };
}

/** Defines a schema for every error code, and `Error`, which is any of them. */
export function defineErrorSchemas(schemas: SchemaComponents): void {
  for (const code of ALL_CODES) schemas.define(schemaNameOf(code), errorSchemaOf(code, schemas));
  schemas.define('Error', { description: 'The body of an error response.', ...anyOf(ALL_CODES) });
}

function errorSchemaOf(code: ErrorCode, schemas: SchemaComponents): JsonObject {
  const detail = errorDetailOf(code);
  const { meaning, resolution } = ERRORS[code];
  return {
    type: 'object',
    description: `${meaning} ${resolution}`,
    properties: {
      success: { type: 'boolean', const: false },
      error: {
        type: 'object',
        properties: {
          code: {
            type: 'string',
            const: code,
            description: 'Stable error code. Base your error handling on it.',
          },
          message: { type: 'string', description: 'Human-readable: what is wrong and how to fix it.' },
          ...(detail === undefined
            ? {}
            : {
                details: {
                  type: 'array',
                  description: 'The individual problems, if there are further details.',
                  items: schemas.of(detail, 'output'),
                },
              }),
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
}
