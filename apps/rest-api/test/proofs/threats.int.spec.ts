/**
 * Tests over HTTP the threats of docs/security/threats.md (A2 to T12) that no other test of the API covers.
 * A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md.
 */
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { signRequest } from '@trading-automation/signed-request';
import { Redis } from 'ioredis';
import { type SendOptions, send, type TestResponse } from '../send.js';
import { openAccount } from '../test-rest-api.js';
import { populate } from './contract.js';
import { TestEnvironment } from './test-environment.js';
import { TestUser } from './test-user.js';

let environment: TestEnvironment;
let owner: TestUser;
beforeAll(async () => {
  environment = await TestEnvironment.open();
  owner = await TestUser.create(environment);
});
afterAll(() => environment?.close());

const get = (target: string, headers: SendOptions['headers']) =>
  send(environment.api, 'GET', target, { headers: headers! });
const sign = (target: string, overrides: Partial<Parameters<typeof signRequest>[0]> = {}) =>
  signRequest({ method: 'GET', path: target, privateKey: owner.keyPair.privateKey, ...overrides });
const statusAndCode = ({ status, json }: TestResponse) => ({ status, code: json.error?.code });

/** The order of secp256k1 (SEC 2, section 2.4.1). */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const hex = (value: bigint) => value.toString(16).padStart(64, '0');

describe('A2: a credential of the test world', () => {
  it('is rejected in the live world', async () => {
    const live = await TestEnvironment.open({
      WORLD: 'live',
      PUBLIC_URL: 'https://api.example',
      WITHDRAWAL_DAILY_LIMIT: '1000',
    });
    try {
      await openAccount(live.api);
      const headers = sign('/v1/me');
      expect(statusAndCode(await send(live.api, 'GET', '/v1/me', { headers }))).toEqual({
        status: 401,
        code: 'unknown_public_key',
      });
      const { status, json } = await send(live.api, 'GET', '/v1/me', {
        headers: { 'x-api-key': owner.keyOf('ADMIN') },
      });
      expect([status, json.error?.code]).toEqual([401, 'invalid_api_key']);
      expect((await get('/v1/me', headers)).status).toBe(200);
    } finally {
      await live.close();
    }
  });
});

describe('A3: a timestamp', () => {
  it.each([
    ['58 s behind', -58_000],
    ['58 s ahead', 58_000],
  ])('%s is accepted', async (_offset, offsetMs) => {
    expect((await get('/v1/me', sign('/v1/me', { nowMs: Date.now() + offsetMs }))).status).toBe(200);
  });

  it.each([
    ['NaN', 'invalid_signature_headers'],
    ['-1', 'invalid_signature_headers'],
    ['1e20', 'invalid_signature_headers'],
    ['99999999999999999999', 'invalid_signature_headers'],
    [String(Math.floor(Date.now() / 1000)), 'timestamp_out_of_window'],
  ])('of %s is rejected', async (timestamp, code) => {
    const response = await get('/v1/me', { ...sign('/v1/me'), 'x-svc-timestamp': timestamp });
    expect(statusAndCode(response)).toEqual({ status: 401, code });
  });
});

describe('A4: a signature', () => {
  it('cannot be replayed as its second valid form (r, n - s), because the nonce is used', async () => {
    const headers = sign('/v1/me');
    expect((await get('/v1/me', headers)).status).toBe(200);
    const [r, s] = [headers['x-svc-sig'].slice(0, 64), BigInt(`0x${headers['x-svc-sig'].slice(64)}`)];
    const malleated = { ...headers, 'x-svc-sig': r + hex(ORDER - s) };
    expect(statusAndCode(await get('/v1/me', malleated))).toEqual({ status: 401, code: 'nonce_replayed' });
  });

  it.each([
    ['r of 0', () => hex(0n) + hex(1n), 'invalid_signature'],
    ['s of 0', () => hex(1n) + hex(0n), 'invalid_signature'],
    ['r of n', () => hex(ORDER) + hex(1n), 'invalid_signature'],
    ['s above n', () => hex(1n) + hex(ORDER + 1n), 'invalid_signature'],
    ['63 bytes', (valid: string) => valid.slice(2), 'invalid_signature_headers'],
    ['65 bytes', (valid: string) => `${valid}00`, 'invalid_signature_headers'],
    ['upper-case digits', () => 'A'.repeat(128), 'invalid_signature_headers'],
    ['DER encoding', () => `3044022${'0'.repeat(130)}`, 'invalid_signature_headers'],
  ])('with %s is rejected', async (_fault, change, code) => {
    const headers = sign('/v1/me');
    const response = await get('/v1/me', { ...headers, 'x-svc-sig': change(headers['x-svc-sig']) });
    expect(statusAndCode(response)).toEqual({ status: 401, code });
  });
});

