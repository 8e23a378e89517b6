/** The words before the operations: how to call the API at all. */
import { REMOVED_NAMESPACES, REST_ERRORS } from '@trading-automation/contracts';

/** A signed request of the published vectors. */
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

/** A proof for POST /v1/auth/cli-identity of the published vectors. */
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
    ...vectors.requests.map(worked),
    linking(vectors.identity),
    REST,
    errors(),
  ].join('\n\n');
}

const START = `Connect exchange accounts, trade on them, copy the trades of others, and be told of all of it by signed webhooks.

Every path begins with \`/v1\`. A success is \`{"success": true, "data": …}\`, a refusal \`{"success": false, "error": {"code", "message", "request_id"}}\`. An answer may gain members: pass over those you do not know. The paths without \`/v1\` are legacy aliases; their answers carry \`Deprecation\` and name the successor in \`Link\`.`;

const AUTHENTICATION = `# Authentication

**API key.** Send it as \`X-API-Key\`, or as \`Authorization: Bearer\`. A key \`svc_test_…\` works in the test world, where exchanges are paper, a key \`svc_live_…\` in the live one. Permissions: \`READ\`, \`TRADE\`, \`WITHDRAW\` (both include \`READ\`), \`ADMIN\` (all).

${fence('sh', 'curl "$API_URL/v1/me" -H "X-API-Key: $API_KEY"')}

**Signed request.** A secp256k1 key pair takes the key's place: no secret leaves your machine. Four headers, once each:

| Header | Value |
| --- | --- |
| \`x-svc-pubkey\` | compressed public key, 66 lower-case hex characters |
| \`x-svc-timestamp\` | Unix time in milliseconds, within 60 seconds of the server's |
| \`x-svc-nonce\` | 16 random bytes, 32 lower-case hex characters, new for every request |
| \`x-svc-sig\` | the signature, r then s, 128 lower-case hex characters; not DER |

The signature is ECDSA over the SHA-256 of the canonical string: method, request target, timestamp, nonce and the lower-case hex SHA-256 of the raw body, joined by one line feed, none at the end. The target is what you send, query and escapes included; at a legacy alias it is the path without \`/v1\`. Without a body the digest is that of nothing, \`e3b0c442…b855\`. Where these headers are, an API key beside them is ignored.

Check your signer with these requests. Their private keys are the scalars named: use them for nothing else.`;

function worked({
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
    'Headers, with the nonce k of RFC 6979 and the low s:',
    fence('http', lines.join('\n')),
  ].join('\n\n');
}

function linking({ message, signature }: IdentityVector): string {
  return [
    '**Linking a key pair.** Draw a challenge with `GET /v1/auth/cli-challenge`, sign the text `svc-cli-identity`, challenge and public key, joined by line feeds, and send the signature to `POST /v1/auth/cli-identity`. With private key 1:',
    fence('text', message),
    fence('text', signature),
  ].join('\n\n');
}

const REST = `# Lists

A page holds \`limit\` items, 20 unless the list says otherwise, 100 at most. Walk by \`cursor\`: send \`next_cursor\` of a page for the next one, while \`has_more\` is true; page 10,000 costs what page 1 does, and what is made meanwhile moves nothing. \`offset\` is there too, and excludes \`cursor\`. \`include=total\` counts all items. What is no parameter of a list is refused, and nothing is clamped.

# Decimals

Amounts and prices are exact to 18 decimals. In answers they are JSON numbers with every digit, which a reader must take from the raw text; with \`Accept: application/json; decimals=string\` they are strings. In bodies both are taken.

# Retries

Send an \`Idempotency-Key\` with every POST, 1 to 255 printable characters, new for each intent. Within 24 hours the same request with the same key has its effect once, and its first answer comes again with \`Idempotency-Replayed: true\`. The same key with another request is \`idempotency_key_reused\`. Answers 401, 403, 413, 429 and 5xx are not kept: send the request again with the same key.

# Limits

600 requests a minute, 20 trade writes a second, and 10 writes of keys and withdrawals a minute, by credential; without one, by address. Answers carry \`RateLimit\` and \`RateLimit-Policy\`; 429 says in \`Retry-After\` how long to wait. A body has at most 256 KiB, 32 levels and 1,000 members; the request target at most 8 KiB, the headers 16 KiB.

# Webhooks

Events are posted to the URLs of your webhooks, signed as the Standard Webhooks specification says. An event is written with the change that it tells of, and delivered at least once. The kinds stand below under webhooks.`;

function errors(): string {
  const rows = Object.entries(REST_ERRORS).map(
    ([code, { status, meaning, resolution }]) => `| ${status} | \`${code}\` | ${meaning} | ${resolution} |`,
  );
  return [
    '# Errors',
    'The code is stable, the message is for people. Every operation lists the codes that it may answer; `route_not_found`, `method_not_allowed` and `namespace_removed` belong to paths that no operation has. ' +
      `Removed for good: ${REMOVED_NAMESPACES.map((path) => `\`${path}/*\``).join(', ')}.`,
    ['| Status | Code | Meaning | Mend |', '| --- | --- | --- | --- |', ...rows].join('\n'),
  ].join('\n\n');
}
