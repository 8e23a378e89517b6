/** Tests which requests the request log shows, with the real API. `core/request-log` tests how they are stored. */
import type { LoggedRequest } from '@trading-automation/contracts';
import { eventually } from '@trading-automation/runtime/testing';
import { signRequest } from '@trading-automation/signed-request';
import { limitsOf } from '../../test/rate-limits.js';
import { type SendOptions, send } from '../../test/send.js';
import {
  type KeyPair,
  openAccount,
  sendSigned,
  startTestRestApi,
  type TestRestApi,
} from '../../test/test-rest-api.js';

/** Only the bucket of simulations can be emptied. */
const LIMITS = limitsOf(
  { requests: 1_000_000, seconds: 60 },
  { simulations: { requests: 1, seconds: 86_400 } },
);

let api: TestRestApi;
let owner: KeyPair;
beforeAll(async () => {
  api = await startTestRestApi({ RATE_LIMITS: JSON.stringify(LIMITS) });
});
afterAll(() => api.close());
beforeEach(async () => {
  owner = await openAccount(api);
});

/** Sends a request with an id. */
type SendRequest = (headers: Readonly<Record<string, string>>) => Promise<unknown>;

const signed =
  (method: string, target: string, body?: object, more: SendOptions['headers'] = {}): SendRequest =>
  (headers) =>
    sendSigned(api, owner, method, target, { body, headers: { ...headers, ...more } });
const unsigned =
  (target: string, more: SendOptions['headers'] = {}): SendRequest =>
  (headers) =>
    send(api, 'GET', target, { headers: { ...headers, ...more } });

async function listed(query = ''): Promise<readonly LoggedRequest[]> {
  const { json } = await sendSigned(api, owner, 'GET', `/v1/request-log?limit=100${query}`);
  return json.data as readonly LoggedRequest[];
}

/**
 * Sends requests, then one more, and returns what the log shows of the former, in their order. Rows are written in the
 * order of the responses, so the log shows all of them once it shows the last one.
 */
async function logOf(...requests: readonly SendRequest[]): Promise<readonly LoggedRequest[]> {
  for (const [i, sendRequest] of [...requests, signed('GET', '/v1/me')].entries())
    await sendRequest({ 'x-request-id': `request-${i}` });
  const rows = await eventually(async () => {
    const all = await listed();
    return all.some(({ request_id }) => request_id === `request-${requests.length}`) && all;
  });
  return requests.flatMap((_, i) => rows.find(({ request_id }) => request_id === `request-${i}`) ?? []);
}

async function createKey(body: object): Promise<{ id: string; key: string }> {
  const { json } = await sendSigned(api, owner, 'POST', '/v1/api-keys', { body });
  return json.data as { id: string; key: string };
}

describe('the request log shows', () => {
  it('the route, never the values in the path, the query and the body', async () => {
    const rows = await logOf(
      signed('GET', '/v1/trades/trd_01k9y3wq8ge3j8p8bf1mq93h57'),
      signed('GET', '/trades?limit=7'),
      signed('PUT', '/v1/settings/secret-name', { value: 'secret value' }),
      signed('HEAD', '/v1/me'),
      signed('GET', '/v1/me', undefined, { 'if-none-match': '*' }),
    );
    expect(rows.map(({ method, route, status }) => [method, route, status])).toEqual([
      ['GET', '/v1/trades/:id', 404],
      ['GET', '/trades', 200],
      ['PUT', '/v1/settings/:key', 201],
      ['HEAD', '/v1/me', 200],
      ['GET', '/v1/me', 304],
    ]);
    expect(JSON.stringify(rows)).not.toContain('secret');
  });

  it('the credential, the address and the times', async () => {
    const key = await createKey({ name: 'a bot', permissions: ['READ'] });
    const sentAtMs = Date.now();
    const [row] = await logOf(unsigned('/v1/me', { 'x-api-key': key.key }));
    expect(row).toMatchObject({
      credential: { kind: 'api_key', id: key.id },
      address: '127.0.0.1',
      request_id: 'request-0',
    });
    const arrivedAtMs = Date.parse(row!.created_at);
    expect(arrivedAtMs).toBeGreaterThanOrEqual(sentAtMs - 2);
    expect(arrivedAtMs + row!.duration_ms).toBeLessThanOrEqual(Date.now());
    expect(await listed(`&credential_id=${key.id}`)).toEqual([row]);
  });

  it('requests that were refused although their credential is valid', async () => {
    const reader = await createKey({ name: 'reader', permissions: ['READ'] });
    const elsewhere = await createKey({
      name: 'elsewhere',
      permissions: ['READ'],
      ip_allowlist: ['203.0.113.7'],
    });
    const replayed = signRequest({ method: 'GET', path: '/v1/me', privateKey: owner.privateKey });
    const simulate = signed('POST', '/v1/copiers/cpr_01k9y3wq8ge3j8p8bf1mq93h57/simulate', {});
    const rows = await logOf(
      unsigned('/v1/request-log', { 'x-api-key': reader.key }),
      unsigned('/v1/me', { 'x-api-key': elsewhere.key }),
      unsigned('/v1/me', { ...replayed }),
      unsigned('/v1/me', { ...replayed }),
      simulate,
      simulate,
    );
    expect(rows.map(({ route, status }) => [route, status])).toEqual([
      ['/v1/request-log', 403],
      ['/v1/me', 403],
      ['/v1/me', 200],
      ['/v1/me', 401],
      ['/v1/copiers/:id/simulate', 404],
      ['/v1/copiers/:id/simulate', 429],
    ]);
  });

  it('no request without a valid credential, none of another user, and none of a public or unknown route', async () => {
    const other = await openAccount(api);
    const otherTarget = signRequest({ method: 'GET', path: '/v1/other', privateKey: owner.privateKey });
    const rows = await logOf(
      unsigned('/v1/me'),
      unsigned('/v1/me', { 'x-api-key': 'svc_test_unknown' }),
      unsigned('/v1/me', { ...otherTarget }),
      unsigned('/v1/health'),
      signed('GET', '/v1/nowhere'),
      (headers) => sendSigned(api, other, 'GET', '/v1/me', { headers }),
    );
    expect(rows).toEqual([]);
  });
});

it('the last requests before a stop are written', async () => {
  const stopping = await startTestRestApi();
  const platform = await stopping.openSecondPlatform();
  try {
    await sendSigned(stopping, await openAccount(stopping), 'GET', '/v1/me');
    await stopping.stop();
    expect(await platform.database.query('SELECT route FROM request_log')).toEqual([{ route: '/v1/me' }]);
  } finally {
    await stopping.close();
  }
});
