/** Attacks on the dashboard's server, by a browser and by raw requests. */
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, request as send } from 'node:http';
import { join } from 'node:path';
import { openTrader } from '../accounts.mjs';
import { startProduct } from '../product.mjs';
import { openBrowser, signInByApiKey } from './browser.mjs';

const statics = join(import.meta.dirname, '..', '..', '..', 'apps', 'dashboard', '.next', 'static');
const CANARY = 'canary-of-the-session-keys';

/** @type {import('../product.mjs').Product} */
let product;
/** @type {import('./browser.mjs').Browser} */
let browser;
/** @type {Awaited<ReturnType<typeof openTrader>>} */
let trader;
let apiKey = '';
let base = '';
/** The cookie header of a signed-in browser. */
let cookie = '';
beforeAll(async () => {
  const keys = `${CANARY}:${'5'.repeat(64)}`;
  product = await startProduct({
    graphqlApis: 1,
    hasDashboard: true,
    extraEnv: { dashboard: { SESSION_KEYS: keys } },
  });
  base = product.urlOf('dashboard');
  browser = await openBrowser(base);
  trader = await openTrader(product, 'dashboard security');
  ({ key: apiKey } = await trader.api.apiKeys.create({ name: 'pasted', permissions: ['ADMIN'] }));
  cookie = await signIn();
}, 90_000);
afterAll(async () => {
  await browser?.close();
  await product?.stop();
}, 60_000);

/**
 * Sends a request with headers that fetch would not send.
 *
 * @param {string} path
 * @param {{ method?: string, headers?: Record<string, string>, body?: string }} [options]
 * @returns {Promise<{ status: number, headers: import('node:http').IncomingHttpHeaders, body: string }>}
 */
function raw(path, { method = 'GET', headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base);
    // Not by URL, which would bring the path to normal form.
    const outgoing = send({ hostname, port, path, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

/** Signs in and returns the cookie header. @param {Record<string, string>} [headers] */
async function signIn(headers = {}) {
  const response = await raw('/api/session/api-key', {
    method: 'POST',
    headers: { origin: base, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ api_key: apiKey }),
  });
  expect(response.status).toBe(200);
  return (response.headers['set-cookie'] ?? [])
    .filter((value) => value.startsWith('session='))
    .map((value) => value.split(';')[0])
    .join('; ');
}

describe('every page', () => {
  it.each(['/', '/sign-in', '/trades', '/no-such-page'])(
    '%s has a policy with its own nonce',
    async (path) => {
      const [first, second] = await Promise.all([
        raw(path, { headers: { cookie } }),
        raw(path, { headers: { cookie } }),
      ]);
      const policy = String(first.headers['content-security-policy']);
      const nonceOf = (/** @type {unknown} */ text) => /'nonce-([^']+)'/.exec(String(text))?.[1];
      expect(nonceOf(policy)).toMatch(/^[A-Za-z0-9+/]{22}==$/);
      expect(nonceOf(policy)).not.toBe(nonceOf(second.headers['content-security-policy']));
      expect(policy).toContain("default-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("object-src 'none'");
      expect(policy).toContain("base-uri 'none'");
      expect(/script-src ([^;]+)/.exec(policy)?.[1]).not.toMatch(/unsafe-(?:eval|inline)/);
      expect(first.headers['x-frame-options']).toBe('DENY');
      expect(first.headers['x-content-type-options']).toBe('nosniff');
      expect(first.headers['referrer-policy']).toBe('no-referrer');
      // JSON never runs.
      const scripts = [
        ...first.body.matchAll(/<script(?![^>]*\bsrc=)(?! type="application\/json")([^>]*)>/g),
      ].map(([, attributes]) => attributes);
      expect(scripts.filter((attributes) => !attributes.includes(`nonce="${nonceOf(policy)}"`))).toEqual([]);
    },
  );

  it('cannot be framed by another page', async () => {
    // Of the same machine, because browsers keep pages of other networks from framing a loopback address anyway.
    const attacker = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<iframe src="${base}/sign-in"></iframe>`);
    }).listen(0, '127.0.0.1');
    await once(attacker, 'listening');
    const { page, context } = await browser.newPerson();
    const [blocked] = await Promise.all([
      page.waitForEvent('requestfailed'),
      page.goto(`http://127.0.0.1:${attacker.address().port}/`),
    ]);
    const outcome = [blocked.url(), blocked.failure()?.errorText];
    await context.close();
    attacker.close().closeAllConnections();
    expect(outcome).toEqual([`${base}/sign-in`, 'net::ERR_BLOCKED_BY_RESPONSE']);
  });
});

