/** Causes every code of the published error table by HTTP requests, and checks the status and the details. */

import { randomBytes } from 'node:crypto';
import {
  DomainError,
  ERRORS,
  type ErrorCode,
  REST_ERRORS,
  type RestErrorCode,
} from '@trading-automation/contracts';
import { eventually } from '@trading-automation/runtime/testing';
import { signRequest } from '@trading-automation/signed-request';
import { limitsOf } from '../rate-limits.js';
import { type SendOptions, send, type TestResponse } from '../send.js';
import { createIdentityBody, createKeyPair, openAccount } from '../test-rest-api.js';
import { TestEnvironment } from './test-environment.js';
import { TestUser } from './test-user.js';

let environment: TestEnvironment;
let owner: TestUser;
/** The response of the venue to a test of exchange credentials; each test may replace it. */
let testAtVenue: () => Promise<unknown>;
beforeAll(async () => {
  environment = await TestEnvironment.open({}, { test: () => testAtVenue() as never });
  owner = await TestUser.create(environment);
});
beforeEach(() => {
  testAtVenue = environment.goodCredentials;
});
afterAll(() => environment?.close());

const get = (headers: SendOptions['headers'], target = '/v1/me') =>
  send(environment.api, 'GET', target, headers === undefined ? {} : { headers });
const signed = (target = '/v1/me', overrides: Partial<Parameters<typeof signRequest>[0]> = {}) =>
  signRequest({ method: 'GET', path: target, privateKey: owner.keyPair.privateKey, ...overrides });
const post = (target: string, body: string, headers: Record<string, string> = {}) =>
  send(environment.api, 'POST', target, {
    body,
    headers: { 'x-api-key': owner.keyOf('ADMIN'), 'content-type': 'application/json', ...headers },
  });
const placeTrade = async (overrides: object, accountId?: string) =>
  owner.call('POST', '/v1/trades', {
    body: { ...environment.tradeBody(accountId ?? (await owner.account())), ...overrides },
  });
async function keyWith(fields: object): Promise<string> {
  const { key } = await owner.requireData('POST', '/v1/api-keys', { name: 'special', ...fields });
  return key as string;
}
/** Returns a random address of 2001:db8::/32, the range for documentation. */
const uniqueAddress = () => `2001:db8::${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}`;
const idempotencyKey = (key: string) => ({ 'idempotency-key': key });

/** Runs `work` while another transaction locks the user's row, then releases the lock. Returns the result of `work`. */
async function whileUserIsLocked<T>(work: () => Promise<T>): Promise<T> {
  const runner = environment.backend.platform.database.createQueryRunner();
  await runner.startTransaction();
  await runner.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [owner.uuid]);
  try {
    return await work();
  } finally {
    await runner.rollbackTransaction();
    await runner.release();
  }
}

/** Resolves once a transaction waits for a lock. By then it has claimed its Idempotency-Key. */
async function untilClaimed(): Promise<void> {
  await eventually(async () => {
    const [row] = await environment.rows(
      `SELECT count(*)::int AS waiting FROM pg_locks WHERE NOT granted
       AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())`,
    );
    return Number(row?.waiting) > 0;
  });
}

