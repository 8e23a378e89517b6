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
    expect([stored.status, valueIn(stored.text)]).toEqual([200, value]);
    expect(valueIn((await get('/v1/settings/exact')).text)).toBe(value);
    expect(valueIn((await get('/v1/settings?sort=key')).text)).toBe(value);
    const stringDecimals = { headers: { accept: 'application/json; decimals=string' } };
    const { text } = await sendSigned(api, keyPair, 'GET', '/v1/settings/exact', stringDecimals);
    expect(valueIn(text)).toBe(value);
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
