import { randomBytes } from 'node:crypto';
import { signRequest } from '@trading-automation/signed-request';
import { parseList } from 'structured-headers';
import { limitsOf } from '../test/rate-limits.js';
import { JSON_TYPE, send, type TestResponse } from '../test/send.js';
import {
  createIdentityBody,
  createKeyPair,
  openAccount,
  sendSigned,
  startTestRestApi,
  type TestRestApi,
} from '../test/test-rest-api.js';

/** Returns a limit per day, whose tokens are not refilled within a test. */
const perDay = (requests: number) => ({ requests, seconds: 86_400 });
const KEYS = '/v1/api-keys';
const keyBody = (...permissions: string[]) => JSON.stringify({ name: 'bot', permissions });

/** Returns the remaining tokens by limit. */
function remaining({ headers }: TestResponse): Record<string, unknown> {
  const items = parseList(String(headers.ratelimit));
  return Object.fromEntries(items.map(([name, parameters]) => [name, parameters.get('r')]));
}

/** Returns an address that no other test uses. */
function uniqueAddress(): string {
  const [a, b] = randomBytes(8).toString('hex').match(/.{4}/g)!;
  return `2001:db8:${a}:${b}::1`;
}

let api: TestRestApi;
beforeAll(async () => {
  const limits = limitsOf(perDay(1_000), { sensitive_writes: perDay(2), identity_writes: perDay(3) });
  api = await startTestRestApi({ RATE_LIMITS: JSON.stringify(limits), TRUSTED_PROXIES: '127.0.0.1' });
});
afterAll(() => api?.close());

/** Creates a user with a key pair and an ADMIN API key. */
async function openUser() {
  const addressHeaders = { 'x-forwarded-for': uniqueAddress() };
  const keyPair = await openAccount(api, addressHeaders);
  const created = await sendSigned(api, keyPair, 'POST', KEYS, {
    body: keyBody('ADMIN'),
    headers: addressHeaders,
  });
  const { key } = created.json.data as { key: string };
  return { keyPair, key, addressHeaders };
}

describe('the limits of a credential', () => {
  it('apply to each credential separately, not to its user', async () => {
    const { keyPair, key, addressHeaders } = await openUser();
    const signed = await sendSigned(api, keyPair, 'GET', '/v1/me', { headers: addressHeaders });
    expect([signed.status, remaining(signed)]).toEqual([200, { general: 998 }]);
    const byKey = await send(api, 'GET', '/v1/me', { headers: { 'x-api-key': key, ...addressHeaders } });
    expect([byKey.status, remaining(byKey)]).toEqual([200, { general: 999 }]);
  });

  it('are not charged for a request with a used nonce; such a request is charged to its address', async () => {
    const { keyPair, addressHeaders } = await openUser();
    const target = '/v1/me';
    const headers = {
      ...signRequest({ method: 'GET', path: target, privateKey: keyPair.privateKey }),
      ...addressHeaders,
    };
    expect((await send(api, 'GET', target, { headers })).status).toBe(200);
    const before = remaining(
      await send(api, 'GET', '/v1/auth/cli-challenge', { headers: addressHeaders }),
    ).general;
    const replayed = await send(api, 'GET', target, { headers });
    expect(replayed.json.error?.code).toBe('nonce_replayed');
    expect(remaining(replayed).general).toBe(Number(before) - 1);
    expect(
      remaining(await sendSigned(api, keyPair, 'GET', target, { headers: addressHeaders })).general,
    ).toBe(997);
  });

  it('include a separate bucket for writes of keys', async () => {
    const { keyPair, addressHeaders } = await openUser();
    const create = () =>
      sendSigned(api, keyPair, 'POST', KEYS, { body: keyBody('READ'), headers: addressHeaders });
    expect(remaining(await create())).toMatchObject({ sensitive_writes: 0 });
    const rejected = await create();
    expect([rejected.status, rejected.json.error?.details?.[0]]).toMatchObject([
      429,
      { policy: 'sensitive_writes' },
    ]);
    expect((await sendSigned(api, keyPair, 'GET', KEYS, { headers: addressHeaders })).status).toBe(200);
  });

  it('reject with a 429 that is not stored, so a retry with the same Idempotency-Key takes effect', async () => {
    const { keyPair, key, addressHeaders } = await openUser();
    const request = {
      body: keyBody('READ'),
      headers: { ...addressHeaders, ...JSON_TYPE, 'idempotency-key': 'make a key' },
    };
    await sendSigned(api, keyPair, 'POST', KEYS, { body: keyBody('READ'), headers: addressHeaders });
    expect((await sendSigned(api, keyPair, 'POST', KEYS, request)).status).toBe(429);

    const byKey = { ...request, headers: { ...request.headers, 'x-api-key': key } };
    const first = await send(api, 'POST', KEYS, byKey);
    const again = await send(api, 'POST', KEYS, byKey);
    expect([first.status, again.status, again.headers['idempotency-replayed']]).toEqual([201, 201, 'true']);
    expect(again.text).toBe(first.text);
    expect([remaining(first).general, remaining(again).general]).toEqual([999, 998]);
  });
});

describe('the limits of an address', () => {
  it('count the identity writes of all callers from that address in one separate bucket', async () => {
    const { key, addressHeaders } = await openUser();
    const link = async (headers: Readonly<Record<string, string>>) => {
      const body = await createIdentityBody(api, createKeyPair(), addressHeaders);
      return send(api, 'POST', '/v1/auth/cli-identity', {
        body,
        headers: { ...headers, ...addressHeaders, ...JSON_TYPE },
      });
    };
    expect(remaining(await link({}))).toMatchObject({ identity_writes: 1 });
    const linked = await link({ 'x-api-key': key });
    expect([linked.status, remaining(linked)]).toEqual([201, { general: 999, identity_writes: 0 }]);
    expect((await link({})).status).toBe(429);
    expect((await link({ 'x-api-key': key })).status).toBe(429);
  });
});
