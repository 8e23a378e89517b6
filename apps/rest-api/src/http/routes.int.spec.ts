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
      'the route before everything else',
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
      'the body after the JSON and the query',
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
  ])('is %s', async (_order, method, target, request, status, code) => {
    expect(await codeOf(send(api, method, target, request))).toEqual([status, code]);
  });
});

describe('routes', () => {
  it.each([
    '/v1/Notes',
    '/v1/notes/',
    '/v1//notes',
    '//v1/notes',
    '/v1/notes#x',
    '/',
    '/v1',
    '/v2/notes',
    '/v1%2Fnotes',
    '/v1/notes%2f',
    '/v1/notes/%zz/x',
    '/v1/not%zz',
  ])('do not include %s, because paths are compared byte for byte', async (target) => {
    expect(await codeOf(send(api, 'GET', target, { headers: READER }))).toEqual([404, 'route_not_found']);
  });

  it.each(['/v1/trading-bot', '/v1/trading-bot/start', '/market-maker/x?y=1', '/market-maker'])(
    'no longer include %s; the error says that it was removed',
    async (target) => {
      for (const method of ['GET', 'POST'])
        expect(await codeOf(send(api, method, target))).toEqual([410, 'namespace_removed']);
    },
  );

  it('do not include a path that only starts like a removed one, and the error does not say removed', async () => {
    expect(await codeOf(send(api, 'GET', '/v1/trading-bots'))).toEqual([404, 'route_not_found']);
  });

  it.each(['PUT', 'DELETE', 'PATCH', 'PROPFIND', 'TRACE', 'QUERY'])(
    'without the method %s return 405 with the allowed methods',
    async (method) => {
      const { status, headers, json } = await send(api, method, '/v1/notes');
      expect([status, json.error?.code]).toEqual([405, 'method_not_allowed']);
      expect(headers.allow).toBe('GET, HEAD, POST, OPTIONS');
    },
  );

  it('return the allowed methods for OPTIONS, without CORS headers', async () => {
    const { status, headers, text } = await send(api, 'OPTIONS', '/v1/notes/x', {
      headers: { origin: 'https://elsewhere.example' },
    });
    expect([status, text]).toEqual([204, '']);
    expect(headers.allow).toBe('GET, HEAD, OPTIONS');
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it('return the same for HEAD as for GET, without the body', async () => {
    const get = await send(api, 'GET', '/v1/ping');
    const head = await send(api, 'HEAD', '/v1/ping');
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(String(get.text.length));
  });

  it('ignore a header that overrides the method', async () => {
    const { status } = await send(api, 'GET', '/v1/ping', {
      headers: { 'x-http-method-override': 'DELETE' },
    });
    expect(status).toBe(200);
  });

  it.each([
    ['a decoded letter', '/v1/%6eotes'],
    ['decoded letters of the prefix', '/%76%31/no%74es'],
    ['a legacy alias', '/%6Eotes'],
  ])(
    'include %s, because unreserved characters are equal to their percent-encoded form',
    async (_form, target) => {
      const { status, headers } = await send(api, 'GET', target, { headers: READER });
      expect(status).toBe(200);
      expect(headers.link).toBe(
        target.startsWith('/%6E') ? '</v1/notes>; rel="successor-version"' : undefined,
      );
    },
  );

  it.each([
    ['http://localhost/v1/ping', '200'],
    ['HTTPS://api.example.com:8443/v1/ping', '200'],
    ['http://localhost/ping', '200'],
    ['http://localhost', '404'],
    ['http://localhost?x=1', '404'],
    ['http://localhost/v1/ping?x=1', '400'],
    ['http://user@localhost/v1/ping', '400'],
  ])('are found by the path of the absolute target %s', async (target, status) => {
    const received = await sendBytes(api, `GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(received).toMatch(/\{"success":(true|false),/);
  });

  it('are listed with all methods for the target * of OPTIONS', async () => {
    const { status, headers } = await send(api, 'OPTIONS', '*');
    expect([status, headers.allow]).toEqual([204, 'GET, HEAD, POST, OPTIONS']);
  });

  it.each(['*', '*v1/ping', 'ftp://localhost/v1/ping'])(
    'do not include the target %s, which is not a path',
    async (target) => {
      const received = await sendBytes(api, `GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
      expect(received).toMatch(/^HTTP\/1\.1 404 /);
      expect(received).toContain('"code":"route_not_found"');
    },
  );

  it('reject a target over 8 KiB', async () => {
    expect(await codeOf(send(api, 'GET', `/v1/ping?a=${'x'.repeat(8_300)}`))).toEqual([400, 'invalid_query']);
    expect(await codeOf(send(api, 'GET', `/v1/notes/${'x'.repeat(8_300)}`))).toEqual([
      404,
      'route_not_found',
    ]);
  });
});

describe('legacy aliases', () => {
  it('return the same as the /v1 path, which their Link header names', async () => {
    const { status, headers, json } = await send(api, 'GET', '/notes/n%201?x=1', { headers: READER });
    expect([status, json.error?.code]).toEqual([400, 'invalid_query']);
    expect(headers.deprecation).toMatch(/^@\d+$/);
    expect(headers.link).toBe('</v1/notes/n%201>; rel="successor-version"');
  });

  it.each([
    ['a valid request', 'GET', '/ping', 200],
    ['a missing credential', 'GET', '/notes', 401],
    ['a method that is not allowed', 'PUT', '/notes', 405],
    ['a body that is too large', 'POST', '/notes', 413],
  ])('are marked as deprecated in the response to %s', async (_name, method, target, status) => {
    const request = status === 413 ? { body: 'x'.repeat(300_000), chunked: true } : {};
    const response = await send(api, method, target, request);
    expect(response.status).toBe(status);
    expect(response.headers.deprecation).toMatch(/^@\d+$/);
    expect(response.headers.link).toBe(`</v1${target}>; rel="successor-version"`);
  });

  it('are the only paths marked as deprecated: unknown paths and /v1 paths are not', async () => {
    expect((await send(api, 'GET', '/nowhere')).headers.deprecation).toBeUndefined();
    expect((await send(api, 'GET', '/v1/ping')).headers.deprecation).toBeUndefined();
  });

  it('escape special characters of the path in the Link header', async () => {
    const { headers } = await send(api, 'GET', '/notes/a>;rel="x"', { headers: READER });
    expect(headers.link).toBe('</v1/notes/a%3E;rel=%22x%22>; rel="successor-version"');
  });
});
