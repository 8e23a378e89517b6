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

const fetchPage = (server: TestGraphqlApi) =>
  fetch(`${server.url}/graphql`, { headers: { accept: 'text/html,*/*;q=0.8' } });

describe('GraphiQL', () => {
  it('is served only if enabled', async () => {
    const [response, asset] = [await fetchPage(api), await fetch(`${api.url}/graphiql/graphiql.js`)];
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(asset.status).toBe(404);
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

  it('does not affect operations', async () => {
    const response = await fetch(`${development.url}/graphql?query={health{status}}`, {
      headers: { accept: 'application/json' },
    });
    expect(await response.json()).toEqual({ data: { health: { status: 'ok' } } });
  });
});
