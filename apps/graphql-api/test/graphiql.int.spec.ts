import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify from 'fastify';
import { TestEnvironment } from '../../rest-api/test/proofs/test-environment.js';
import { sendGraphiql, serveGraphiqlAssets } from '../src/server/graphiql.js';
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

const ENTRIES = ['page.js', 'page.css', 'editor.worker.js', 'graphql.worker.js', 'json.worker.js'].map(
  (name) => `/graphiql/${name}`,
);

/** Returns the page. Fails with the response, which says how to build the page if it is missing. */
async function fetchPage() {
  const response = await fetch(`${development.url}/graphql`, { headers: { accept: 'text/html,*/*;q=0.8' } });
  const text = await response.text();
  if (response.status !== 200) throw new Error(text);
  return { headers: response.headers, text };
}

/** Matches what a page or a script loads from the server; fonts and icons are data URLs. */
const REFERENCES = [/(?:src|href)="([\w./-]+)"/g, /\b(?:from|import)\s*\(?"(\.[\w./-]+\.js)"/g];

/** Returns the paths that the text of a file refers to. */
const referencesIn = (text: string, path: string) =>
  REFERENCES.flatMap((pattern) => [...text.matchAll(pattern)]).map(
    ([, reference]) => new URL(reference!, development.url + path).pathname,
  );

describe('GraphiQL', () => {
  it('is served only if enabled', async () => {
    const response = await fetch(`${api.url}/graphql`, { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect(response.headers.get('content-type')).toContain('application/json');
    for (const asset of ENTRIES) {
      const statuses = [api, development].map(async ({ url }) => (await fetch(url + asset)).status);
      expect([asset, ...(await Promise.all(statuses))]).toEqual([asset, 404, 200]);
    }
  });

  it('is a page that can load assets only from its own origin', async () => {
    const { headers, text } = await fetchPage();
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = headers.get('content-security-policy');
    for (const directive of ["default-src 'none'", "script-src 'self'", "worker-src 'self'"])
      expect(policy?.split('; ')).toContain(directive);
    expect(policy).not.toContain('unsafe-eval');
    expect(text).not.toMatch(/https?:/);
  });

  it('has every file that its page, scripts and workers load', async () => {
    const { text } = await fetchPage();
    const pending = [...referencesIn(text, '/graphql'), ...ENTRIES];
    const seen = new Set<string>();
    for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
      if (seen.has(path)) continue;
      seen.add(path);
      expect(path).toMatch(/^\/graphiql\/[^/]+$/);
      const response = await fetch(development.url + path);
      const type = path.endsWith('.css') ? 'text/css' : 'text/javascript';
      expect([path, response.status]).toEqual([path, 200]);
      expect(response.headers.get('content-type')).toBe(`${type}; charset=utf-8`);
      expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
      pending.push(...referencesIn(await response.text(), path));
    }
    expect(seen.size).toBeGreaterThan(10);
  });

  it('serves no other file', async () => {
    for (const path of [
      '',
      'none.js',
      'index.html',
      '../main.js',
      '%2e%2e/main.js',
      '%2e%2e%2fmain.js',
      '..%5cmain.js',
      'page.js%00',
      '.tsbuildinfo',
    ])
      expect([path, (await fetch(`${development.url}/graphiql/${path}`)).status]).toEqual([path, 404]);
  });

  it('allows browsers to keep a file only if its name contains the hash of its content', async () => {
    const script = await fetch(`${development.url}/graphiql/page.js`);
    expect(script.headers.get('cache-control')).toBe('no-store');
    const [chunk] = referencesIn(await script.text(), '/graphiql/page.js');
    const { headers } = await fetch(`${development.url}${chunk}`);
    expect(headers.get('cache-control')).toBe('max-age=31536000, immutable');
  });

  it('says how to build the page if it is missing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'graphiql-spec-'));
    const server = fastify();
    serveGraphiqlAssets(server, folder);
    server.get('/graphql', async (request, reply) => {
      await sendGraphiql(request, reply, folder);
      return reply;
    });
    const page = await server.inject({ url: '/graphql', headers: { accept: 'text/html' } });
    expect([page.statusCode, page.body]).toEqual([503, expect.stringContaining('npm run build')]);
    expect((await server.inject('/graphiql/page.js')).statusCode).toBe(404);
    await server.close();
    rmSync(folder, { recursive: true });
  });

  it('does not affect operations', async () => {
    const response = await fetch(`${development.url}/graphql?query={health{status}}`, {
      headers: { accept: 'application/json' },
    });
    expect(await response.json()).toEqual({ data: { health: { status: 'ok' } } });
  });
});
