import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { XUserInfoClient } from './x-user-info-client.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let url: string;
let answer: Answer;
let requests: IncomingMessage[];
beforeEach(async () => {
  requests = [];
  server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/2/users/me`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const respondWith =
  (status: number, body: string, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    response.writeHead(status, headers).end(body);
const user = (data: unknown) => JSON.stringify({ data });

const refusal = expect.objectContaining({ code: 'invalid_login' });
const failure = expect.objectContaining({ code: 'service_unavailable' });
const identify = (token = 'token-of-the-test') => new XUserInfoClient(url).identify(token);

describe('an access token of X', () => {
  it('identifies the user that X returns, without an e-mail address', async () => {
    answer = respondWith(200, user({ id: '2244994945', username: 'somebody', name: 'Some Body' }));
    await expect(identify()).resolves.toEqual({
      provider: 'x',
      subject: '2244994945',
      emailVerified: false,
    });
    const [request] = requests;
    expect([request?.method, request?.url]).toEqual(['GET', '/2/users/me']);
    expect(request?.headers.authorization).toBe('Bearer token-of-the-test');
  });

  it.each([401, 403])('is rejected if X responds with %i, regardless of the body', async (status) => {
    answer = respondWith(status, '<html>');
    await expect(identify()).rejects.toEqual(refusal);
  });

  it('is not sent if it is malformed', async () => {
    answer = respondWith(200, user({ id: '1', username: 'a' }));
    for (const token of ['', 'a b', 'a\r\nx: y', 'ü', 'x'.repeat(5_000)]) {
      await expect(identify(token)).rejects.toEqual(refusal);
    }
    expect(requests).toEqual([]);
  });
});

describe('X itself', () => {
  it.each([
    ['errors', respondWith(500, '')],
    ['rate-limits the request', respondWith(429, '')],
    ['returns invalid JSON', respondWith(200, '<html>')],
    ['returns an empty user', respondWith(200, user({}))],
    ['returns no user, only errors', respondWith(200, '{"errors": []}')],
    ['returns an id that is not a number', respondWith(200, user({ id: 'a\u0000', username: 'a' }))],
    ['returns an id that is not a string', respondWith(200, user({ id: 7, username: 'a' }))],
    [
      'returns a body that is too large',
      respondWith(200, user({ id: '1', username: 'a', bio: 'x'.repeat(70_000) })),
    ],
  ])('causes service_unavailable if it %s', async (_what, said) => {
    answer = said;
    await expect(identify()).rejects.toEqual(failure);
  });

  it('cannot redirect the token', async () => {
    answer = respondWith(307, '', { location: '/elsewhere' });
    await expect(identify()).rejects.toEqual(failure);
    expect(requests).toHaveLength(1);
  });

  it('times out if it does not respond or stalls', async () => {
    for (const silent of [() => undefined, (_: unknown, response: ServerResponse) => response.write('{')]) {
      answer = silent;
      await expect(new XUserInfoClient(url, 50).identify('token')).rejects.toEqual(failure);
    }
  });

  it('causes service_unavailable if it refuses connections', async () => {
    await new Promise((resolve) => server.close(resolve));
    await expect(identify()).rejects.toEqual(failure);
    server.listen(0, '127.0.0.1');
  });
});