/** For each code of the table, the conditions that cause it, each with a request. */
const CAUSES: Record<RestErrorCode, readonly (readonly [string, () => Promise<TestResponse>])[]> = {
  authentication_required: [['no credentials', () => get({})]],
  invalid_api_key: [
    ['an unknown key', () => get({ 'x-api-key': `svc_test_${'a'.repeat(49)}` })],
    ['a bearer value that is not a key', () => get({ authorization: 'Bearer ey.ey.ey' })],
    [
      'a revoked key',
      async () => {
        const { id, key } = await owner.requireData('POST', '/v1/api-keys', { name: 'revoked' });
        await owner.requireData('DELETE', `/v1/api-keys/${id}`);
        return get({ 'x-api-key': key as string });
      },
    ],
    [
      'an expired key',
      async () => {
        const key = await keyWith({ expires_at: new Date(Date.now() + 3_600_000).toISOString() });
        await environment.rows(
          "UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE name = 'special'",
        );
        return get({ 'x-api-key': key });
      },
    ],
    ['a key of the other world', () => get({ 'x-api-key': owner.keyOf('ADMIN').replace('test', 'live') })],
  ],
  invalid_signature_headers: [
    [
      'a missing header',
      () => {
        const { 'x-svc-nonce': _, ...rest } = signed();
        return get(rest);
      },
    ],
    ['a malformed header', () => get({ ...signed(), 'x-svc-sig': 'zz' })],
  ],
  invalid_signature: [['a signature over another path', () => get(signed('/v1/trades'), '/v1/me')]],
  credentials_ambiguous: [
    [
      'two different keys',
      () => get({ 'x-api-key': owner.keyOf('READ'), authorization: `Bearer ${owner.keyOf('ADMIN')}` }),
    ],
  ],
  credential_in_query: [
    ['a key in the query', () => get({}, `/v1/me?api_key=${owner.keyOf('READ')}`)],
    ['a signature in the query', () => get({}, '/v1/me?x-svc-sig=00')],
  ],
  unknown_public_key: [
    ['an unlinked key pair', () => get(signed('/v1/me', { privateKey: createKeyPair().privateKey }))],
  ],
  timestamp_out_of_window: [
    ['a clock that is behind', () => get(signed('/v1/me', { nowMs: Date.now() - 61_000 }))],
    ['a clock that is ahead', () => get(signed('/v1/me', { nowMs: Date.now() + 61_000 }))],
  ],
  nonce_replayed: [
    [
      'the same request twice',
      async () => {
        const headers = signed();
        await get(headers);
        return get(headers);
      },
    ],
  ],
  permission_denied: [
    ['a key without the permission', () => owner.call('GET', '/v1/api-keys', { permission: 'READ' })],
  ],
  ip_not_allowed: [
    [
      'a key for other addresses',
      async () => get({ 'x-api-key': await keyWith({ ip_allowlist: ['192.0.2.0/24'] }) }),
    ],
  ],
  not_found: [['an unknown id', () => owner.call('GET', '/v1/trades/trd_nobody')]],
  route_not_found: [['an unknown route', () => get({}, '/v1/nowhere')]],
  method_not_allowed: [
    ['a method that the route does not have', () => send(environment.api, 'DELETE', '/v1/trades')],
  ],
  malformed_json: [
    ['a body that is not JSON', () => post('/v1/trades', '{')],
    ['an object with a repeated key', () => post('/v1/api-keys', '{"name":"a","name":"b"}')],
    ['an object with the key __proto__', () => post('/v1/api-keys', '{"__proto__":{"admin":true}}')],
  ],
  unsupported_media_type: [
    [
      'a body with the content type text/plain',
      () => post('/v1/trades', 'a=b', { 'content-type': 'text/plain' }),
    ],
  ],
  invalid_query: [['an unknown parameter', () => owner.call('GET', '/v1/trades?colour=red')]],
  validation_failed: [['a body that does not match the schema', () => post('/v1/trades', '{}')]],
  exchange_rule_violated: [
    ['an amount that is not a multiple of the step', () => placeTrade({ amount: '0.000001' })],
  ],
  insufficient_balance: [['more than the balance', () => placeTrade({ amount: '10000' })]],
  invalid_state: [
    [
      'cancelling a trade that is CANCELLED',
      async () => {
        const id = await owner.trade();
        await owner.requireData('POST', `/v1/trades/${id}/cancel`);
        return owner.call('POST', `/v1/trades/${id}/cancel`);
      },
    ],
    [
      'cancelling a trade that is FILLED',
      async () => {
        const id = await owner.trade();
        await environment.rows("UPDATE trades SET status = 'FILLED' WHERE id = $1", environment.uuidOf(id));
        return owner.call('POST', `/v1/trades/${id}/cancel`);
      },
    ],
    [
      'claiming a reward that is CLAIMED',
      async () => {
        const id = await owner.reward();
        await owner.requireData('POST', `/v1/rewards/${id}/claim`);
        return owner.call('POST', `/v1/rewards/${id}/claim`);
      },
    ],
    [
      'retrying a dead letter that is DISCARDED',
      async () => {
        const { webhookId, deadLetterId } = await owner.deadLetters(1);
        const target = `/v1/webhooks/${webhookId}/dead-letters/${deadLetterId}`;
        await owner.requireData('DELETE', target);
        return owner.call('POST', `${target}/retry`);
      },
    ],
  ],
  idempotency_key_reused: [
    [
      'a used key with another body',
      async () => {
        await post('/v1/api-keys', '{"name":"a"}', idempotencyKey('reused'));
        return post('/v1/api-keys', '{"name":"b"}', idempotencyKey('reused'));
      },
    ],
  ],
  idempotency_in_progress: [
    [
      'a second request while the first is in progress',
      async () => {
        let first: Promise<TestResponse> | undefined;
        const second = await whileUserIsLocked(async () => {
          first = post('/v1/api-keys', '{"name":"slow"}', idempotencyKey('in progress'));
          await untilClaimed();
          return post('/v1/api-keys', '{"name":"slow"}', idempotencyKey('in progress'));
        });
        expect((await first)?.status).toBe(201);
        return second;
      },
    ],
  ],
  already_exists: [
    [
      'a client order id that the account has already used',
      async () => {
        const account = await owner.account();
        await placeTrade({ client_order_id: 'mine' }, account);
        return placeTrade({ client_order_id: 'mine' }, account);
      },
    ],
    [
      "another account's public key",
      async () => {
        const linked = await openAccount(environment.api);
        return post('/v1/auth/cli-identity', await createIdentityBody(environment.api, linked));
      },
    ],
  ],
  payload_too_large: [['a body over 256 KiB', () => post('/v1/trades', ' '.repeat(262_145))]],
  rate_limited: [
    [
      'more requests than the limit',
      async () => {
        const limits = limitsOf({ requests: 1, seconds: 3_600 });
        const strict = await TestEnvironment.open({
          RATE_LIMITS: JSON.stringify(limits),
          TRUSTED_PROXIES: '127.0.0.1',
        });
        // A separate address, because buckets outlive the test and all tests share the real address.
        const headers = { 'x-forwarded-for': uniqueAddress() };
        try {
          await send(strict.api, 'GET', '/v1/health', { headers });
          return await send(strict.api, 'GET', '/v1/health', { headers });
        } finally {
          await strict.close();
        }
      },
    ],
  ],
  exchange_unavailable: [['an unavailable venue', () => testCredentials('exchange_unavailable')]],
  exchange_credentials_rejected: [
    ['a venue that rejects the credentials', () => testCredentials('exchange_credentials_rejected')],
  ],
  service_unavailable: [['a worker that is down', () => testCredentials('service_unavailable')]],
  internal_error: [
    [
      'a missing database table',
      async () => {
        await environment.rows('ALTER TABLE webhooks RENAME TO webhooks_gone');
        try {
          return await owner.call('GET', '/v1/webhooks');
        } finally {
          await environment.rows('ALTER TABLE webhooks_gone RENAME TO webhooks');
        }
      },
    ],
  ],
  namespace_removed: [
    ['a path of the removed bots', () => get({}, '/v1/trading-bot/start')],
    ['a path of the removed market maker, without the prefix', () => get({}, '/market-maker')],
  ],
  limit_reached: [
    [
      'a 51st API key',
      async () => {
        const full = await TestUser.create(environment);
        for (let i = 4; i < 50; i++) await full.apiKey();
        return full.call('POST', '/v1/api-keys', { body: { name: 'one too many' } });
      },
    ],
  ],
};

