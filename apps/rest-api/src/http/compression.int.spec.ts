/** Tests gzip, entity tags and their limits over the real API, which has records, lists and secrets. */
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { signRequest } from '@trading-automation/signed-request';
import { JSON_TYPE } from '../../test/send.js';
import { type KeyPair, openAccount, startTestRestApi, type TestRestApi } from '../../test/test-rest-api.js';

let api: TestRestApi;
let owner: KeyPair;
beforeAll(async () => {
  api = await startTestRestApi();
  owner = await openAccount(api);
});
afterAll(() => api.close());

interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}

/** Sends a signed request and returns the bytes of the body as they were sent. */
function call(
  method: string,
  target: string,
  { headers = {}, body }: { headers?: Readonly<Record<string, string>>; body?: string } = {},
): Promise<RawResponse> {
  const signature = signRequest({
    method,
    path: target,
    privateKey: owner.privateKey,
    ...(body === undefined ? {} : { body }),
  });
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port: api.port,
        method,
        path: target,
        agent: false,
        headers: { ...signature, ...(body === undefined ? {} : JSON_TYPE), ...headers },
      },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part) => parts.push(part));
        response.on('end', () =>
          resolve({ status: response.statusCode!, headers: response.headers, bytes: Buffer.concat(parts) }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const GZIP = { 'accept-encoding': 'gzip, deflate, br' };

describe('a response over 1 KiB', () => {
  const LONG = { body: JSON.stringify({ value: 'x'.repeat(1_100) }) };

  it('is compressed if the client accepts gzip, with the same content', async () => {
    await call('PUT', '/v1/settings/long', LONG);
    const plain = await call('GET', '/v1/settings/long');
    const zipped = await call('GET', '/v1/settings/long', { headers: GZIP });
    expect([plain.headers['content-encoding'], zipped.headers['content-encoding']]).toEqual([
      undefined,
      'gzip',
    ]);
    expect(zipped.bytes.length).toBeLessThan(plain.bytes.length / 2);
    expect(gunzipSync(zipped.bytes).toString()).toBe(plain.bytes.toString());
    expect([plain.headers.vary, zipped.headers.vary]).toEqual(['Accept-Encoding', 'Accept-Encoding']);
    expect(Number(zipped.headers['content-length'])).toBe(zipped.bytes.length);
  });

  it.each(['identity', 'br', 'gzip;q=0', 'gzip;q=0.0, *', '*;q=0', ''])(
    'is not compressed for Accept-Encoding: %s',
    async (accepted) => {
      await call('PUT', '/v1/settings/long', LONG);
      const { headers, bytes } = await call('GET', '/v1/settings/long', {
        headers: { 'accept-encoding': accepted },
      });
      expect(headers['content-encoding']).toBeUndefined();
      expect(JSON.parse(bytes.toString())).toMatchObject({ success: true });
    },
  );

  it.each(['GZIP', '*', 'br;q=1, gzip;q=0.1', 'x-gzip'])(
    'is compressed for Accept-Encoding: %s',
    async (accepted) => {
      await call('PUT', '/v1/settings/long', LONG);
      const { headers } = await call('GET', '/v1/settings/long', {
        headers: { 'accept-encoding': accepted },
      });
      expect(headers['content-encoding']).toBe('gzip');
    },
  );

  it('is not compressed if it contains a new secret, also when it is replayed', async () => {
    const body = JSON.stringify({
      name: 'x'.repeat(100),
      ip_allowlist: Array.from({ length: 90 }, (_, n) => `2001:db8::${n}`),
    });
    const headers = { ...GZIP, 'idempotency-key': 'secret' };
    for (const replayed of [undefined, 'true']) {
      const created = await call('POST', '/v1/api-keys', { body, headers });
      expect([created.status, created.headers['idempotency-replayed']]).toEqual([201, replayed]);
      expect(created.bytes.length).toBeGreaterThan(1_024);
      expect([created.headers['content-encoding'], created.headers.vary, created.headers.etag]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
    }
  });
});

it('a response of up to 1 KiB is not compressed and does not vary', async () => {
  const { headers } = await call('GET', '/v1/me', { headers: GZIP });
  expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined]);
});

describe('a single record', () => {
  it('is 304 for If-None-Match with its weak ETag, in either coding, with the rate-limit headers', async () => {
    await call('PUT', '/v1/settings/big', { body: JSON.stringify({ value: 'y'.repeat(2_000) }) });
    const plain = await call('GET', '/v1/settings/big');
    const zipped = await call('GET', '/v1/settings/big', { headers: GZIP });
    const etag = String(plain.headers.etag);
    expect(etag).toMatch(/^W\/"[\w-]{22}"$/);
    expect(zipped.headers.etag).toBe(etag);
    for (const candidate of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
      const unchanged = await call('GET', '/v1/settings/big', {
        headers: { ...GZIP, 'if-none-match': candidate },
      });
      expect([unchanged.status, unchanged.bytes.length]).toEqual([304, 0]);
      expect(unchanged.headers).toMatchObject({
        etag,
        vary: 'Accept-Encoding',
        ratelimit: expect.any(String),
        'ratelimit-policy': expect.any(String),
        'x-request-id': expect.any(String),
      });
      expect(unchanged.headers['content-type']).toBeUndefined();
    }
  });

  it('is sent again once it has changed, and in another decimal mode', async () => {
    await call('PUT', '/v1/settings/small', { body: '{"value":1}' });
    const { headers } = await call('GET', '/v1/settings/small');
    await call('PUT', '/v1/settings/small', { body: '{"value":2}' });
    const changed = await call('GET', '/v1/settings/small', {
      headers: { 'if-none-match': String(headers.etag) },
    });
    expect(changed.status).toBe(200);
    expect(changed.headers.etag).not.toBe(headers.etag);
    const head = await call('HEAD', '/v1/settings/small', {
      headers: { 'if-none-match': String(changed.headers.etag) },
    });
    expect(head.status).toBe(304);
  });

  it.each([
    ['a list', 'GET', '/v1/settings'],
    ['a public record', 'GET', '/v1/version'],
    ['an error', 'GET', '/v1/settings/none'],
  ])('has an ETag, but %s has none', async (_kind, method, target) => {
    const { headers, status } = await call(method, target, { headers: { 'if-none-match': '*' } });
    expect([headers.etag, status === 304]).toEqual([undefined, false]);
  });
});

describe('a signed request', () => {
  const signedAs = (signedTarget: string) =>
    signRequest({ method: 'GET', path: signedTarget, privateKey: owner.privateKey });
  const get = (target: string, signedTarget: string) =>
    new Promise<number>((resolve, reject) => {
      request(
        { host: '127.0.0.1', port: api.port, path: target, agent: false, headers: signedAs(signedTarget) },
        (response) => {
          response.resume();
          resolve(response.statusCode!);
        },
      )
        .on('error', reject)
        .end();
    });

  it.each(['http://api.example.com/v1/me', '/v1/%6de', '/%6de?'])(
    'to %s is accepted if this target was signed, and refused if its normal form was',
    async (target) => {
      expect(await get(target, target)).toBe(200);
      expect(await get(target, '/v1/me')).toBe(401);
      expect(await get('/v1/me', target)).toBe(401);
    },
  );
});
