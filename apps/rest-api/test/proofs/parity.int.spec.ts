/** Compares the published endpoint tables with the served routes, the reference and the permissions. */
import { readFileSync } from 'node:fs';
import { OPERATIONS } from '@trading-automation/contracts';
import { send } from '../send.js';
import { startTestRestApi, type TestRestApi } from '../test-rest-api.js';

interface Published {
  readonly method: string;
  /** The path, with each parameter written as `:`. */
  readonly path: string;
  readonly isPublic: boolean;
}

/** The one endpoint whose method the published tables leave open. */
const DECIDED_METHODS: Readonly<Record<string, string>> = { '/v1/auth/cli-identity': 'POST' };
const PERMISSION = /^(?:READ|TRADE|WITHDRAW|ADMIN)$/;

const tables = readFileSync(new URL('published-endpoints.md', import.meta.url), 'utf8');
const published: Published[] = [...tables.matchAll(/^\| (.+?)\s+\| `(\S+)`\s+\| (\w*)\s*\|$/gm)].map(
  ([, method = '', path = '', mark]) => ({
    method: DECIDED_METHODS[path] ?? method,
    path: path.replace(/<\w+>/g, ':'),
    isPublic: mark === 'public',
  }),
);
const shapeOf = (path: string) => path.replace(/:\w+/g, ':');
const named = published.map((entry) => [`${entry.method} ${entry.path}`, entry] as const);

let api: TestRestApi;
let described: Record<string, Record<string, { 'x-permission'?: string }>>;
beforeAll(async () => {
  api = await startTestRestApi();
  const { status, text } = await send(api, 'GET', '/openapi.json');
  expect(status).toBe(200);
  const paths = JSON.parse(text).paths as Record<string, (typeof described)[string]>;
  described = Object.fromEntries(
    Object.entries(paths).map(([path, entry]) => [path.replace(/\{\w+\}/g, ':'), entry]),
  );
});
afterAll(() => api?.close());

it('the tables were read completely', () => {
  const rows = tables.split('\n').filter((line) => line.includes('`/v1/'));
  expect(published).toHaveLength(rows.length);
  expect(published.length).toBeGreaterThan(60);
  for (const { method } of published) expect(method).toMatch(/^(?:GET|POST|PUT|PATCH|DELETE)$/);
});

describe.each(named)('%s', (_name, { method, path, isPublic }) => {
  const target = path.replaceAll(':', 'some-id');

  it('is an operation with a permission, or is public if the tables mark it so', () => {
    const found = OPERATIONS.filter((one) => one.method === method && shapeOf(one.path) === path);
    expect(found).toHaveLength(1);
    const { access } = found[0]!;
    if (isPublic) expect(access).toBe('PUBLIC');
    else if (path === '/v1/auth/cli-identity') expect(access).toBe('CHALLENGE');
    else expect(access).toMatch(PERMISSION);
  });

  it.each([target, target.slice('/v1'.length)])('is routed at %s', async (at) => {
    const { status, json } = await send(api, method, at);
    expect(json.error?.code).not.toBe('route_not_found');
    expect(json.error?.code).not.toBe('method_not_allowed');
    expect(status).toBe(isPublic ? 200 : path === '/v1/auth/cli-identity' ? 422 : 401);
  });

  it('is described with the same permission', () => {
    const operation = OPERATIONS.find((one) => one.method === method && shapeOf(one.path) === path);
    expect(described[path]?.[method.toLowerCase()]?.['x-permission']).toBe(operation?.access);
  });
});
