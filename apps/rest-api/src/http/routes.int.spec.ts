import { type NotesApi, READER, startNotesApi, TRADER } from '../../test/notes-api.js';
import { codeOf, JSON_TYPE, send, sendBytes } from '../../test/send.js';

let api: NotesApi;
beforeAll(async () => {
  api = await startNotesApi();
});
afterAll(() => api.close());

describe('the order of checks', () => {
  const big = 'x'.repeat(300 * 1024);

  it.each([
    [
      'an unknown route before everything',
      'POST',
      '/v1/nowhere?api_key=1',
      { body: big },
      404,
      'route_not_found',
    ],
    ['the method before the size', 'PUT', '/v1/notes', { body: big }, 405, 'method_not_allowed'],
    ['the size before the credentials', 'POST', '/v1/notes', { body: big }, 413, 'payload_too_large'],
    [
      'a key in the query before the credentials',
      'POST',
      '/v1/notes?token=1',
      { body: '{' },
      400,
      'credential_in_query',
    ],
    [
      'the credentials before the permission',
      'POST',
      '/v1/notes',
      { body: '{' },
      401,
      'authentication_required',
    ],
    [
      'an invalid credential before the permission',
      'POST',
      '/v1/notes',
      { body: '{', headers: { 'x-api-key': 'no' } },
      401,
      'invalid_api_key',
    ],
    [
      'the permission before the content type',
      'POST',
      '/v1/notes',
      { body: '{', headers: READER },
      403,
      'permission_denied',
    ],
    [
      'the content type before the JSON',
      'POST',
      '/v1/notes',
      { body: '{', headers: { ...TRADER, 'content-type': 'text/plain' } },
      415,
      'unsupported_media_type',
    ],
    [
      'an invalid content type after the credentials',
      'POST',
      '/v1/notes',
      { body: '{', headers: { 'content-type': 'no/sense/at all' } },
      401,
      'authentication_required',
    ],
    [
      'the JSON before the query',
      'POST',
      '/v1/notes?no=1',
      { body: '{', headers: { ...TRADER, ...JSON_TYPE } },
      400,
      'malformed_json',
    ],
    [
      'the query before the body',
      'POST',
      '/v1/notes?no=1',
      { body: '{}', headers: { ...TRADER, ...JSON_TYPE } },
      400,
      'invalid_query',
    ],
    [
      'the body last',
      'POST',
      '/v1/notes',
      { body: '{}', headers: { ...TRADER, ...JSON_TYPE } },
      422,
      'validation_failed',
    ],
    [
      'the body before the ids',
      'POST',
      `/v1/notes/${'x'.repeat(300)}/touch`,
      { body: '{"a":1}', headers: { ...TRADER, ...JSON_TYPE } },
      422,
      'validation_failed',
    ],
    [
      'the ids after the body',
      'POST',
      `/v1/notes/${'x'.repeat(300)}/touch`,
      { body: '{}', headers: { ...TRADER, ...JSON_TYPE } },
      404,
      'not_found',
    ],
  ])('checks %s', async (_name, method, target, sent, status, code) => {
    expect(await codeOf(send(api, method, target, sent))).toEqual([status, code]);
  });
});

