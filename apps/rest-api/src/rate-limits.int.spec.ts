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

/** No token is refilled within a test. */
const day = (requests: number) => ({ requests, seconds: 86_400 });
const KEYS = '/v1/api-keys';
const newKey = (...permissions: string[]) => JSON.stringify({ name: 'bot', permissions });

function left({ headers }: TestResponse): Record<string, unknown> {
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
  const limits = limitsOf(day(1_000), { sensitive_writes: day(2), identity_writes: day(3) });
  api = await startTestRestApi({ RATE_LIMITS: JSON.stringify(limits), TRUSTED_PROXIES: '127.0.0.1' });
});
afterAll(() => api?.close());

/** Creates a user with a key pair and an ADMIN key. */
async function openUser() {
  const from = { 'x-forwarded-for': uniqueAddress() };
  const holder = await openAccount(api, from);
  const made = await sendSigned(api, holder, 'POST', KEYS, { body: newKey('ADMIN'), headers: from });
  const { key } = made.json.data as { key: string };
  return { holder, key, from };
}

describe('the limits of a credential', () => {
  it('apply per credential, not per user', async () => {
    const { holder, key, from } = await openUser();
    const signed = await sendSigned(api, holder, 'GET', '/v1/me', { headers: from });
    expect([signed.status, left(signed)]).toEqual([200, { general: 998 }]);
    const byKey = await send(api, 'GET', '/v1/me', { headers: { 'x-api-key': key, ...from } });
    expect([byKey.status, left(byKey)]).toEqual([200, { general: 999 }]);
  });

  it('are not consumed by replayed requests, which count toward the address', async () => {
    const { holder, from } = await openUser();
    const target = '/v1/me';
    const headers = {
      ...signRequest({ method: 'GET', path: target, privateKey: holder.privateKey }),
      ...from,
    };
    expect((await send(api, 'GET', target, { headers })).status).toBe(200);
    const before = left(await send(api, 'GET', '/v1/auth/cli-challenge', { headers: from })).general;
    const replayed = await send(api, 'GET', target, { headers });
    expect(replayed.json.error?.code).toBe('nonce_replayed');
    expect(left(replayed).general).toBe(Number(before) - 1);
    expect(left(await sendSigned(api, holder, 'GET', target, { headers: from })).general).toBe(997);
  });

  it('count key writes in a separate bucket', async () => {
    const { holder, from } = await openUser();
    const create = () => sendSigned(api, holder, 'POST', KEYS, { body: newKey('READ'), headers: from });
    expect(left(await create())).toMatchObject({ sensitive_writes: 0 });
    const refused = await create();
    expect([refused.status, refused.json.error?.details?.[0]]).toMatchObject([
      429,
      { policy: 'sensitive_writes' },
    ]);
    expect((await sendSigned(api, holder, 'GET', KEYS, { headers: from })).status).toBe(200);
  });

  it('return errors that are not stored under an Idempotency-Key', async () => {
    const { holder, key, from } = await openUser();
    const sent = {
      body: newKey('READ'),
      headers: { ...from, ...JSON_TYPE, 'idempotency-key': 'make a key' },
    };
    await sendSigned(api, holder, 'POST', KEYS, { body: newKey('READ'), headers: from });
    expect((await sendSigned(api, holder, 'POST', KEYS, sent)).status).toBe(429);

    const byKey = { ...sent, headers: { ...sent.headers, 'x-api-key': key } };
    const first = await send(api, 'POST', KEYS, byKey);
    const again = await send(api, 'POST', KEYS, byKey);
    expect([first.status, again.status, again.headers['idempotency-replayed']]).toEqual([201, 201, 'true']);
    expect(again.text).toBe(first.text);
    expect([left(first).general, left(again).general]).toEqual([999, 998]);
  });
});

describe('the limits of an address', () => {
  it('count identity writes in a separate bucket for every caller', async () => {
    const { key, from } = await openUser();
    const link = async (headers: Readonly<Record<string, string>>) => {
      const body = await createIdentityBody(api, createKeyPair(), from);
      return send(api, 'POST', '/v1/auth/cli-identity', {
        body,
        headers: { ...headers, ...from, ...JSON_TYPE },
      });
    };
    expect(left(await link({}))).toMatchObject({ identity_writes: 1 });
    const linked = await link({ 'x-api-key': key });
    expect([linked.status, left(linked)]).toEqual([201, { general: 999, identity_writes: 0 }]);
    expect((await link({})).status).toBe(429);
    expect((await link({ 'x-api-key': key })).status).toBe(429);
  });
});
