import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { POST as signInByApiKey } from '../app/api/session/api-key/route';
import { POST as signInAsDemo } from '../app/api/session/demo/route';
import { DELETE } from '../app/api/session/route';
import { provideSampleRuntime, SAMPLE_ORIGIN } from '../process/runtime.sample';
import { pendingCookie, readSession, sessionCookie } from './session';

const SESSION = { privateKey: '1'.repeat(64), id: 'pbk_01', userId: 'usr_01', expiresAt: '' };
const CLEARED = ['session', 'sign-in'].map((name) => `${name}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0`);

/** An API that opens and ends sessions. */
let api: Server;
let received: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[] = [];
let statusOfEnd = 200;
beforeAll(async () => {
  api = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const { method = '', url = '', headers } = request;
    received.push({ method, url, headers, body });
    const status = method === 'DELETE' ? statusOfEnd : 200;
    const error = { code: 'service_unavailable', message: 'No.', details: [] };
    const data = url.endsWith('challenge')
      ? { challenge: 'a'.repeat(64), expires_at: '2026-11-28T12:00:00.000Z' }
      : { id: SESSION.id, user_id: SESSION.userId, expires_at: '2026-11-28T12:00:00.000Z' };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(status === 200 ? { success: true, data } : { success: false, error }));
  }).listen(0, '127.0.0.1');
  await once(api, 'listening');
});
afterAll(async () => {
  api.closeAllConnections();
  api.close();
  await once(api, 'close');
});
beforeEach(() => {
  received = [];
  statusOfEnd = 200;
  const { port } = api.address() as AddressInfo;
  provideSampleRuntime({ REST_URL: `http://127.0.0.1:${port}` });
});

const requestWith = (method: string, cookie: string, body?: object) =>
  new Request(`${SAMPLE_ORIGIN}/api/session`, {
    method,
    headers: { origin: SAMPLE_ORIGIN, cookie, 'x-client-address': '198.51.100.7' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const pairOf = (header: string | undefined) => String(header?.split(';')[0]);
const sessionPair = async () => pairOf(await sessionCookie(SESSION));

describe('signing out', () => {
  it('ends the session at the API and removes the cookies', async () => {
    const response = await DELETE(requestWith('DELETE', await sessionPair()), {});
    expect([response.status, response.headers.getSetCookie()]).toEqual([200, CLEARED]);
    expect(received).toMatchObject([{ method: 'DELETE', url: `/v1/auth/sessions/${SESSION.id}` }]);
    expect(received[0]?.headers).toMatchObject({
      'x-forwarded-for': '198.51.100.7',
      'x-svc-pubkey': expect.stringMatching(/^0[23]/),
    });
  });

  it('removes the cookies of a session that is over already, and of a browser without one', async () => {
    statusOfEnd = 401;
    for (const cookie of [await sessionPair(), ''])
      expect((await DELETE(requestWith('DELETE', cookie), {})).headers.getSetCookie()).toEqual(CLEARED);
  });

  it('fails, and keeps the cookies, if the API does not end the session', async () => {
    statusOfEnd = 503;
    const response = await DELETE(requestWith('DELETE', await sessionPair()), {});
    expect([response.status, response.headers.getSetCookie()]).toEqual([503, []]);
  });
});

describe('a sign-in', () => {
  const signIn = async (cookie: string) => {
    const response = await signInByApiKey(requestWith('POST', cookie, { api_key: 'svc_test_x' }), {});
    const [set] = response.headers.getSetCookie();
    return readSession(new Request(SAMPLE_ORIGIN, { headers: { cookie: pairOf(set) } }));
  };

  it('always makes a new key pair, so that a planted cookie gives no access', async () => {
    const planted = `${await sessionPair()}; ${pairOf(await pendingCookie({ privateKey: SESSION.privateKey }))}`;
    const [first, second] = [await signIn(planted), await signIn(planted)];
    expect(first).toMatchObject({ id: SESSION.id, privateKey: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const keys = [SESSION.privateKey, first?.privateKey, second?.privateKey];
    expect(new Set(keys).size).toBe(3);
  });

  it('as the demo account exists only if the configuration has its key', async () => {
    const response = await signInAsDemo(requestWith('POST', ''), {});
    expect([response.status, response.headers.getSetCookie(), received]).toEqual([404, [], []]);
  });
});
