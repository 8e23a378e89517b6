/** Renders the introduction of the API reference, which explains how to call the API. */
import { REMOVED_NAMESPACES, REST_ERRORS } from '@trading-automation/contracts';

/** A signed request of the published test vectors. */
export interface RequestVector {
  readonly name: string;
  readonly private_scalar: string;
  readonly method: string;
  readonly path: string;
  readonly body: { readonly encoding: string; readonly value: string };
  readonly body_sha256: string;
  readonly canonical_string: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A signature of the published test vectors, for POST /v1/auth/cli-identity. */
export interface IdentityVector {
  readonly message: string;
  readonly signature: string;
}

export interface Vectors {
  readonly requests: readonly RequestVector[];
  readonly identity: IdentityVector;
}

const fence = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;

export function introduction(vectors: Vectors): string {
  return [
    START,
    AUTHENTICATION,
    ...vectors.requests.map(signedRequestExample),
    keyLinkExample(vectors.identity),
    REST,
    errors(),
  ].join('\n\n');
}

const START = `Connect exchange accounts, trade on them, copy other traders, and receive every change through signed webhooks.

Every path starts with \`/v1\`. A success is \`{"success": true, "data": …}\`, an error \`{"success": false, "error": {"code", "message", "request_id"}}\`. New members may be added to responses; ignore members that you do not know. Paths without \`/v1\` are legacy aliases. Their responses contain a \`Deprecation\` header and the successor in \`Link\`.`;

const AUTHENTICATION = `# Authentication

**API key.** Send it as \`X-API-Key\`, or as \`Authorization: Bearer\`. A \`svc_test_…\` key works in the test world, which has paper exchanges; a \`svc_live_…\` key works in the live world. Permissions: \`READ\`, \`TRADE\`, \`WITHDRAW\` (both include \`READ\`), \`ADMIN\` (all).

${fence('sh', 'curl "$API_URL/v1/me" -H "X-API-Key: $API_KEY"')}

**Signed request.** Sign requests with a secp256k1 key pair instead of sending an API key, so that no secret leaves your machine. Send each of these four headers once:

| Header | Value |
| --- | --- |
| \`x-svc-pubkey\` | compressed public key, 66 lower-case hex characters |
| \`x-svc-timestamp\` | Unix time in milliseconds, within 60 seconds of server time |
| \`x-svc-nonce\` | 16 random bytes, 32 lower-case hex characters, new for every request |
| \`x-svc-sig\` | signature, r then s, 128 lower-case hex characters; not DER |

The signature is ECDSA over the SHA-256 of the canonical string. The canonical string is the method, request target, timestamp, nonce and the lower-case hex SHA-256 of the raw body, joined by single line feeds, without one at the end. The target is exactly what you send, including query and escapes; for a legacy alias it is the path without \`/v1\`. Without a body, use the digest of an empty string, \`e3b0c442…b855\`. If a request has these headers, an API key in it is ignored.

Test your signing code with these requests. Their private keys are the scalars shown; never use them for anything else.`;

function signedRequestExample({
  private_scalar,
  method,
  path,
  body,
  body_sha256,
  canonical_string,
  headers,
}: RequestVector) {
  const request = body.value === '' ? `${method} ${path}` : `${method} ${path}\n\n${body.value}`;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [
    `**${method} ${path}**, private key ${private_scalar}`,
    fence('http', request),
    `SHA-256 of the body: \`${body_sha256}\``,
    'Canonical string:',
    fence('text', canonical_string),
    'Headers, signed with the RFC 6979 nonce k and a low s:',
    fence('http', lines.join('\n')),
  ].join('\n\n');
}

function keyLinkExample({ message, signature }: IdentityVector): string {
  return [
    '**Linking a key pair.** Get a challenge with `GET /v1/auth/cli-challenge`. Sign `svc-cli-identity`, the challenge and the public key, joined by line feeds, and send the signature to `POST /v1/auth/cli-identity`. With private key 1:',
    fence('text', message),
    fence('text', signature),
  ].join('\n\n');
}

const REST = `# Lists

A page holds up to \`limit\` items: at most 100, and 20 by default unless the list documents another default. To read all pages, send the \`next_cursor\` of each page as \`cursor\` while \`has_more\` is true. Page 10,000 is as fast as page 1, and new records do not shift the pages. You can use \`offset\` instead of \`cursor\`, but not both. \`include=total\` adds the number of all items. Unknown parameters and values out of range are errors; values are never clamped.

# Decimals

Amounts and prices are exact to 18 decimal places. In responses they are JSON numbers with every digit, which you must parse from the raw JSON. With \`Accept: application/json; decimals=string\` they are strings. Request bodies accept both.

# Retries

Send an \`Idempotency-Key\` with every POST: 1 to 255 printable characters, new for each intended effect. Within 24 hours, the same request with the same key takes effect once. Repeats get the first response with \`Idempotency-Replayed: true\`. The same key with another request returns \`idempotency_key_reused\`. Responses with 401, 403, 413, 429 and 5xx are not stored, so retry them with the same key.

# Limits

The rate limits are 600 requests per minute, 20 trade writes per second, and 10 writes of keys and withdrawals per minute. They apply per credential, or per IP address without one. All credentials of a user together may use three times each limit. Simulations, tests of exchange credentials and tests of a webhook are limited to 6 per minute and user. Responses contain \`RateLimit\` and \`RateLimit-Policy\` with the limits that leave the fewest requests; a limit of the user has the suffix \`_user\`; a 429 response contains \`Retry-After\`. A body may have at most 256 KiB, 32 levels and 1,000 members; the request target at most 8 KiB and the headers 16 KiB.

# Webhooks

Events are sent by POST to the URLs of your webhooks, signed according to the Standard Webhooks specification. An event is stored in the same transaction as its change and delivered at least once. \`GET /v1/events/types\` returns every event type with a sample and its schema.`;

function errors(): string {
  const rows = Object.entries(REST_ERRORS).map(
    ([code, { status, meaning, resolution }]) => `| ${status} | \`${code}\` | ${meaning} | ${resolution} |`,
  );
  return [
    '# Errors',
    'The code is stable; the message is human-readable. Every operation lists the codes that it can return. `route_not_found`, `method_not_allowed` and `namespace_removed` are returned for requests that match no operation. ' +
      `Permanently removed: ${REMOVED_NAMESPACES.map((path) => `\`${path}/*\``).join(', ')}.`,
    ['| Status | Code | Meaning | Resolution |', '| --- | --- | --- | --- |', ...rows].join('\n'),
  ].join('\n\n');
}
