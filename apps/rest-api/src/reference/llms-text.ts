/**
 * The API on one page of plain text, for programs that read: what it is, how to call it, one line for each operation.
 * Made of the contract, like the OpenAPI document that it leads to.
 */
import { EVENT_TYPES, type Operation, RATE_BUCKETS, REST_ERRORS } from '@trading-automation/contracts';
import { tagOf } from './tags.js';

export function llmsText(operations: readonly Operation[]): string {
  return `${[START, AUTHENTICATION, CONVENTIONS, operationLines(operations), webhooks(), errors()].join('\n\n')}\n`;
}

const START = `# Trading Automation API

> REST API of a trading-automation platform: exchange accounts, trades, strategies and copiers, rewards, notifications, settings, and signed webhooks.

- [OpenAPI 3.1](/openapi.json): every operation, schema, error code and sample
- [Reference](/docs): the same, for people`;

const AUTHENTICATION = `## Authentication

Send an API key as \`X-API-Key: <key>\` or \`Authorization: Bearer <key>\`; keys begin with \`svc_test_\` (paper exchanges) or \`svc_live_\`. Never in the query string.
Or sign each request with a secp256k1 key pair: headers \`x-svc-pubkey\` (compressed, hex), \`x-svc-timestamp\` (Unix ms, within 60 s), \`x-svc-nonce\` (16 random bytes, hex, new each time), \`x-svc-sig\` (64 bytes r and s, hex; not DER). ECDSA over SHA-256 of \`METHOD\\ntarget\\ntimestamp\\nnonce\\nsha256hex(body)\`.
Permissions: READ, TRADE, WITHDRAW, ADMIN (all). TRADE and WITHDRAW include READ.`;

const CONVENTIONS = `## Conventions

- Success: \`{"success": true, "data": …}\`; lists add \`pagination {limit, offset, has_more, next_cursor}\`. Walk by \`cursor=<next_cursor>\`.
- Lists take limit (1 to 100), offset or cursor, sort, order (asc|desc), include=total. Unknown parameters and body fields are refused.
- Decimals are JSON numbers with all digits; strings with \`Accept: application/json; decimals=string\`. Bodies take either; send strings.
- Ids are opaque (\`trd_…\`), instants are ISO 8601 UTC with milliseconds.
- Send a fresh \`Idempotency-Key\` with every POST, and the same one with its retries.
- On 429 and 503 wait for \`Retry-After\` seconds. Rate limits beside the general one: ${RATE_BUCKETS.join(', ')}.`;

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
  return ['## Operations', 'In brackets: the permission it needs.', ...sections].join('\n\n');
}

/** The operation's place on the reference page, as its viewer names it. */
function linkOf({ id, method, path }: Operation): string {
  const tag = tagOf(id).toLowerCase().replaceAll(' ', '-');
  return `/docs#tag/${tag}/${method}${path.replace(/:(\w+)/g, '{$1}')}`;
}

const webhooks = () => `## Webhooks

Events are posted as JSON \`{"event_id", "type", "timestamp", "data"}\`, at least once and in no order; drop duplicates by event_id. Answer 2xx within 30 s.
Verify by the Standard Webhooks specification: \`webhook-signature\` has \`v1,\` and base64 HMAC-SHA256 of \`<webhook-id>.<webhook-timestamp>.<raw body>\`, keyed by the base64-decoded rest of the secret after \`whsec_\`. Compare in constant time, and refuse a timestamp over 5 minutes away.
A webhook subscribes to kinds, to \`trade.*\` and the like, or to \`*\`. Kinds: ${EVENT_TYPES.join(', ')}. The JSON Schema and a sample of each: GET /v1/events/types.
What failed five times waits among the dead letters: POST /v1/webhooks/:id/dead-letters/retry sends them all again, by range or kind. POST /v1/webhooks/:id/replay sends any event of the last 30 days to a webhook.`;

function errors(): string {
  const lines = Object.entries(REST_ERRORS).map(
    ([code, { status, meaning, resolution }]) => `- ${status} ${code}: ${meaning} ${resolution}`,
  );
  return [
    '## Errors',
    '`{"success": false, "error": {"code", "message", "details"?, "request_id"}}`. Act on the code.',
    lines.join('\n'),
  ].join('\n\n');
}