describe('A5: a public key', () => {
  it.each([
    ['that is not a point of the curve', `02${'0'.repeat(63)}5`],
    ['in uncompressed form', `04${'1'.repeat(64)}`],
    ['of 32 bytes', '2'.repeat(64)],
    ['that is the point at infinity', `00${'0'.repeat(64)}`],
  ])('%s cannot be linked', async (_fault, pubkey) => {
    const { json } = await get('/v1/auth/cli-challenge', {});
    const { challenge } = json.data as { challenge: string };
    const body = JSON.stringify({ challenge, pubkey, signature: '1'.repeat(128) });
    const response = await send(environment.api, 'POST', '/v1/auth/cli-identity', {
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect(statusAndCode(response)).toEqual({ status: 422, code: 'validation_failed' });
    expect(response.json.error?.details?.[0]?.field).toBe('pubkey');
  });
});

describe('A6 and A7: a signature over one request', () => {
  it.each([
    ['/v1/trades?limit=1&offset=2', '/v1/trades?offset=2&limit=1'],
    ['/v1/trades', '/v1/trades?'],
    ['/v1/trades', '/trades'],
    ['/v1/trades?status=FILLED', '/v1/trades?status=%46ILLED'],
    ['/v1/trades', '/v1/%74rades'],
    ['/v1/%74rades', '/v1/%74r%61des'],
    ['/v1/trades', 'http://127.0.0.1/v1/trades'],
  ])('to %s is not valid for %s', async (signed, sent) => {
    expect(statusAndCode(await get(sent, sign(signed)))).toEqual({ status: 401, code: 'invalid_signature' });
    expect((await get(signed, sign(signed))).status).toBe(200);
  });

  it.each(['/v1//trades', '/v1%2Ftrades', '/v1/trades/', '/V1/trades', '/v1/./trades', '/v1/x/../trades'])(
    'does not make %s a route',
    async (target) => {
      expect(statusAndCode(await get(target, sign(target)))).toEqual({
        status: 404,
        code: 'route_not_found',
      });
    },
  );

  it('is not valid for another spelling of its body', async () => {
    const [body, other] = ['{"name":"a"}', '{"name": "a"}'];
    const headers = signRequest({
      method: 'POST',
      path: '/v1/api-keys',
      body,
      privateKey: owner.keyPair.privateKey,
    });
    const response = await send(environment.api, 'POST', '/v1/api-keys', {
      body: other,
      headers: { ...headers, 'content-type': 'application/json' },
    });
    expect(statusAndCode(response)).toEqual({ status: 401, code: 'invalid_signature' });
  });
});

describe('A9: a flood of 100,000 requests with invalid credentials', () => {
  it('is rejected, and no nonce is stored', async () => {
    const redis = new Redis(process.env.TEST_REDIS_URL!);
    const noncesOf = async (publicKey: string) => (await redis.keys(`*${publicKey}*`)).length;
    try {
      const { publicKey, privateKey } = owner.keyPair;
      const before = await noncesOf(publicKey);
      const nonce = randomBytes(16).toString('hex');
      // Sign again for each round, because an old signature would be rejected for its timestamp.
      const signed = () => signRequest({ method: 'GET', path: '/v1/me', privateKey, nonce });
      // A connection serves at most 1,000 requests.
      let rejected = 0;
      for (let round = 0; round < 10; round++) {
        const forged = { ...signed(), 'x-svc-sig': hex(1n) + hex(1n) };
        const counts = await Promise.all(
          Array.from({ length: 10 }, () => flood(environment.api.port, forged, 1_000)),
        );
        rejected += counts.reduce((sum, count) => sum + count, 0);
      }
      expect(rejected).toBe(100_000);
      expect(await noncesOf(publicKey)).toBe(before);
      // The last request of each connection contained this nonce. It is not consumed.
      expect((await get('/v1/me', signed())).status).toBe(200);
      expect(await noncesOf(publicKey)).toBe(before + 1);
    } finally {
      redis.disconnect();
    }
  }, 180_000);
});

/**
 * The number of concurrent requests on a connection. More requests would wait in the server's buffers for longer than
 * its time limit for headers.
 */
const CONCURRENT_REQUESTS = 50;

/**
 * Sends requests until `count` of them were rejected with 401. Returns the number of rejected requests. Every request
 * has a new nonce, except the last one of each connection: it has the nonce of `headers`.
 *
 * On a busy machine, the server may close a connection or respond with 408 or 503. Requests that did not get 401 are
 * sent again on another connection.
 */
async function flood(
  port: number,
  headers: Readonly<Record<string, string>>,
  count: number,
): Promise<number> {
  let rejected = 0;
  for (let connections = 0; rejected < count && connections < 20; connections++) {
    rejected += await floodOnce(port, headers, count - rejected);
  }
  return rejected;
}

/** Does the same on one connection. Stops at the first response with 408 or 503; any other except 401 is an error. */
function floodOnce(port: number, headers: Readonly<Record<string, string>>, count: number): Promise<number> {
  const requestOf = (nonce: string) => {
    const lines = Object.entries({ ...headers, 'x-svc-nonce': nonce }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    return `GET /v1/me HTTP/1.1\r\nhost: api\r\n${lines.join('\r\n')}\r\n\r\n`;
  };
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let [sent, rejected, rest] = [0, 0, ''];
    const sendSome = () => {
      let requests = '';
      for (let i = 0; i < CONCURRENT_REQUESTS && sent < count; i++) {
        sent++;
        requests += requestOf(sent === count ? headers['x-svc-nonce']! : randomBytes(16).toString('hex'));
      }
      socket.write(requests);
    };
    socket.on('data', (part) => {
      const text = rest + part.toString('latin1');
      for (const [, status] of text.matchAll(/HTTP\/1\.1 (\d{3})/g)) {
        if (status === '401') rejected++;
        else if (status === '408' || status === '503') return socket.destroy();
        else return socket.destroy(new Error(`unexpected response to the flood: ${text}`));
      }
      rest = text.slice(text.lastIndexOf('HTTP/1.1 401') + 1).slice(-'HTTP/1.1 40'.length);
      if (rejected === count) socket.end();
      else if (rejected === sent) sendSome();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === undefined) reject(error);
    });
    socket.on('close', () => resolve(rejected));
    sendSome();
  });
}

