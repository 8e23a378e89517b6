import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { provideSampleRuntime, SAMPLE_ORIGIN } from '../process/runtime.sample';
import { sessionCookie } from './session';
import { forward } from './upstream';

/** An API that stores what it receives. */
let api: Server;
let origin = '';
let received: { method: string; url: string; headers: IncomingHttpHeaders; body: string } | undefined;
let status = 200;
const SENT = {
  'content-type': 'application/json',
  etag: '"1"',
  'idempotency-replayed': 'true',
  'x-request-id': 'req_1',
  'set-cookie': 'session=planted',
  'access-control-allow-origin': '*',
  'content-security-policy': 'default-src *',
  server: 'internal',
};
beforeAll(async () => {
  api = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      received = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
      response.writeHead(status, status === 302 ? { ...SENT, location: 'http://127.0.0.1:1/' } : SENT);
      response.end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(api, 'listening');
  origin = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  provideSampleRuntime({ REST_URL: origin });
});
afterAll(async () => {
  api.closeAllConnections();
  api.close();
  await once(api, 'close');
});
beforeEach(() => {
  status = 200;
  received = undefined;
});

const CLAIMED = {
  'x-api-key': 'svc_test_of_somebody',
  authorization: 'Bearer svc_test_of_somebody',
  'x-svc-pubkey': '02'.repeat(33),
  'x-svc-sig': '1'.repeat(128),
  'x-svc-nonce': '1'.repeat(32),
  'x-svc-timestamp': '1',
  'x-forwarded-for': '203.0.113.9',
  forwarded: 'for=203.0.113.9',
  'x-request-id': 'chosen',
  'accept-encoding': 'gzip',
};
const PASSED = {
  accept: 'application/json',
  'content-type': 'application/json',
  'idempotency-key': 'k1',
  'if-none-match': '"1"',
  'x-background': 'true',
};

async function send(method: string, headers: Record<string, string> = {}) {
  const body = method === 'GET' ? {} : { body: '{"a":1}' };
  const request = new Request(`${SAMPLE_ORIGIN}/api/v1/me?x=1`, {
    method,
    headers: { 'x-client-address': '198.51.100.7', ...headers },
    ...body,
  });
  return forward(request, origin, '/v1/me?x=1');
}
const cookie = async () => {
  const session = { privateKey: '1'.repeat(64), id: 'pbk_1', userId: 'usr_1', expiresAt: '' };
  return String((await sessionCookie(session)).split(';')[0]);
};

describe('a forwarded request', () => {
  it('has only the listed headers of the page, and the address of the browser', async () => {
    await send('POST', { ...CLAIMED, ...PASSED, cookie: 'session=x; other=y', 'x-else': '1' });
    expect(received).toMatchObject({ method: 'POST', url: '/v1/me?x=1', body: '{"a":1}' });
    expect(received?.headers).toMatchObject({
      ...PASSED,
      'x-forwarded-for': '198.51.100.7',
      'accept-encoding': 'identity',
    });
    const names = Object.keys(received?.headers ?? {});
    const claimed = Object.keys(CLAIMED).filter(
      (name) => !/^(?:x-forwarded-for|accept-encoding)$/.test(name),
    );
    expect(
      names.filter((name) => [...claimed, 'cookie', 'x-else', 'x-client-address'].includes(name)),
    ).toEqual([]);
  });

  it('is signed by the key of the session, whatever signature the page sends', async () => {
    await send('GET', { ...CLAIMED, cookie: await cookie() });
    const { headers } = received ?? {};
    expect(headers?.['x-svc-pubkey']).toMatch(/^0[23][0-9a-f]{64}$/);
    expect(headers?.['x-svc-pubkey']).not.toBe(CLAIMED['x-svc-pubkey']);
    expect(headers?.['x-svc-sig']).not.toBe(CLAIMED['x-svc-sig']);
    expect(headers).not.toHaveProperty('x-api-key');
  });

  it('is refused above 1 MiB', async () => {
    const request = new Request(SAMPLE_ORIGIN, { method: 'POST', body: 'x'.repeat(1024 * 1024 + 1) });
    expect((await forward(request, origin, '/v1/me')).status).toBe(413);
    expect(received).toBeUndefined();
  });
});

describe('the response to the page', () => {
  it('has only the listed headers of the API, and is not stored', async () => {
    const { headers } = await send('GET');
    expect(Object.fromEntries(headers)).toEqual({
      'cache-control': 'no-store',
      'content-type': 'application/json',
      etag: '"1"',
      'idempotency-replayed': 'true',
      'x-request-id': 'req_1',
    });
  });

  it('is the redirect itself, which this server does not follow', async () => {
    status = 302;
    expect((await send('GET')).status).toBe(302);
  });

  it('removes the cookie of a session that the API no longer accepts, and only then', async () => {
    status = 401;
    expect((await send('GET')).headers.getSetCookie()).toEqual([]);
    expect((await send('GET', { cookie: await cookie() })).headers.getSetCookie()).toEqual([
      'session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0',
    ]);
    status = 200;
    expect((await send('GET', { cookie: await cookie() })).headers.getSetCookie()).toEqual([]);
  });
});
