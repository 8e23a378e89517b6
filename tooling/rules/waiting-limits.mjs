import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';

/**
 * The waiting limits of callers and of what they call, as constants of the code, in ms. A caller waits longer than its
 * callee by a margin, so that it learns why a call failed. `docs/reliability.md` describes the same limits.
 *
 * @typedef {{ file: string, name: string }} Constant `name`: `CONSTANT`, or `CONSTANT.property`
 * @typedef {{ caller: readonly Constant[], callee: readonly Constant[], marginMs: number, what: string }} Waiting each
 *   side is a sum
 */

const at = (/** @type {string} */ file) => (/** @type {string} */ name) => ({ file, name });
const sdk = at('packages/sdk/src/core/connection.ts');
const operation = at('packages/contracts/src/operation.ts');
const processes = at('packages/persistence/src/process-calls.ts');
const worker = at('packages/core/src/exchange-accounts/worker-calls.ts');
const webhookTests = at('packages/core/src/webhooks/webhook-tests.service.ts');
const database = at('packages/persistence/src/data-source.ts');
const commands = at('packages/core/src/operations/command-runner.ts');
const api = at('packages/core/src/api/api-infrastructure.ts');
const grace = at('packages/runtime/src/process.ts');
const bookMids = at('apps/trading-worker/src/copying/book-mids.ts');
const gauges = at('apps/webhook-dispatcher/src/metrics/backlog-gauges.ts');
const backlog = at('packages/core/src/webhooks/webhook-backlog.service.ts');
const checks = at('apps/trading-worker/src/schedules/trade-checks.ts');
const ownership = at('packages/core/src/exchange-accounts/account-ownership.service.ts');
const providers = at('apps/graphql-api/src/providers/provider-call.ts');
const listener = at('packages/persistence/src/listener.ts');
const takeover = at('packages/core/src/trades/takeover.queries.ts');

/** A mute dependency is treated as one that is down within this time. */
export const DOWN_WITHIN_MS = 10_000;
/** A call of an exchange takes at most this long (`timeoutMs` of `VENUES`). */
export const VENUE_CALL_MAX_MS = 10_000;

const exactly = (/** @type {number} */ ms) => ({ file: '', name: String(ms) });

/** @type {readonly Waiting[]} */
export const WAITINGS = [
  {
    what: 'the SDK for a response of the API',
    caller: [sdk('TIMEOUT_MS')],
    callee: [operation('RESPONSE_TIME_MAX_MS')],
    marginMs: 5_000,
  },
  {
    what: 'a stopping process for its running requests',
    caller: [grace('GRACE_MS')],
    callee: [operation('RESPONSE_TIME_MAX_MS')],
    marginMs: 5_000,
  },
  {
    what: 'the API for the trading worker: its operation ends before the reply is due',
    caller: [
      worker('WORKER_CALL_TIMES.startWithinMs'),
      worker('WORKER_CALL_TIMES.operationMs'),
      processes('REPLY_MARGIN_MS'),
    ],
    callee: [worker('WORKER_CALL_TIMES.startWithinMs'), worker('WORKER_CALL_TIMES.operationMs')],
    marginMs: 2_000,
  },
  {
    what: 'a start of a copier for the order books that the worker reads',
    caller: [worker('WORKER_CALL_TIMES.operationMs')],
    callee: [bookMids('WAIT_MS')],
    marginMs: 500,
  },
  {
    what: 'the dispatcher for a test event: the attempt ends before the reply is due',
    caller: [webhookTests('WEBHOOK_TEST_TIMES.operationMs'), processes('REPLY_MARGIN_MS')],
    callee: [webhookTests('ATTEMPT_TIMEOUT_MAX_MS')],
    marginMs: 2_000,
  },
  {
    what: 'a connection for the server, which cancels a slow statement first',
    caller: [database('STATEMENT_TIMEOUT_MS'), database('RESPONSE_MARGIN_MS')],
    callee: [database('STATEMENT_TIMEOUT_MS')],
    marginMs: 1_000,
  },
  {
    what: 'a request for its slot and a mute Postgres',
    caller: [exactly(DOWN_WITHIN_MS)],
    callee: [commands('waitMaxMs'), database('STATEMENT_TIMEOUT_MS'), database('RESPONSE_MARGIN_MS')],
    marginMs: 500,
  },
  {
    what: 'a request for a connection to a mute Postgres',
    caller: [exactly(DOWN_WITHIN_MS)],
    callee: [commands('waitMaxMs'), database('CONNECT_TIMEOUT_MS')],
    marginMs: 500,
  },
  {
    what: 'a request for a mute Redis',
    caller: [exactly(DOWN_WITHIN_MS)],
    callee: [api('REDIS_TIMEOUT_MS')],
    marginMs: 5_000,
  },
  {
    what: 'a request for a mute provider of sign-ins',
    caller: [exactly(DOWN_WITHIN_MS)],
    callee: [providers('TIMEOUT_MS')],
    marginMs: 2_000,
  },
  {
    what: 'cached credentials for the detection of a mute connection for notifications',
    caller: [exactly(DOWN_WITHIN_MS)],
    callee: [listener('PROBE_MS'), listener('RESPONSE_LIMIT_MS')],
    marginMs: 2_000,
  },
  {
    what: 'the metrics for the statement of the backlog',
    caller: [gauges('TIMEOUT_MS')],
    callee: [backlog('READ_TIMEOUT_MS')],
    marginMs: 1_000,
  },
  {
    what: "the lease of an order's check for the exchange",
    caller: [checks('LEASE_MS')],
    callee: [exactly(VENUE_CALL_MAX_MS)],
    marginMs: 10_000,
  },
  {
    what: 'the lease of an account for its renewals',
    caller: [ownership('LEASE_MS')],
    callee: [ownership('LEASE_RENEWAL_MS'), ownership('LEASE_MARGIN_MS')],
    marginMs: 5_000,
  },
  {
    what: 'the judgement that an order of a dead worker never arrived, for its deadline and the receive window',
    caller: [takeover('CERTAIN_AFTER_MS')],
    callee: [takeover('SEND_DEADLINE_MS'), takeover('RECEIVE_WINDOW_MS')],
    marginMs: 2_000,
  },
];

