/** Defines components that many operations share: headers, parameters, security schemes and the pagination object. */
import { type JsonObject } from './json.js';

const text = (description: string, constraints: JsonObject = {}): JsonObject => ({
  description,
  schema: { type: 'string', ...constraints },
});

export const headers: JsonObject = {
  RequestId: text(
    'Id of the request: the valid id that you sent, or a new one. Include it when you contact support.',
  ),
  RateLimit: text('Remaining quota by policy, for example `"general";r=599;t=1`.'),
  RateLimitPolicy: text('Rate-limit policies that apply to the request, with quota and window in seconds.'),
  RetryAfter: {
    description: 'Number of seconds to wait before a retry.',
    schema: { type: 'integer', minimum: 0 },
  },
  Location: text('Path of the created record.', { format: 'uri-reference' }),
  IdempotencyReplayed: text(
    '`true` if this is the stored response of an earlier request with the same key.',
    {
      const: 'true',
    },
  ),
  Deprecation: text('Only on paths without `/v1`: the date of their deprecation (RFC 9745).'),
  SuccessorLink: text(
    'Only on paths without `/v1`: the path that replaces them, as `rel="successor-version"`.',
  ),
};

export const parameters: JsonObject = {
  Offset: {
    name: 'offset',
    in: 'query',
    required: false,
    description:
      'Number of items to skip. Cannot be combined with `cursor`. Prefer `cursor` for long lists: an offset becomes slower with every page.',
    schema: { type: 'integer', minimum: 0, maximum: 1_000_000, default: 0 },
  },
  Cursor: {
    name: 'cursor',
    in: 'query',
    required: false,
    description: '`next_cursor` of the previous page. The list, sort, order and filters must be the same.',
    schema: { type: 'string', minLength: 1 },
  },
  Order: {
    name: 'order',
    in: 'query',
    required: false,
    description: 'Sort direction.',
    schema: { type: 'string', enum: ['asc', 'desc'], default: 'desc' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes retries safe. Within 24 hours, the same request with the same key takes effect once, and repeats get the first response.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description:
      'Id of the last received event. The stream continues after it. Browsers send it automatically.',
    schema: { type: 'string', minLength: 1 },
  },
};

const header = (name: string, description: string): JsonObject => ({
  type: 'apiKey',
  in: 'header',
  name,
  description,
});

export const securitySchemes: JsonObject = {
  ApiKey: header('X-API-Key', 'An API key: `svc_live_…` or `svc_test_…`.'),
  Bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'The API key as a bearer token. JWTs are not accepted.',
  },
  SvcPublicKey: header('x-svc-pubkey', 'Signed request: compressed secp256k1 public key, lower-case hex.'),
  SvcTimestamp: header(
    'x-svc-timestamp',
    'Signed request: Unix time in milliseconds, within 60 s of server time.',
  ),
  SvcNonce: header(
    'x-svc-nonce',
    'Signed request: 16 random bytes in lower-case hex, new for every request.',
  ),
  SvcSignature: header('x-svc-sig', 'Signed request: r and s, 32 bytes each, in lower-case hex.'),
};

export const pagination: JsonObject = {
  type: 'object',
  properties: {
    limit: { type: 'integer', description: 'The maximum number of items on this page.' },
    offset: {
      type: 'integer',
      description: 'Number of items skipped before this page; 0 if it was requested by cursor.',
    },
    has_more: { type: 'boolean', description: 'Whether there are more items after this page.' },
    next_cursor: {
      type: ['string', 'null'],
      description: 'Send it as `cursor` to get the next page; null on the last page.',
    },
    total: {
      type: 'integer',
      description: 'Number of items on all pages. Present only with `include=total`.',
    },
  },
  required: ['limit', 'offset', 'has_more', 'next_cursor'],
};
