import { send } from '../../test/send.js';
import {
  createIdentityBody,
  createKeyPair,
  type KeyPair,
  openAccount,
  sendSigned,
  startTestRestApi,
  type TestRestApi,
} from '../../test/test-rest-api.js';

let api: TestRestApi;
let owner: KeyPair;
beforeAll(async () => {
  api = await startTestRestApi();
  owner = await openAccount(api);
});
afterAll(() => api.close());

const body = '{"name":"bot"}';
const createKey = (keyPair: KeyPair, key: string, sentBody = body, target = '/v1/api-keys') =>
  sendSigned(api, keyPair, 'POST', target, { body: sentBody, headers: { 'idempotency-key': key } });

async function keyCount(keyPair: KeyPair): Promise<unknown> {
  const { json } = await sendSigned(api, keyPair, 'GET', '/v1/api-keys?include=total');
  return (json.pagination as { total: number }).total;
}

describe('a POST with an Idempotency-Key', () => {
  it('takes effect once, and its response is replayed byte for byte', async () => {
    const before = Number(await keyCount(owner));
    const first = await createKey(owner, 'once');
    const again = await createKey(owner, 'once');
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.text).toBe(first.text);
    expect(again.headers.location).toBe(first.headers.location);
    expect(first.headers.location).toMatch(/^\/v1\/api-keys\/key_/);
    expect([first.headers['idempotency-replayed'], again.headers['idempotency-replayed']]).toEqual([
      undefined,
      'true',
    ]);
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect(await keyCount(owner)).toBe(before + 1);
  });

  it('takes effect once when it is sent 20 times concurrently', async () => {
    const before = Number(await keyCount(owner));
    const responses = await Promise.all(Array.from({ length: 20 }, () => createKey(owner, 'at once')));
    const created = new Set(responses.filter(({ status }) => status === 201).map(({ text }) => text));
    const others = responses.filter(({ status }) => status !== 201);
    expect(created.size).toBe(1);
    expect(others.every(({ json }) => json.error?.code === 'idempotency_in_progress')).toBe(true);
    expect(await keyCount(owner)).toBe(before + 1);
  });

  it('is rejected if its key was used for a different request', async () => {
    await createKey(owner, 'other');
    for (const [sentBody, target] of [
      ['{"name": "bot"}', '/v1/api-keys'],
      [body, '/api-keys'],
      [body, '/v1/api-keys?'],
    ] as const) {
      const { status, json } = await createKey(owner, 'other', sentBody, target);
      expect([status, json.error?.code]).toEqual([422, 'idempotency_key_reused']);
    }
  });

  it('takes effect although another user has used the same key', async () => {
    const other = await openAccount(api);
    const first = await createKey(owner, 'shared');
    const second = await createKey(other, 'shared');
    expect(second.status).toBe(201);
    expect(second.text).not.toBe(first.text);
    expect(second.headers['idempotency-replayed']).toBeUndefined();
  });

  it('creates one account if it is sent twice without credentials; the response is replayed', async () => {
    const identity = await createIdentityBody(api, createKeyPair());
    const link = () =>
      send(api, 'POST', '/v1/auth/cli-identity', {
        body: identity,
        headers: { 'content-type': 'application/json', 'idempotency-key': 'stranger' },
      });
    const [first, again] = [await link(), await link()];
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
    expect(again.headers['idempotency-replayed']).toBe('true');
  });

  it('gets the same error again if the use case rejected the first request', async () => {
    const usedBody = await createIdentityBody(api, owner);
    await sendSigned(api, owner, 'POST', '/v1/auth/cli-identity', { body: usedBody });
    const headers = { 'idempotency-key': 'rejected' };
    const first = await sendSigned(api, owner, 'POST', '/v1/auth/cli-identity', { body: usedBody, headers });
    const again = await sendSigned(api, owner, 'POST', '/v1/auth/cli-identity', { body: usedBody, headers });
    expect([first.status, first.json.error?.code]).toEqual([422, 'validation_failed']);
    expect([again.status, again.text, again.headers['idempotency-replayed']]).toEqual([
      422,
      first.text,
      'true',
    ]);
  });

  it.each([
    ['a body that does not match the schema', '{"name":1}', '/v1/api-keys', 422, 'validation_failed'],
    ['a body that is not JSON', '{"name":', '/v1/api-keys', 400, 'malformed_json'],
    ['an unknown query parameter', body, '/v1/api-keys?x=1', 400, 'invalid_query'],
  ])(
    'gets the same error again for %s; a corrected request needs a new key',
    async (key, sentBody, target, status, code) => {
      const first = await createKey(owner, key, sentBody, target);
      const again = await createKey(owner, key, sentBody, target);
      expect([first.status, first.json.error?.code]).toEqual([status, code]);
      expect([again.text, again.headers['idempotency-replayed']]).toEqual([first.text, 'true']);
      const corrected = await createKey(owner, key);
      expect([corrected.status, corrected.json.error?.code]).toEqual([422, 'idempotency_key_reused']);
    },
  );

  it('is checked again, without a stored response, if its credential lacked the permission', async () => {
    const { json } = await sendSigned(api, owner, 'POST', '/v1/api-keys', { body: '{"name":"trader"}' });
    const { key } = json.data as { key: string };
    const headers = { 'x-api-key': key, 'content-type': 'application/json', 'idempotency-key': 'denied' };
    for (let i = 0; i < 2; i++) {
      const response = await send(api, 'POST', '/v1/api-keys', { body, headers });
      expect([response.status, response.headers['idempotency-replayed']]).toEqual([403, undefined]);
    }
  });

  it.each([[''], ['x'.repeat(256)], ['caf\u00e9'], [['a', 'b']]])(
    'is rejected if the key is %j',
    async (key) => {
      const { status, json } = await sendSigned(api, owner, 'POST', '/v1/api-keys', {
        body,
        headers: { 'idempotency-key': key },
      });
      expect([status, json.error?.code, json.error?.details?.[0]?.field]).toEqual([
        422,
        'validation_failed',
        'Idempotency-Key',
      ]);
    },
  );

  it('is accepted with the longest key, of 255 characters', async () => {
    expect((await createKey(owner, 'x'.repeat(255))).status).toBe(201);
  });
});

describe('a request that is not a POST', () => {
  it('ignores the Idempotency-Key, even an invalid one', async () => {
    const headers = { 'idempotency-key': 'x'.repeat(300) };
    expect((await sendSigned(api, owner, 'GET', '/v1/me', { headers })).status).toBe(200);
  });
});
