/**
 * A defect to plant. `find` occurs exactly once in `file`, and `replace` replaces it; then at least one of `tests`
 * must fail.
 *
 * @typedef {{
 *   name: string, file: string, find: string, replace: string, tests: readonly string[],
 * }} PlantedFault paths are relative to the root of the workspace
 */

/** @type {readonly PlantedFault[]} */
export const PLANTED_FAULTS = [
  {
    name: 'an empty time range is accepted',
    file: 'packages/contracts/src/range.ts',
    find: 'Date.parse(from) < Date.parse(to)',
    replace: 'Date.parse(from) <= Date.parse(to)',
    tests: ['packages/contracts/src/contracts.spec.ts'],
  },
  {
    name: 'an API key is created without a check of the permission',
    file: 'packages/core/src/access/api-keys.service.ts',
    find: 'authorise(actor, accessOperations.createApiKey.access);',
    replace: '',
    tests: ['packages/core/src/access/api-keys.service.int.spec.ts'],
  },
  {
    name: 'the list of withdrawals omits the condition on the user',
    file: 'packages/core/src/withdrawals/withdrawals.service.ts',
    find: "where: ['w.user_id = $1', ",
    replace: "where: ['$1::uuid IS NOT NULL', ",
    tests: ['packages/core/src/withdrawals/withdrawals.service.int.spec.ts'],
  },
  {
    name: 'a cancelled withdrawal emits no event',
    file: 'packages/core/src/withdrawals/withdrawals.service.ts',
    find: "return emitWithdrawalEvent(tx, withdrawal, 'withdrawal.cancelled');",
    replace: 'return withdrawalView(withdrawal);',
    tests: ['packages/core/src/withdrawals/withdrawals.service.int.spec.ts'],
  },
  {
    name: 'an order ignores a shortfall of the free balance',
    file: 'packages/core/src/trades/place-trade.ts',
    find: 'if (new BigDecimal(free).gte(amount)) return;',
    replace: 'if (new BigDecimal(free).gte(0)) return;',
    tests: ['packages/core/src/trades/trades.service.int.spec.ts'],
  },
  {
    name: 'a profit share is rounded up',
    file: 'packages/core/src/rewards/profit-share/profit-share.rules.ts',
    find: 'times(tokensPerQuote).toDecimalPlaces(DECIMAL_SCALE, BigDecimal.ROUND_DOWN)',
    replace: 'times(tokensPerQuote).toDecimalPlaces(DECIMAL_SCALE, BigDecimal.ROUND_UP)',
    tests: ['packages/core/src/rewards/profit-share/profit-share.rules.spec.ts'],
  },
  {
    name: 'a copy that is planned again is placed twice',
    file: 'packages/core/src/copiers/copying/client-order-id.ts',
    find: ".update([copierId, lotTradeId, sequence, intent, attempt].join('/'))",
    replace: ".update([copierId, lotTradeId, sequence, intent, attempt, Math.random()].join('/'))",
    tests: ['packages/core/src/copiers/copying/client-order-id.spec.ts'],
  },
  {
    name: 'a dispatcher records a success after it lost its lease',
    file: 'packages/core/src/webhooks/delivery.queries.ts',
    find: 'WHERE d.id = results.id AND d.id = ANY($1::uuid[]) AND d.lease_id = results.lease_id',
    replace: 'WHERE d.id = results.id AND d.id = ANY($1::uuid[])',
    tests: ['packages/core/src/webhooks/webhook-deliveries.service.int.spec.ts'],
  },
  {
    name: 'the record of an Idempotency-Key never expires',
    file: 'packages/persistence/src/idempotency.ts',
    find: 'key_hash = $3 AND expires_at > clock_timestamp()',
    replace: 'key_hash = $3',
    tests: ['packages/persistence/src/idempotency.int.spec.ts'],
  },
  {
    name: 'work runs without its advisory lock',
    file: 'packages/persistence/src/advisory-lock.ts',
    find: 'if (!rows[0].acquired) return { acquired: false };',
    replace: '',
    tests: ['packages/persistence/src/coordination.int.spec.ts'],
  },
  {
    name: 'a cursor continues in the wrong direction',
    file: 'packages/pagination/src/keyset.ts',
    find: "order === 'asc' ? '>' : '<'",
    replace: "order === 'asc' ? '<' : '>'",
    tests: ['packages/persistence/src/keyset-list.int.spec.ts'],
  },
  {
    name: 'a nonce is accepted twice',
    file: 'packages/signed-request/src/replay-window.ts',
    find: 'if (expiryMs !== undefined && expiryMs > nowMs) return false;',
    replace: 'if (expiryMs !== undefined && expiryMs < nowMs) return false;',
    tests: ['packages/signed-request/src/replay-window.spec.ts'],
  },
  {
    name: 'a repeated signature header is accepted',
    file: 'packages/signed-request/src/signature-headers.ts',
    find: "if (received.has(header)) return { kind: 'malformed', header, reason: 'it was sent more than once' };",
    replace: '',
    tests: ['packages/signed-request/src/signature-headers.spec.ts'],
  },
  {
    name: 'the SDK retries once more than maxRetries',
    file: 'packages/sdk/src/core/retry.rules.ts',
    find: 'if (retries >= maxRetries ||',
    replace: 'if (retries > maxRetries ||',
    tests: ['packages/sdk/src/core/retry.rules.spec.ts'],
  },
  {
    name: 'the CLI uses secrets that other users can read',
    file: 'packages/cli/src/profile/private-file.ts',
    find: '.mode & 0o077) !== 0',
    replace: '.mode & 0o007) !== 0',
    tests: ['packages/cli/src/profile/secrets.spec.ts'],
  },
  {
    name: 'an order without a response counts as not placed',
    file: 'packages/exchanges/src/ccxt/failures.ts',
    find: "if (kind === 'write' && isSent) return",
    replace: "if (kind === 'write' && !isSent) return",
    tests: ['packages/exchanges/src/ccxt/failures.spec.ts'],
  },
  {
    name: 'the log contains all fields of an error',
    file: 'packages/runtime/src/describe-error.ts',
    find: 'type: nameOf(error),',
    replace: '...error, type: nameOf(error),',
    tests: ['packages/runtime/src/logger.spec.ts'],
  },
  {
    name: 'the egress firewall permits the metadata address of a cloud',
    file: 'apps/webhook-dispatcher/src/delivery/egress-firewall.ts',
    find: "['169.254.0.0', 16],",
    replace: '',
    tests: ['apps/webhook-dispatcher/src/delivery/egress-firewall.spec.ts'],
  },
  {
    name: 'the fingerprint of a mutation ignores its variables',
    file: 'apps/graphql-api/src/server/idempotency.ts',
    find: 'canonical([query, variables ?? {}])',
    replace: 'canonical([query, variables === undefined])',
    tests: ['apps/graphql-api/src/server/idempotency.spec.ts'],
  },
  {
    name: 'a self-trade ends the resting order, not the new one',
    file: 'apps/paper-exchange/src/engine/book.ts',
    find: 'stpMode: SelfTradePreventionMode.EXPIRE_TAKER',
    replace: 'stpMode: SelfTradePreventionMode.EXPIRE_MAKER',
    tests: ['apps/paper-exchange/src/engine/exchange.spec.ts'],
  },
  {
    name: 'a worker prefetches more of the call budget than it spends',
    file: 'apps/trading-worker/src/budgets/prefetched-tokens.ts',
    find: 'Math.min(Math.floor(ceiling * PREFETCH_SHARE), Math.max(current, previous));',
    replace: 'Math.max(Math.floor(ceiling * PREFETCH_SHARE), current, previous);',
    tests: ['apps/trading-worker/src/budgets/venue-budget.spec.ts'],
  },
  {
    name: 'the REST API ignores the body in the fingerprint of a request',
    file: 'apps/rest-api/src/http/idempotency-key.ts',
    find: 'path: versionedPath(path), query, body })',
    replace: 'path: versionedPath(path), query, body: new Uint8Array() })',
    tests: ['apps/rest-api/src/http/idempotency.int.spec.ts'],
  },
];
