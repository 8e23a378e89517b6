import { TestEnvironment } from '../../rest-api/test/proofs/test-environment.js';
import { startTestGraphqlApi, type TestGraphqlApi } from './test-graphql-api.js';

let environment: TestEnvironment;
let api: TestGraphqlApi;
let development: TestGraphqlApi;
beforeAll(async () => {
  environment = await TestEnvironment.open();
  api = await startTestGraphqlApi(environment.api.databaseUrl);
  development = await startTestGraphqlApi(environment.api.databaseUrl, { GRAPHIQL: 'true' });
});
afterAll(async () => {
  await Promise.all([api?.close(), development?.close()]);
  await environment?.close();
});

const ASSETS = ['graphiql.js', 'graphiql.css', 'react.js', 'react-dom.js', 'start.js', 'page.css'].map(
  (name) => `/graphiql/${name}`,
);
const MODULES = [
  'signed-request/browser.js',
  'graphql-ws/client.js',
  '@noble/hashes/sha2.js',
  '@noble/secp256k1/index.js',
].map((name) => `/graphiql/modules/${name}`);

const fetchPage = (server: TestGraphqlApi) =>
  fetch(`${server.url}/graphql`, { headers: { accept: 'text/html,*/*;q=0.8' } });

describe('GraphiQL', () => {
  it('is served only if enabled', async () => {
    const response = await fetchPage(api);
    expect(response.headers.get('content-type')).toContain('application/json');
    for (const asset of [...ASSETS, ...MODULES]) {
      const statuses = [api, development].map(async ({ url }) => (await fetch(url + asset)).status);
      expect([asset, ...(await Promise.all(statuses))]).toEqual([asset, 404, 200]);
    }
  });

  it('is a page that can load assets only from its own origin', async () => {
    const response = await fetchPage(development);
    const text = await response.text();
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
    const needed = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path!);
    expect(needed.length).toBeGreaterThan(4);
    for (const path of needed) {
      expect(path).toMatch(/^\/graphiql\//);
      const asset = await fetch(development.url + path);
      expect([path, asset.status, (await asset.text()).length > 100]).toEqual([path, 200, true]);
    }
    expect(text).not.toMatch(/https?:/);
  });

  it('serves modules whose imports a browser can resolve, and no other file', async () => {
    const seen = new Set<string>();
    const pending = MODULES.slice(0, 2);
    for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
      if (seen.has(path)) continue;
      seen.add(path);
      const response = await fetch(development.url + path);
      expect([path, response.status]).toEqual([path, 200]);
      for (const [, target] of (await response.text()).matchAll(
        /^(?:import|export)\b(?:[^'"`;=]*\bfrom)?\s*['"]([^'"]+)['"]/gm,
      )) {
        expect(target).toMatch(/^(?:\.{1,2}\/|\/graphiql\/modules\/)/);
        pending.push(new URL(target!, development.url + path).pathname);
      }
    }
    expect(seen.size).toBeGreaterThan(10);
    for (const path of [
      'signed-request/../package.json',
      'signed-request/%2e%2e/package.json',
      'signed-request/%2e%2e%2fpackage.json',
      'signed-request/browser.d.ts',
      'signed-request/none.js',
      'graphql/index.js',
      '',
    ])
      expect((await fetch(`${development.url}/graphiql/modules/${path}`)).status).toBe(404);
  });

  it('does not affect operations', async () => {
    const response = await fetch(`${development.url}/graphql?query={health{status}}`, {
      headers: { accept: 'application/json' },
    });
    expect(await response.json()).toEqual({ data: { health: { status: 'ok' } } });
  });
});
