import {
  type KeyPair,
  openAccount,
  sendSigned,
  startTestRestApi,
  type TestRestApi,
} from '../../test/test-rest-api.js';

let api: TestRestApi;
let holder: KeyPair;
beforeAll(async () => {
  api = await startTestRestApi();
  holder = await openAccount(api);
});
afterAll(() => api.close());

const put = (key: string, value: string) =>
  sendSigned(api, holder, 'PUT', `/v1/settings/${key}`, { body: `{"value":${value}}` });
const get = (target: string) => sendSigned(api, holder, 'GET', target);
/** Returns the bytes of `value` in a response. */
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
    const made = await put('exact', value);
    expect([made.status, valueIn(made.text)]).toEqual([200, value]);
    expect(valueIn((await get('/v1/settings/exact')).text)).toBe(value);
    expect(valueIn((await get('/v1/settings?sort=key')).text)).toBe(value);
    const asked = { headers: { accept: 'application/json; decimals=string' } };
    const strings = await sendSigned(api, holder, 'GET', '/v1/settings/exact', asked);
    expect(valueIn(strings.text)).toBe(value);
  });

  it('is rejected if it exceeds 16 KiB or has no value; the error names the field', async () => {
    const over = await put('big', `"${'x'.repeat(16 * 1024)}"`);
    expect([over.status, over.json.error]).toMatchObject([
      422,
      { code: 'validation_failed', details: [{ field: 'value', code: 'too_big' }] },
    ]);
    const none = await sendSigned(api, holder, 'PUT', '/v1/settings/big', { body: '{}' });
    expect([none.status, none.json.error]).toMatchObject([
      422,
      { code: 'validation_failed', details: [{ field: 'value', code: 'required' }] },
    ]);
  });

  it.each(['UPPER', 'a%20b', '%00', 'x'.repeat(65), '%F0%9F%98%80'])(
    'cannot have the key %s: 422 on put, 404 otherwise',
    async (key) => {
      const refused = await put(key, '1');
      expect([refused.status, refused.json.error]).toMatchObject([422, { details: [{ field: 'key' }] }]);
      for (const method of ['GET', 'DELETE']) {
        expect((await sendSigned(api, holder, method, `/v1/settings/${key}`)).status).toBe(404);
      }
    },
  );

  it('is deleted and its key is returned', async () => {
    await put('gone', '1');
    const removed = await sendSigned(api, holder, 'DELETE', '/v1/settings/gone');
    expect([removed.status, removed.json]).toEqual([
      200,
      { success: true, data: { key: 'gone', deleted: true } },
    ]);
  });
});