/** @type {Map<string, any>} */
const programs = new Map();

/**
 * Returns the sum of constants in ms.
 * @param {string} root
 * @param {readonly Constant[]} constants
 */
export function sumOf(root, constants) {
  return constants.reduce((sum, constant) => sum + numberAt(root, constant), 0);
}

/** @returns {number} */
function numberAt(/** @type {string} */ root, /** @type {Constant} */ { file, name }) {
  if (file === '') return Number(name);
  const program = programs.get(file) ?? parseSync(file, readFileSync(join(root, file), 'utf8')).program;
  programs.set(file, program);
  const [first, property] = name.split('.');
  for (const node of nodes(program)) {
    const isConstant = node.type === 'VariableDeclarator' && node.id.name === first;
    const isProperty = node.type === 'Property' && node.key.name === first && property === undefined;
    if (!isConstant && !isProperty) continue;
    const value = isConstant ? node.init : node.value;
    const found = numberOf(root, file, property === undefined ? value : memberOf(value, property));
    if (found !== undefined) return found;
  }
  throw new Error(`${file} has no constant ${name} whose value is a number`);
}

/** @type {ReadonlyMap<string, (left: number, right: number) => number>} */
const OPERATORS = new Map([
  ['+', (left, right) => left + right],
  ['*', (left, right) => left * right],
]);

const memberOf = (/** @type {any} */ object, /** @type {string} */ name) =>
  object.properties?.find((/** @type {any} */ each) => each.key.name === name)?.value;

/** @returns {number | undefined} */
function numberOf(/** @type {string} */ root, /** @type {string} */ file, /** @type {any} */ node) {
  if (node?.type === 'Literal' && typeof node.value === 'number') return node.value;
  if (node?.type === 'Identifier') return numberAt(root, { file, name: node.name });
  if (node?.type !== 'BinaryExpression') return undefined;
  const [left, right] = [numberOf(root, file, node.left), numberOf(root, file, node.right)];
  if (left === undefined || right === undefined) return undefined;
  return OPERATORS.get(node.operator)?.(left, right);
}

/** @returns {Generator<any>} */
function* nodes(/** @type {any} */ node) {
  if (node === null || typeof node !== 'object') return;
  if (Array.isArray(node)) {
    for (const child of node) yield* nodes(child);
    return;
  }
  if (typeof node.type === 'string') yield node;
  for (const child of Object.values(node)) yield* nodes(child);
}