describe('the session cookie', () => {
  it('is sealed, and scripts and other sites cannot use it', async () => {
    const response = await raw('/api/session/api-key', {
      method: 'POST',
      headers: { origin: base, 'content-type': 'application/json' },
      body: JSON.stringify({ api_key: apiKey }),
    });
    const set = (response.headers['set-cookie'] ?? []).find((value) => value.startsWith('session='));
    expect(set).toMatch(/; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200$/);
    expect(response.body).not.toContain('session=');
    const { page, context } = await browser.newPerson();
    await signInByApiKey(page, apiKey);
    // Scripts see only how the person reads numbers and times.
    expect(await page.evaluate(() => document.cookie)).toMatch(/^reading=[^;]*$/);
    await context.close();
  });

  it('is not accepted if it was changed, made with another key, or made for a sign-in', async () => {
    const changed = `${cookie.slice(0, -3)}AAA`;
    const begun = await raw('/api/session/code', { method: 'POST', headers: { origin: base } });
    const pending = (begun.headers['set-cookie'] ?? []).find((value) => value.startsWith('sign-in='));
    const asSession = String(pending?.split(';')[0]).replace('sign-in=', 'session=');
    for (const value of [changed, asSession, 'session=', 'session=Fe26.2*1*x', 'session=%E0%A4%A']) {
      expect((await raw('/api/live', { headers: { cookie: value } })).status).toBe(401);
      expect((await raw('/api/v1/me', { headers: { cookie: value } })).status).toBe(401);
      expect((await raw('/trades', { headers: { cookie: value } })).headers.location).toBe(
        '/sign-in?return=%2Ftrades',
      );
    }
  });

  it('is new after each sign-in, so that a planted one gives no access', async () => {
    const planted = await signIn();
    const own = await signIn({ cookie: planted });
    expect(own).not.toBe(planted);
    const [a, b] = await Promise.all(
      [planted, own].map(async (value) =>
        JSON.parse((await raw('/api/v1/me', { headers: { cookie: value } })).body),
      ),
    );
    expect(a.data.credential.id).not.toBe(b.data.credential.id);
  });
});

describe('a request that another site causes', () => {
  const routes = [
    ['POST', '/api/v1/trades'],
    ['DELETE', '/api/session'],
    ['POST', '/api/session/api-key'],
    ['POST', '/api/session/code'],
    ['POST', '/api/session/code/poll'],
    ['POST', '/api/session/account'],
    ['POST', '/api/session/account/open'],
    ['POST', '/api/graphql'],
  ];
  it.each(routes)('%s %s is refused', async (method, path) => {
    for (const headers of [
      { origin: 'https://attacker.example' },
      { origin: 'null' },
      { origin: base.replace('127.0.0.1', 'localhost') },
      {},
      { origin: base, 'sec-fetch-site': 'cross-site' },
      { origin: base, 'sec-fetch-site': 'same-site' },
    ]) {
      const body = method === 'DELETE' ? undefined : '{}';
      const response = await raw(path, { method, headers: { cookie, ...headers }, body });
      expect([response.status, response.headers['set-cookie']]).toEqual([403, undefined]);
    }
  });

  it('to read is refused, too', async () => {
    for (const path of ['/api/v1/me', '/api/live'])
      expect((await raw(path, { headers: { cookie, 'sec-fetch-site': 'cross-site' } })).status).toBe(403);
  });

  it('under another host name gets no page and no data', async () => {
    for (const host of ['attacker.example', 'localhost', `127.0.0.1.attacker.example:${new URL(base).port}`])
      expect(await raw('/api/v1/me', { headers: { cookie, host } })).toMatchObject({ status: 421, body: '' });
  });
});