describe('A13: a stolen dump of the database', () => {
  it('row 20: contains no key, no secret and no value that can be used as a credential', async () => {
    await populate(owner);
    const texts = new Set<string>();
    const tables = await environment.rows(
      "SELECT relname FROM pg_stat_user_tables WHERE schemaname = 'public'",
    );
    for (const { relname } of tables) {
      for (const row of await environment.rows(`SELECT * FROM "${relname}"`)) collect(row, texts);
    }
    const dump = [...texts].join('\n');
    expect(texts.size).toBeGreaterThan(100);
    expect(dump).not.toMatch(/svc_(?:test|live)_[0-9A-Za-z]{20}/);
    expect(dump).not.toContain('whsec_');
    for (const value of texts) {
      if (/[^\x21-\x7e]/.test(value) || value.length > 1_000) continue;
      const responses = await Promise.all(
        [value, `svc_test_${value}`].map((key) => get('/v1/me', { 'x-api-key': key })),
      );
      for (const response of responses) expect(response.status).toBe(401);
    }
  });
});

function collect(value: unknown, into: Set<string>): void {
  if (Buffer.isBuffer(value)) {
    for (const encoding of ['hex', 'base64', 'base64url', 'latin1'] as const)
      into.add(value.toString(encoding));
  } else if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) collect(member, into);
  } else if (typeof value === 'string') into.add(value);
}

describe('A15: a credential that was revoked', () => {
  it('is rejected from the next request on', async () => {
    const { id, key } = await owner.requireData('POST', '/v1/api-keys', { name: 'short-lived' });
    const headers = { 'x-api-key': key as string };
    expect((await get('/v1/me', headers)).status).toBe(200);
    await owner.requireData('DELETE', `/v1/api-keys/${id}`);
    expect(statusAndCode(await get('/v1/me', headers))).toEqual({ status: 401, code: 'invalid_api_key' });
  });
});

describe('A16: credentials of two kinds', () => {
  it('are checked only by the signature, if one is present', async () => {
    const key = owner.keyOf('READ');
    const valid = await get('/v1/api-keys', { ...sign('/v1/api-keys'), 'x-api-key': key });
    expect(valid.status).toBe(200);
    const invalid = { ...sign('/v1/me'), 'x-svc-sig': hex(1n) + hex(1n) };
    expect(statusAndCode(await get('/v1/me', { ...invalid, 'x-api-key': key }))).toEqual({
      status: 401,
      code: 'invalid_signature',
    });
    const onlyNonce = { 'x-svc-nonce': '0'.repeat(32), 'x-api-key': key };
    expect(statusAndCode(await get('/v1/me', onlyNonce))).toEqual({
      status: 401,
      code: 'invalid_signature_headers',
    });
  });
});

describe('T5: a body nested 100,000 deep', () => {
  it('is rejected, and the process survives', async () => {
    const body = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const headers = { 'x-api-key': owner.keyOf('ADMIN'), 'content-type': 'application/json' };
    const response = await send(environment.api, 'POST', '/v1/api-keys', { body, headers });
    expect(statusAndCode(response)).toEqual({ status: 400, code: 'malformed_json' });
    expect((await get('/v1/health', {})).status).toBe(200);
  });
});

describe('T12: SQL injection', () => {
  const PAYLOADS = [
    "' OR '1'='1",
    '1; DROP TABLE users',
    "') UNION SELECT hash FROM api_keys --",
    "1' AND pg_sleep(5)--",
  ];
  it.each(PAYLOADS)('by a list parameter with the value %s has no effect', async (payload) => {
    const value = encodeURIComponent(payload);
    for (const name of ['sort', 'order', 'status', 'side', 'limit', 'offset', 'cursor', 'include'])
      expect(statusAndCode(await owner.call('GET', `/v1/trades?${name}=${value}`))).toEqual({
        status: 400,
        code: 'invalid_query',
      });
    for (const name of ['exchange_account_id', 'strategy_id'])
      expect((await owner.call('GET', `/v1/trades?${name}=${value}`)).status).toBe(404);
    const { json } = await owner.call('GET', `/v1/trade-pairs?exchange=${value}`);
    expect(json.data).toEqual([]);
  });
});
