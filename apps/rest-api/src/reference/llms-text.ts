/**
 * Describes the API on one page of plain text for language models: what it is, how to call it, and one line per
 * operation. The page is generated from the contract, like the OpenAPI document that it links to.
 */
import { EVENT_TYPES, type Operation, RATE_BUCKETS, REST_ERRORS } from '@trading-automation/contracts';
import { tagOf } from './tags.js';

export function llmsText(operations: readonly Operation[]): string {
  return `${[START, AUTHENTICATION, CONVENTIONS, operationLines(operations), webhooks(), errors()].join('\n\n')}\n`;
}

const START = `# Trading Automation API

> REST API of a trading-automation platform: exchange accounts, trades, strategies and copiers, rewards, notifications, settings, and signed webhooks.

- [OpenAPI 3.1](/openapi.json): every operation, schema, error code and sample
- [Reference](/docs): the same, for human readers`;

const AUTHENTICATION = `## Authentication

Send an API key as \`X-API-Key: <key>\` or \`Authorization: Bearer <key>\`; keys start with \`svc_test_\` (paper exchanges) or \`svc_live_\`. Never send a key in the query string.
Or sign each request with a secp256k1 key pair: headers \`x-svc-pubkey\` (compressed, hex), \`x-svc-timestamp\` (Unix ms, within 60 s), \`x-svc-nonce\` (16 random bytes, hex, new each time), \`x-svc-sig\` (64 bytes r and s, hex; not DER). ECDSA over SHA-256 of \`METHOD\\ntarget\\ntimestamp\\nnonce\\nsha256hex(body)\`.
Permissions: READ, TRADE, WITHDRAW, ADMIN (all). TRADE and WITHDRAW include READ.`;

const CONVENTIONS = `## Conventions

- Success: \`{"success": true, "data": …}\`; lists add \`pagination {limit, offset, has_more, next_cursor}\`. Get the next page with \`cursor=<next_cursor>\`.
- Lists accept limit (1 to 100), offset or cursor, sort, order (asc|desc), include=total. Unknown parameters and body fields are errors.
- Decimals are JSON numbers with all digits, or strings with \`Accept: application/json; decimals=string\`. Bodies accept both; send strings.
- Ids are opaque (\`trd_…\`), instants are ISO 8601 UTC with milliseconds.
- Send a new \`Idempotency-Key\` with every POST, and the same key with its retries.
- On 429 and 503, wait \`Retry-After\` seconds. Rate limits in addition to the general one: ${RATE_BUCKETS.join(', ')}.`;

function operationLines(operations: readonly Operation[]): string {
  const tags = [...new Set(operations.map(({ id }) => tagOf(id)))];
  const sections = tags.map((tag) => {
    const lines = operations
      .filter(({ id }) => tagOf(id) === tag)
      .map((operation) => {
        const { method, path, access, summary } = operation;
        return `- [${method} ${path}](${linkOf(operation)}) (${access}): ${summary}`;
      });
    return [`### ${tag}`, '', ...lines].join('\n');
  });
  return ['## Operations', 'The required permission is in parentheses.', ...sections].join('\n\n');
}

/** Returns the link to the operation on the reference page, in the viewer's format. */
function linkOf({ id, method, path }: Operation): string {
  const tag = tagOf(id).toLowerCase().replaceAll(' ', '-');
  return `/docs#tag/${tag}/${method}${path.replace(/:(\w+)/g, '{$1}')}`;
}

const webhooks = () => `## Webhooks

Events are sent by POST as JSON \`{"event_id", "type", "timestamp", "data"}\`, at least once and in no guaranteed order. Ignore duplicates by event_id. Respond with 2xx within 30 s.
Verify the signature according to the Standard Webhooks specification: \`webhook-signature\` contains \`v1,\` and the base64 HMAC-SHA256 of \`<webhook-id>.<webhook-timestamp>.<raw body>\`. The key is the part of the secret after \`whsec_\`, base64-decoded. Compare in constant time, and reject a timestamp that differs from your clock by more than 5 minutes.
A webhook subscribes to event types, to subjects like \`trade.*\`, or to \`*\`. Event types: ${EVENT_TYPES.join(', ')}. GET /v1/events/types returns the JSON Schema and a sample of each.
A delivery that failed five times becomes a dead letter. POST /v1/webhooks/:id/dead-letters/retry retries all pending ones, or those of a time range or an event type. POST /v1/webhooks/:id/replay sends any event of the last 30 days to a webhook.`;

function errors(): string {
  const lines = Object.entries(REST_ERRORS).map(
    ([code, { status, meaning, resolution }]) => `- ${status} ${code}: ${meaning} ${resolution}`,
  );
  return [
    '## Errors',
    '`{"success": false, "error": {"code", "message", "details"?, "request_id"}}`. Handle errors by their code.',
    lines.join('\n'),
  ].join('\n\n');
}
