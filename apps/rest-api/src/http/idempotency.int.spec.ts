import { randomUUID } from 'node:crypto';
import { NestFactory } from '@nestjs/core';
import { encodeId } from '@trading-automation/contracts';
import { CommandRunner, OperationsModule, requestFingerprint } from '@trading-automation/core';
import { send, type TestResponse } from '../../test/send.js';
import {
  createIdentityBody,
  createKeyPair,
  type KeyPair,
  openAccount,
  SERVER_KEY,
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

/** Expects the error of the first request, with the id of the request that repeats it. */
function expectReplayedError(again: TestResponse, first: TestResponse): void {
  const { request_id: firstId, ...error } = first.json.error!;
  const requestId = again.headers['x-request-id'];
  expect([again.status, again.headers['idempotency-replayed']]).toEqual([first.status, 'true']);
  expect(again.json).toEqual({ success: false, error: { ...error, request_id: requestId } });
  expect(firstId).toBe(first.headers['x-request-id']);
  expect(requestId).not.toBe(firstId);
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
    expectReplayedError(again, first);
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
      expectReplayedError(again, first);
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

describe('a stored value', () => {
  const DECIMALS_AS_STRINGS = { accept: 'application/json; decimals=string' };
  const createCopier = (accountId: string, key: string, headers: object = {}, target = '/v1/copiers') =>
    sendSigned(api, owner, 'POST', target, {
      body: `{"name":"c","exchange_account_id":"${accountId}","sizing":{"mode":"FIXED_QUOTE","value":0.1},"limits":{"max_trade_quote":"100.000000000000000001"}}`,
      headers: { 'idempotency-key': key, ...headers },
    });
  let accountId: string;
  beforeAll(async () => {
    const platform = await api.openSecondPlatform();
    const id = randomUUID();
    await platform.database.query(
      `INSERT INTO exchange_accounts (id, user_id, exchange, account_name, trading_type, is_active, can_withdraw,
         credentials_sealed, balances_taken_at)
       SELECT $1, user_id, 'paper', 'mine', 'spot', true, false, 'sealed', clock_timestamp() FROM public_keys WHERE pubkey = $2`,
      [id, owner.publicKey],
    );
    accountId = encodeId('exa', id);
  });

  it('is rendered for the Accept header of each request', async () => {
    const asNumbers = await createCopier(accountId, 'numbers first');
    const asStrings = await createCopier(accountId, 'numbers first', DECIMALS_AS_STRINGS);
    expect(asNumbers.text).toContain('"max_trade_quote":100.000000000000000001');
    expect(asStrings.text).toContain('"max_trade_quote":"100.000000000000000001"');
    expect(asStrings.headers['idempotency-replayed']).toBe('true');
    expect((await createCopier(accountId, 'numbers first')).text).toBe(asNumbers.text);

    const stringsFirst = await createCopier(accountId, 'strings first', DECIMALS_AS_STRINGS);
    const numbersAgain = await createCopier(accountId, 'strings first');
    expect(stringsFirst.text).toContain('"value":"0.1"');
    expect(numbersAgain.text).toContain('"value":0.1}');
    expect(numbersAgain.headers['idempotency-replayed']).toBe('true');
    expect((await createCopier(accountId, 'strings first', DECIMALS_AS_STRINGS)).text).toBe(
      stringsFirst.text,
    );
  });

  it.each([
    ['/v1/copiers', '/copiers'],
    ['/copiers', '/v1/copiers'],
  ])('of %s is rendered for %s, which is the same route', async (target, other) => {
    const first = await createCopier(accountId, `via ${target}`, {}, target);
    const again = await createCopier(accountId, `via ${target}`, {}, other);
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
    const { id } = first.json.data as { id: string };
    expect([first.headers.location, again.headers.location]).toEqual([`${target}/${id}`, `${other}/${id}`]);
    for (const [response, path] of [
      [first, target],
      [again, other],
    ] as const)
      expect([response.headers.deprecation, response.headers.link]).toEqual(
        path === '/copiers'
          ? [expect.stringMatching(/^@/), '</v1/copiers>; rel="successor-version"']
          : [undefined, undefined],
      );
    expect(again.headers['idempotency-replayed']).toBe('true');
  });

  it('of a record with 200 or 201 keeps its status and its own location on either path', async () => {
    const identity = await createIdentityBody(api, createKeyPair());
    const link = (target: string) =>
      send(api, 'POST', target, {
        body: identity,
        headers: { 'content-type': 'application/json', 'idempotency-key': 'either path' },
      });
    const [first, again] = [await link('/v1/auth/cli-identity'), await link('/auth/cli-identity')];
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
    expect(first.headers.location).toMatch(/^\/v1\/auth\/public-keys\/pbk_/);
    expect(again.headers.location).toBe(String(first.headers.location).slice('/v1'.length));
  });

  it('of an error is rendered again, also on the other path', async () => {
    const first = await createKey(owner, 'error on either', '{"name":1}');
    const again = await createKey(owner, 'error on either', '{"name":1}', '/api-keys');
    expect(first.status).toBe(422);
    expectReplayedError(again, first);
    expect(again.headers.deprecation).toMatch(/^@/);
  });

  /** Stores the response to a POST of an API key as the previous release did: as rendered bytes. */
  async function storeFormerResponse(
    key: string,
    target: string,
    response: { readonly status: number; readonly headers: object; readonly text: string },
  ): Promise<void> {
    const platform = await api.openSecondPlatform();
    const storing = await NestFactory.createApplicationContext(
      OperationsModule.with(platform, [SERVER_KEY]),
      { logger: false },
    );
    const [{ user_id: userId }] = await platform.database.query(
      'SELECT user_id FROM public_keys WHERE pubkey = $1',
      [owner.publicKey],
    );
    const fingerprint = requestFingerprint({
      method: 'POST',
      path: target,
      query: '',
      body: Buffer.from(body),
    });
    const request = { userId, route: 'apiKeys.create', key, fingerprint };
    const stored = {
      status: response.status,
      body: Buffer.from(`${JSON.stringify(response.headers)}\n${response.text}`),
    };
    await storing.get(CommandRunner).run({ request, serialize: () => stored }, async () => undefined);
    await storing.close();
  }

  it.each(['/v1/api-keys', '/api-keys'])(
    'that the previous release stored for %s as rendered bytes is replayed unchanged on either path',
    async (target) => {
      const key = `former ${target}`;
      const text = '{"success":true,"data":{"id":"key_x","former":1.50}}';
      const location = `${target}/key_x`;
      await storeFormerResponse(key, target, { status: 201, headers: { location }, text });
      for (const path of ['/v1/api-keys', '/api-keys']) {
        const replayed = await createKey(owner, key, body, path);
        expect([replayed.status, replayed.text, replayed.headers.location]).toEqual([201, text, location]);
        expect(replayed.headers['idempotency-replayed']).toBe('true');
      }
    },
  );

  it('of an error that the previous release stored has the id of the request that repeats it', async () => {
    const error = '"code":"limit_reached","message":"No: \\"request_id\\":\\"x\\"."';
    const text = `{"success":false,"error":{${error},"request_id":"former-id"}}`;
    await storeFormerResponse('former error', '/v1/api-keys', { status: 409, headers: {}, text });
    const replayed = await createKey(owner, 'former error');
    expect([replayed.status, replayed.text]).toEqual([
      409,
      text.replace('former-id', String(replayed.headers['x-request-id'])),
    ]);
  });
});

describe('a request that is not a POST', () => {
  it('ignores the Idempotency-Key, even an invalid one', async () => {
    const headers = { 'idempotency-key': 'x'.repeat(300) };
    expect((await sendSigned(api, owner, 'GET', '/v1/me', { headers })).status).toBe(200);
  });
});