describe('the backend-for-frontend', () => {
  it('passes neither credentials nor addresses that a page names', async () => {
    const other = await openTrader(product, 'dashboard security, other');
    const { key } = await other.api.apiKeys.create({ name: 'other', permissions: ['READ'] });
    const { id } = await trader.api.me.get();
    const headers = {
      cookie,
      'x-api-key': key,
      authorization: `Bearer ${key}`,
      'x-forwarded-for': '203.0.113.9',
      'x-client-address': '203.0.113.9',
      forwarded: 'for=203.0.113.9',
    };
    expect(JSON.parse((await raw('/api/v1/me', { headers })).body).data.id).toBe(id);
    const anonymous = { 'x-api-key': key, authorization: `Bearer ${key}` };
    expect((await raw('/api/v1/me', { headers: anonymous })).status).toBe(401);
    await signIn({ 'x-forwarded-for': '203.0.113.9', 'x-client-address': '203.0.113.9' });
    const { data } = await trader.api.browserSessions.list();
    expect(new Set(data.map(({ address }) => address))).toEqual(new Set(['127.0.0.1']));
  });

  it.each([
    '/api/v1/../../healthz',
    '/api/v1/..%2f..%2fmetrics',
    '/api/v1//127.0.0.1:1/x',
    '/api/v1/@127.0.0.1:1/x',
    '/api/v1/%2e%2e/openapi.json',
    '/api/v1/\\\\127.0.0.1/x',
    '/%61pi/v1/me',
    '/ap%69/v1/me',
    '/api/v1/me/..%2f..%2f..%2fopenapi.json',
  ])('%s reaches nothing outside of /v1', async (path) => {
    const { status, body } = await raw(path, { headers: { cookie } });
    expect(status).toBeGreaterThanOrEqual(300);
    expect(body).not.toMatch(/"openapi":|"credential":|process_cpu|^ok$/);
  });

  it('leads only to pages of the dashboard after a sign-in', async () => {
    for (const wanted of [
      'https://attacker.example',
      '//attacker.example',
      '/\\attacker.example',
      'javascript:alert(1)',
      '/api/session',
      '/%09/attacker.example',
    ]) {
      const path = `/sign-in?return=${encodeURIComponent(wanted)}`;
      const { headers } = await raw(path, { headers: { cookie } });
      expect(new URL(String(headers.location), base).origin).toBe(base);
      expect(headers.location).not.toMatch(/^\/[/\\]|api\/session/);
    }
  });
});

describe('secrets', () => {
  it('are in no script, page, URL or log line', async () => {
    const files = readdirSync(statics, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const sources = files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
    const paths = ['/', '/trades', '/sign-in', '/settings/sessions', '/developers/graphql', '/no-such-page'];
    const pages = await Promise.all(
      // A page as a document, and the data of the same page when the browser is on another one.
      paths.flatMap((path) =>
        [{}, { rsc: '1' }].map(async (more) => (await raw(path, { headers: { cookie, ...more } })).body),
      ),
    );
    pages.push((await raw('/sign-in')).body, (await raw('/api/v1/me', { headers: { cookie } })).body);
    const secrets = [
      CANARY,
      '5'.repeat(64),
      apiKey,
      cookie.slice('session='.length),
      'SESSION_KEYS',
      'DEMO_API_KEY',
    ];
    expect(files.length).toBeGreaterThan(10);
    for (const secret of secrets) {
      expect(sources.filter((text) => text.includes(secret))).toEqual([]);
      expect(pages.filter((text) => text.includes(secret))).toEqual([]);
    }
    const logged = product.lines.filter((line) =>
      secrets.slice(0, 4).some((secret) => line.includes(secret)),
    );
    expect(logged).toEqual([]);
  });
});
