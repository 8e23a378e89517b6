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

const page = (of: TestGraphqlApi) =>
  fetch(`${of.url}/graphql`, { headers: { accept: 'text/html,*/*;q=0.8' } });

describe('GraphiQL', () => {
  it('is served only if enabled', async () => {
    const [answer, asset] = [await page(api), await fetch(`${api.url}/graphiql/graphiql.js`)];
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(asset.status).toBe(404);
  });

  it('is a page that can load assets only from its own origin', async () => {
    const answer = await page(development);
    const text = await answer.text();
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'");
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
    const answer = await fetch(`${development.url}/graphql?query={health{status}}`, {
      headers: { accept: 'application/json' },
    });
    expect(await answer.json()).toEqual({ data: { health: { status: 'ok' } } });
  });
});
