import {
  type KeyPair,
  openAccount,
  sendSigned,
  startTestRestApi,
  type TestRestApi,
} from '../../test/test-rest-api.js';

let api: TestRestApi;
let keyPair: KeyPair;
beforeAll(async () => {
  api = await startTestRestApi();
  keyPair = await openAccount(api);
});
afterAll(() => api.close());

const put = (key: string, value: string) =>
  sendSigned(api, keyPair, 'PUT', `/v1/settings/${key}`, { body: `{"value":${value}}` });
const get = (target: string) => sendSigned(api, keyPair, 'GET', target);
/** Returns the JSON text of `value` in the text of a response. */
const valueIn = (text: string) => text.slice(text.indexOf('"value":') + 8, text.indexOf(',"created_at"'));

describe('a setting over HTTP', () => {
  it.each([
    '123456789012345678901234567890.123456789012345678901234567890',
    '-1e-4000',
    '{"z":1,"a":[true,null,"\\"ü😀"],"m":{"b":-0,"a":9007199254740993}}',
    '""',
    'null',
    '[]',
  ])('is returned with the bytes that were put: %s', async (value) => {
    const stored = await put('exact', value);
    expect([200, 201]).toContain(stored.status);
    expect(valueIn(stored.text)).toBe(value);
    expect(valueIn((await get('/v1/settings/exact')).text)).toBe(value);
    expect(valueIn((await get('/v1/settings?sort=key')).text)).toBe(value);
    const stringDecimals = { headers: { accept: 'application/json; decimals=string' } };
    const { text } = await sendSigned(api, keyPair, 'GET', '/v1/settings/exact', stringDecimals);
    expect(valueIn(text)).toBe(value);
  });

  it('is created with 201 and its Location; a later PUT responds with 200', async () => {
    const created = await put('fresh', '1');
    expect([created.status, created.headers.location]).toEqual([201, '/v1/settings/fresh']);
    expect((await get(String(created.headers.location))).status).toBe(200);
    const changed = await put('fresh', '2');
    expect([changed.status, changed.headers.location]).toEqual([200, undefined]);
    const atAlias = await sendSigned(api, keyPair, 'PUT', '/settings/fresh2', { body: '{"value":1}' });
    expect([atAlias.status, atAlias.headers.location]).toEqual([201, '/settings/fresh2']);
  });

  it.each(['.', '..', '%2e', '%2E%2e'])('cannot be put with the key %s', async (key) => {
    const { status, json } = await put(key, '1');
    expect([status, json.error?.details]).toMatchObject([422, [{ field: 'key', code: 'invalid_format' }]]);
  });

  it.each([
    ['.', '.'],
    ['..', '..'],
    ['%2e', '.'],
    ['%2E', '.'],
    ['%2e%2E', '..'],
    ['.%2e', '..'],
    ['%2e.', '..'],
  ])(
    'at the path segment %s is missing; the error names the key %s and the rule for keys',
    async (segment, key) => {
      for (const method of ['GET', 'DELETE'])
        for (const prefix of ['/v1', '']) {
          const { status, json } = await sendSigned(api, keyPair, method, `${prefix}/settings/${segment}`);
          expect([status, json.error]).toMatchObject([
            404,
            {
              code: 'not_found',
              message: `No setting has the key "${key}". A key has 1 to 64 characters of a-z, 0-9, ., _ and -, but neither . nor .. alone.`,
            },
          ]);
        }
    },
  );

  it('is returned with its default if the product has one and it was never set', async () => {
    const { status, json } = await get('/v1/settings/notifications');
    expect([status, json.data]).toMatchObject([
      200,
      { key: 'notifications', value: { in_app: {}, email: {} }, is_default: true },
    ]);
    expect((await get('/v1/settings/unknown')).json.error).toMatchObject({
      code: 'not_found',
      message: 'Setting unknown is not set. Set it with PUT.',
    });
  });

  it('is rejected if it exceeds 16 KiB or has no value; the error names the field', async () => {
    const tooBig = await put('big', `"${'x'.repeat(16 * 1024)}"`);
    expect([tooBig.status, tooBig.json.error]).toMatchObject([
      422,
      { code: 'validation_failed', details: [{ field: 'value', code: 'too_big' }] },
    ]);
    const withoutValue = await sendSigned(api, keyPair, 'PUT', '/v1/settings/big', { body: '{}' });
    expect([withoutValue.status, withoutValue.json.error]).toMatchObject([
      422,
      { code: 'validation_failed', details: [{ field: 'value', code: 'required' }] },
    ]);
  });

  it.each(['UPPER', 'a%20b', '%00', 'x'.repeat(65), '%F0%9F%98%80'])(
    'cannot have the key %s: PUT returns 422; GET and DELETE return 404',
    async (key) => {
      const rejected = await put(key, '1');
      expect([rejected.status, rejected.json.error]).toMatchObject([422, { details: [{ field: 'key' }] }]);
      for (const method of ['GET', 'DELETE']) {
        expect((await sendSigned(api, keyPair, method, `/v1/settings/${key}`)).status).toBe(404);
      }
    },
  );

  it('can be deleted; the response contains its key', async () => {
    await put('gone', '1');
    const removed = await sendSigned(api, keyPair, 'DELETE', '/v1/settings/gone');
    expect([removed.status, removed.json]).toEqual([
      200,
      { success: true, data: { key: 'gone', deleted: true } },
    ]);
  });
});