describe('routes', () => {
  it.each([
    '/v1/Notes',
    '/v1/notes/',
    '/v1//notes',
    '//v1/notes',
    '/v1/%6eotes',
    '/v1/notes#x',
    '/',
    '/v1',
    '/v2/notes',
    '/v1/notes/%zz/x',
    '/v1/not%zz',
  ])('%s is not a route, regardless of its decoded form', async (target) => {
    expect(await codeOf(send(api, 'GET', target, { headers: READER }))).toEqual([404, 'route_not_found']);
  });

  it.each(['/v1/trading-bot', '/v1/trading-bot/start', '/market-maker/x?y=1', '/market-maker'])(
    '%s was removed',
    async (target) => {
      for (const method of ['GET', 'POST'])
        expect(await codeOf(send(api, method, target))).toEqual([410, 'namespace_removed']);
    },
  );

  it('a path that only starts like a removed one is not a route', async () => {
    expect(await codeOf(send(api, 'GET', '/v1/trading-bots'))).toEqual([404, 'route_not_found']);
  });

  it.each(['PUT', 'DELETE', 'PATCH', 'PROPFIND', 'TRACE', 'QUERY'])(
    '%s on a route that does not support it returns the allowed methods',
    async (method) => {
      const { status, headers, json } = await send(api, method, '/v1/notes');
      expect([status, json.error?.code]).toEqual([405, 'method_not_allowed']);
      expect(headers.allow).toBe('GET, HEAD, POST, OPTIONS');
    },
  );

  it('OPTIONS returns the methods, but no CORS headers', async () => {
    const { status, headers, text } = await send(api, 'OPTIONS', '/v1/notes/x', {
      headers: { origin: 'https://elsewhere.example' },
    });
    expect([status, text]).toEqual([204, '']);
    expect(headers.allow).toBe('GET, HEAD, OPTIONS');
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it('HEAD returns the same as GET, without the body', async () => {
    const got = await send(api, 'GET', '/v1/ping');
    const head = await send(api, 'HEAD', '/v1/ping');
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(String(got.text.length));
  });

  it('a header or field that overrides the method is ignored', async () => {
    const { status } = await send(api, 'GET', '/v1/ping', {
      headers: { 'x-http-method-override': 'DELETE' },
    });
    expect(status).toBe(200);
  });

  it.each(['*', '*v1/ping', 'http://localhost/v1/ping'])(
    'a target that is not a path (%s) is not a route',
    async (target) => {
      const answered = await sendBytes(api, `GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
      expect(answered).toMatch(/^HTTP\/1\.1 404 /);
      expect(answered).toContain('"code":"route_not_found"');
    },
  );

  it('a target over 8 KiB is rejected', async () => {
    expect(await codeOf(send(api, 'GET', `/v1/ping?a=${'x'.repeat(8_300)}`))).toEqual([400, 'invalid_query']);
    expect(await codeOf(send(api, 'GET', `/v1/notes/${'x'.repeat(8_300)}`))).toEqual([
      404,
      'route_not_found',
    ]);
  });
});

describe('legacy aliases', () => {
  it('return the same as the route and name the route', async () => {
    const { status, headers, json } = await send(api, 'GET', '/notes/n%201?x=1', { headers: READER });
    expect([status, json.error?.code]).toEqual([400, 'invalid_query']);
    expect(headers.deprecation).toMatch(/^@\d+$/);
    expect(headers.link).toBe('</v1/notes/n%201>; rel="successor-version"');
  });

  it.each([
    ['a success', 'GET', '/ping', 200],
    ['a refusal', 'GET', '/notes', 401],
    ['a method that is not allowed', 'PUT', '/notes', 405],
    ['a body that is too large', 'POST', '/notes', 413],
  ])('are marked as deprecated on %s', async (_name, method, target, status) => {
    const sent = status === 413 ? { body: 'x'.repeat(300_000), chunked: true } : {};
    const answered = await send(api, method, target, sent);
    expect(answered.status).toBe(status);
    expect(answered.headers.deprecation).toMatch(/^@\d+$/);
    expect(answered.headers.link).toBe(`</v1${target}>; rel="successor-version"`);
  });

  it('are marked as deprecated only if they exist; the route itself is not marked', async () => {
    expect((await send(api, 'GET', '/nowhere')).headers.deprecation).toBeUndefined();
    expect((await send(api, 'GET', '/v1/ping')).headers.deprecation).toBeUndefined();
  });

  it('escape a hostile path in the header', async () => {
    const { headers } = await send(api, 'GET', '/notes/a>;rel="x"', { headers: READER });
    expect(headers.link).toBe('</v1/notes/a%3E;rel=%22x%22>; rel="successor-version"');
  });
});
