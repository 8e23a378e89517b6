import { readFileSync } from 'node:fs';
import { EVENT_TYPES, OPERATIONS, REST_ERRORS } from '@trading-automation/contracts';
import { startTestRestApi, type TestRestApi } from '../../test/test-rest-api.js';

const PAGES = ['/docs', '/openapi.json', '/llms.txt'];

let api: TestRestApi;
beforeAll(async () => {
  api = await startTestRestApi();
});
afterAll(() => api.close());

interface TextResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Sends a request. The body of the response is not parsed, because the pages have different media types. */
async function send(to: TestRestApi, method: string, path: string, headers = {}): Promise<TextResponse> {
  const response = await fetch(to.url + path, {
    method,
    headers: { 'accept-encoding': 'identity', ...headers },
    ...(method === 'POST' ? { body: '{}' } : {}),
  });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text: await response.text(),
  };
}

const get = (path: string, headers = {}) => send(api, 'GET', path, headers);
const codeOf = ({ text }: TextResponse) => JSON.parse(text).error.code;

/** Returns the paths of the scripts that the page `/docs` loads. */
async function scriptPaths(): Promise<string[]> {
  const { text } = await get('/docs');
  return [...text.matchAll(/<script src="([^"]+)"/g)].map(([, path]) => path!);
}

describe('the reference', () => {
  it('serves the committed document, byte for byte', async () => {
    const { status, headers, text } = await get('/openapi.json');
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(text).toBe(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'));
  });

  it('has a page that loads files only from this server, as its content security policy enforces', async () => {
    const { status, headers, text } = await get('/docs');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).not.toMatch(/https?:|["'(]\/\//);
    const scripts = await scriptPaths();
    expect(scripts).toHaveLength(2);
    for (const path of scripts) expect((await get(path)).status).toBe(200);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("connect-src 'self';");
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
  });

  it('starts its viewer without external fonts and without telemetry', async () => {
    const [, start] = await scriptPaths();
    const { text } = await get(start!);
    expect(text).toContain('"withDefaultFonts":false');
    expect(text).toContain('"telemetry":false');
    expect(text).not.toMatch(/https?:/);
  });

  it('has a plain-text page with every operation, event type and error code', async () => {
    const { status, headers, text } = await get('/llms.txt');
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    for (const { method, path, access } of OPERATIONS) {
      expect(text).toContain(`[${method} ${path}]`);
      expect(text).toContain(`(${access})`);
    }
    for (const word of [...EVENT_TYPES, ...Object.keys(REST_ERRORS)]) expect(text).toContain(word);
  });

  it.each(PAGES)(
    'returns %s with the security headers and the request id that every response has',
    async (path) => {
      const { headers } = await get(path, { 'x-request-id': 'mine-1' });
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['x-frame-options']).toBe('DENY');
      expect(headers['x-request-id']).toBe('mine-1');
    },
  );

  it.each(PAGES)('returns 304 for %s to a client that has the current version', async (path) => {
    const first = await get(path);
    const again = await get(path, { 'if-none-match': first.headers.etag });
    expect([again.status, again.text]).toEqual([304, '']);
    expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('compresses a page for clients that accept gzip; the compressed page has another ETag', async () => {
    const plain = await get('/openapi.json');
    const zipped = await get('/openapi.json', { 'accept-encoding': 'br, gzip' });
    expect([plain.headers['content-encoding'], zipped.headers['content-encoding']]).toEqual([
      undefined,
      'gzip',
    ]);
    expect(zipped.text).toBe(plain.text);
    expect(zipped.headers.etag).not.toBe(plain.headers.etag);
    const withoutGzip = await get('/openapi.json', { 'accept-encoding': 'gzip;q=0' });
    expect(withoutGzip.headers['content-encoding']).toBeUndefined();
  });

  it('marks the scripts of the page as immutable, because their path contains a hash', async () => {
    for (const path of await scriptPaths()) {
      const { headers } = await get(path);
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    }
    expect((await get('/docs')).headers['cache-control']).toBe('no-cache');
    expect((await get('/docs/assets/0000000000000000/scalar.js')).status).toBe(404);
  });

  it.each(PAGES)('accepts HEAD at %s and rejects other methods', async (path) => {
    const [whole, head, post, options] = [
      await get(path),
      await send(api, 'HEAD', path),
      await send(api, 'POST', path),
      await send(api, 'OPTIONS', path),
    ];
    expect([head.status, head.text, head.headers['content-length']]).toEqual([
      200,
      '',
      whole.headers['content-length'],
    ]);
    expect([post.status, codeOf(post), post.headers.allow]).toEqual([
      405,
      'method_not_allowed',
      'GET, HEAD, OPTIONS',
    ]);
    expect(options.status).toBe(204);
  });
});

describe('a request for a page of the reference', () => {
  it('counts toward the rate limit of the IP address that sent it', async () => {
    const limited = await startTestRestApi({
      RATE_LIMITS: JSON.stringify({ general: { requests: 3, seconds: 3600 } }),
    });
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) statuses.push((await send(limited, 'GET', '/llms.txt')).status);
    const rejected = await send(limited, 'GET', '/docs');
    await limited.close();
    expect(statuses).toEqual([200, 200, 200, 429]);
    expect([codeOf(rejected), rejected.headers['ratelimit-policy']]).toEqual([
      'rate_limited',
      '"general";q=3;w=3600',
    ]);
    expect(rejected.headers['retry-after']).toBeDefined();
  });
});
