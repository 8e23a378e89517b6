import { type NotesApi, startNotesApi } from '../../test/notes-api.js';
import { send } from '../../test/send.js';

const PAGE = 'https://app.example.com';
const preflight = (method: string, origin = PAGE) => ({
  headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'x-api-key' },
});

const open: NotesApi[] = [];
const start = async (...corsOrigins: string[]) => {
  const api = await startNotesApi({ corsOrigins });
  open.push(api);
  return api;
};
afterEach(async () => {
  await Promise.all(open.splice(0).map((api) => api.close()));
});

const corsHeaders = (headers: object) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-') || name === 'vary');

describe('pages of other origins', () => {
  it('can read responses only if they are configured', async () => {
    const api = await start();
    const answer = await send(api, 'GET', '/v1/ping', { headers: { origin: PAGE } });
    const asked = await send(api, 'OPTIONS', '/v1/ping', preflight('GET'));
    expect([answer, asked].flatMap(({ headers }) => corsHeaders(headers))).toEqual([]);
  });

  it.each([
    ['an answer', '/v1/ping', 200],
    ['a refusal', '/v1/notes', 401],
    ['an unknown path', '/v1/nowhere', 404],
    ['a path that can’t be decoded', '/v1/not%zz', 404],
  ])('can read %s only if they are configured', async (_what, path, status) => {
    const api = await start(PAGE, 'http://127.0.0.1:3000');
    const answer = await send(api, 'GET', path, { headers: { origin: PAGE } });
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({ 'access-control-allow-origin': PAGE, vary: 'Origin' });
    expect(String(answer.headers['access-control-expose-headers']).split(', ')).toEqual([
      'deprecation',
      'idempotency-replayed',
      'link',
      'location',
      'ratelimit',
      'ratelimit-policy',
      'retry-after',
      'x-request-id',
    ]);
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    for (const origin of ['https://evil.example.com', 'http://app.example.com', 'null', `${PAGE}.evil.com`]) {
      const other = await send(api, 'GET', path, { headers: { origin } });
      expect(corsHeaders(other.headers)).toEqual(['vary']);
    }
    expect((await send(api, 'GET', path)).headers.vary).toBe('Origin');
  });

  it('get the methods and headers only of existing paths', async () => {
    const api = await start(PAGE);
    const asked = await send(api, 'OPTIONS', '/v1/notes', preflight('POST'));
    expect(asked.status).toBe(204);
    expect(asked.headers).toMatchObject({
      'access-control-allow-origin': PAGE,
      'access-control-allow-methods': 'GET, HEAD, POST',
      'access-control-max-age': '7200',
      vary: 'Origin',
    });
    const allowed = String(asked.headers['access-control-allow-headers']).split(', ');
    expect(allowed).toEqual(
      expect.arrayContaining(['x-api-key', 'x-svc-sig', 'idempotency-key', 'content-type']),
    );
    const nowhere = await send(api, 'OPTIONS', '/v1/nowhere', preflight('POST'));
    expect([nowhere.status, nowhere.headers['access-control-allow-methods']]).toEqual([404, undefined]);
    const other = await send(api, 'OPTIONS', '/v1/notes', preflight('POST', 'https://evil.example.com'));
    expect(corsHeaders(other.headers)).toEqual(['vary']);
  });

  it('can all read responses with a wildcard, without Vary for caches', async () => {
    const api = await start('*');
    const answer = await send(api, 'GET', '/v1/notes', { headers: { origin: PAGE } });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([401, '*']);
    expect(answer.headers.vary).toBeUndefined();
    const asked = await send(api, 'OPTIONS', '/v1/notes', preflight('GET'));
    expect(asked.headers['access-control-allow-methods']).toBe('GET, HEAD, POST');
  });
});
