import { type NotesApi, startNotesApi } from '../../test/notes-api.js';
import { send } from '../../test/send.js';

const PAGE = 'https://app.example.com';
const preflight = (method: string, origin = PAGE) => ({
  headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'x-api-key' },
});

const openApis: NotesApi[] = [];
const start = async (...corsOrigins: string[]) => {
  const api = await startNotesApi({ corsOrigins });
  openApis.push(api);
  return api;
};
afterEach(async () => {
  await Promise.all(openApis.splice(0).map((api) => api.close()));
});

const corsHeaders = (headers: object) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-') || name === 'vary');

describe('a web page of another origin', () => {
  it('cannot read responses if no origin is configured', async () => {
    const api = await start();
    const response = await send(api, 'GET', '/v1/ping', { headers: { origin: PAGE } });
    const preflightResponse = await send(api, 'OPTIONS', '/v1/ping', preflight('GET'));
    expect([response, preflightResponse].flatMap(({ headers }) => corsHeaders(headers))).toEqual([]);
  });

  it.each([
    ['a success', '/v1/ping', 200],
    ['an error', '/v1/notes', 401],
    ['the error for an unknown path', '/v1/nowhere', 404],
    ['the error for a path that cannot be decoded', '/v1/not%zz', 404],
  ])('can read %s only if its origin is configured', async (_response, path, status) => {
    const api = await start(PAGE, 'http://127.0.0.1:3000');
    const response = await send(api, 'GET', path, { headers: { origin: PAGE } });
    expect(response.status).toBe(status);
    expect(response.headers).toMatchObject({ 'access-control-allow-origin': PAGE, vary: 'Origin' });
    expect(String(response.headers['access-control-expose-headers']).split(', ')).toEqual([
      'deprecation',
      'etag',
      'idempotency-replayed',
      'link',
      'location',
      'ratelimit',
      'ratelimit-policy',
      'retry-after',
      'x-request-id',
    ]);
    expect(response.headers['access-control-allow-credentials']).toBeUndefined();
    for (const origin of ['https://evil.example.com', 'http://app.example.com', 'null', `${PAGE}.evil.com`]) {
      const other = await send(api, 'GET', path, { headers: { origin } });
      expect(corsHeaders(other.headers)).toEqual(['vary']);
    }
    expect((await send(api, 'GET', path)).headers.vary).toBe('Origin');
  });

  it('gets the allowed methods and headers of a path by a preflight, but only if the path exists', async () => {
    const api = await start(PAGE);
    const existing = await send(api, 'OPTIONS', '/v1/notes', preflight('POST'));
    expect(existing.status).toBe(204);
    expect(existing.headers).toMatchObject({
      'access-control-allow-origin': PAGE,
      'access-control-allow-methods': 'GET, HEAD, POST',
      'access-control-max-age': '7200',
      vary: 'Origin',
    });
    const allowed = String(existing.headers['access-control-allow-headers']).split(', ');
    expect(allowed).toEqual(
      expect.arrayContaining(['x-api-key', 'x-svc-sig', 'idempotency-key', 'content-type']),
    );
    const nowhere = await send(api, 'OPTIONS', '/v1/nowhere', preflight('POST'));
    expect([nowhere.status, nowhere.headers['access-control-allow-methods']]).toEqual([404, undefined]);
    const other = await send(api, 'OPTIONS', '/v1/notes', preflight('POST', 'https://evil.example.com'));
    expect(corsHeaders(other.headers)).toEqual(['vary']);
  });

  it('can read responses from any origin if * is configured; they then have no Vary header', async () => {
    const api = await start('*');
    const response = await send(api, 'GET', '/v1/notes', { headers: { origin: PAGE } });
    expect([response.status, response.headers['access-control-allow-origin']]).toEqual([401, '*']);
    expect(response.headers.vary).toBeUndefined();
    const preflightResponse = await send(api, 'OPTIONS', '/v1/notes', preflight('GET'));
    expect(preflightResponse.headers['access-control-allow-methods']).toBe('GET, HEAD, POST');
  });
});
