import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { XUserInfoClient } from './x-user-info-client.js';

type Responder = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let url: string;
let respond: Responder;
let requests: IncomingMessage[];
beforeEach(async () => {
  requests = [];
  server = createServer((request, response) => {
    requests.push(request);
    respond(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/2/users/me`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const respondWith =
  (status: number, body: string, headers: Record<string, string> = {}): Responder =>
  (_, response) =>
    response.writeHead(status, headers).end(body);
const user = (data: unknown) => JSON.stringify({ data });

const invalidLogin = expect.objectContaining({ code: 'invalid_login' });
const unavailable = expect.objectContaining({ code: 'service_unavailable' });
const identify = (token = 'token-of-the-test') => new XUserInfoClient(url).identify(token);

describe('an access token of X', () => {
  it('identifies the user that X returns, without an e-mail address', async () => {
    respond = respondWith(200, user({ id: '2244994945', username: 'somebody', name: 'Some Body' }));
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
    respond = respondWith(status, '<html>');
    await expect(identify()).rejects.toEqual(invalidLogin);
  });

  it('is not sent if it is malformed', async () => {
    respond = respondWith(200, user({ id: '1', username: 'a' }));
    for (const token of ['', 'a b', 'a\r\nx: y', 'ü', 'x'.repeat(5_000)]) {
      await expect(identify(token)).rejects.toEqual(invalidLogin);
    }
    expect(requests).toEqual([]);
  });
});

describe('the user-info endpoint of X', () => {
  it.each([
    ['responds with 500', respondWith(500, '')],
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
  ])('causes service_unavailable if it %s', async (_what, responder) => {
    respond = responder;
    await expect(identify()).rejects.toEqual(unavailable);
  });

  it('cannot redirect the token', async () => {
    respond = respondWith(307, '', { location: '/elsewhere' });
    await expect(identify()).rejects.toEqual(unavailable);
    expect(requests).toHaveLength(1);
  });

  it('times out if it does not respond or stalls', async () => {
    for (const silent of [() => undefined, (_: unknown, response: ServerResponse) => response.write('{')]) {
      respond = silent;
      await expect(new XUserInfoClient(url, 50).identify('token')).rejects.toEqual(unavailable);
    }
  });

  it('causes service_unavailable if it refuses connections', async () => {
    await new Promise((resolve) => server.close(resolve));
    await expect(identify()).rejects.toEqual(unavailable);
    server.listen(0, '127.0.0.1');
  });
});