function testCredentials(code: ErrorCode): Promise<TestResponse> {
  testAtVenue = async () => {
    throw new DomainError(code);
  };
  const { account_name, ...body } = environment.accountBody();
  return owner.call('POST', '/v1/exchanges/test', { body });
}

/** For some codes: checks that the response contains everything else that the error table promises. */
const CHECKS: Partial<Record<ErrorCode, (response: TestResponse, cause: string) => void>> = {
  timestamp_out_of_window: ({ json }) => {
    const [detail] = json.error!.details as unknown as { server_time: number }[];
    expect(Math.abs(detail!.server_time - Date.now())).toBeLessThan(30_000);
  },
  permission_denied: ({ json }) => expect(json.error!.details).toMatchObject([{ permission: 'ADMIN' }]),
  method_not_allowed: ({ headers }) => expect(headers.allow).toBe('GET, HEAD, POST, OPTIONS'),
  exchange_rule_violated: ({ json }) =>
    expect(json.error!.details).toMatchObject([
      { rule: 'amount_step', value: '0.000001', limit: '0.00001' },
      ...json.error!.details!.slice(1),
    ]),
  invalid_state: ({ json }, cause) =>
    expect(json.error!.details).toMatchObject([{ state: cause.split(' ').at(-1) }]),
  rate_limited: ({ headers }) => expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1),
  service_unavailable: ({ headers }) => expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1),
  credential_in_query: ({ text }) => {
    expect(text).not.toContain('svc_test_');
    expect(environment.api.log.join('')).not.toContain(owner.keyOf('READ'));
  },
};

const rows = Object.entries(CAUSES).flatMap(([code, causes]) =>
  causes.map(([cause, request]) => [code as ErrorCode, cause, request] as const),
);

it('this file causes every code of the published table', () => {
  expect(Object.keys(CAUSES).sort()).toEqual(Object.keys(REST_ERRORS).sort());
});

it.each(rows)('%s is caused by %s', async (code, cause, request) => {
  const response = await request();
  expect({ status: response.status, code: response.json.error?.code }).toEqual({
    status: ERRORS[code].status,
    code,
  });
  const { error, ...rest } = response.json;
  expect(rest).toEqual({ success: false });
  expect(error!.message.length).toBeGreaterThan(10);
  expect(error!.request_id).toBe(response.headers['x-request-id']);
  expect(response.text).not.toMatch(/select|insert|relation|postgres|node_modules|\bat \S+:\d+/i);
  CHECKS[code]?.(response, cause);
});
