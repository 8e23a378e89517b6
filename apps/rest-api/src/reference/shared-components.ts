/** What many operations refer to: headers, parameters, security schemes, the pagination block. */
import { type JsonObject } from './json.js';

const text = (description: string, more: JsonObject = {}): JsonObject => ({
  description,
  schema: { type: 'string', ...more },
});

export const headers: JsonObject = {
  RequestId: text('Id of the request: the valid one that you sent, or a new one. Support asks for it.'),
  RateLimit: text('What is left, by policy: `"general";r=599;t=1`.'),
  RateLimitPolicy: text('The policies that the request counts in, with quota and window in seconds.'),
  RetryAfter: { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 0 } },
  Location: text('Path of the record that was made.', { format: 'uri-reference' }),
  IdempotencyReplayed: text('`true` where this is the kept answer of an earlier request with the same key.', {
    const: 'true',
  }),
  Deprecation: text('On the unprefixed aliases: since when they are legacy (RFC 9745).'),
  CopierLink: text(
    'On the unprefixed aliases: the path that takes their place, as `rel="successor-version"`.',
  ),
};

export const parameters: JsonObject = {
  Offset: {
    name: 'offset',
    in: 'query',
    required: false,
    description: 'Items to skip. Not together with `cursor`, which costs the same on every page.',
    schema: { type: 'integer', minimum: 0, maximum: 1_000_000, default: 0 },
  },
  Cursor: {
    name: 'cursor',
    in: 'query',
    required: false,
    description: '`next_cursor` of the page before; of the same list, sort, order and filters.',
    schema: { type: 'string', minLength: 1 },
  },
  Order: {
    name: 'order',
    in: 'query',
    required: false,
    description: 'Direction of the sort.',
    schema: { type: 'string', enum: ['asc', 'desc'], default: 'desc' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes a retry safe: within 24 hours the same request with the same key has its effect once, and its first answer comes again.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description:
      'Id of the last event received: the stream goes on after it. Browsers send it by themselves.',
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
    description: 'The same API key as a bearer value. No JWT is taken.',
  },
  SvcPublicKey: header('x-svc-pubkey', 'Signed request: compressed secp256k1 public key, lower-case hex.'),
  SvcTimestamp: header(
    'x-svc-timestamp',
    'Signed request: Unix time in milliseconds, within 60 s of the server.',
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
    limit: { type: 'integer', description: 'The maximum number of items of this page.' },
    offset: {
      type: 'integer',
      description: 'Items skipped before this page; 0 if it was requested by cursor.',
    },
    has_more: { type: 'boolean', description: 'Whether there are more items after this page.' },
    next_cursor: {
      type: ['string', 'null'],
      description: 'Send it as `cursor` to get the next page; null on the last page.',
    },
    total: { type: 'integer', description: 'Number of all items of the query; only with `include=total`.' },
  },
  required: ['limit', 'offset', 'has_more', 'next_cursor'],
};
