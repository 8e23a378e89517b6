/** Compares the tables in published-endpoints.md with the contract, the served routes and the reference. */
import { readFileSync } from 'node:fs';
import { OPERATIONS } from '@trading-automation/contracts';
import { send } from '../send.js';
import { startTestRestApi, type TestRestApi } from '../test-rest-api.js';

interface PublishedEndpoint {
  readonly method: string;
  /** The path, with each parameter written as `:`. */
  readonly path: string;
  readonly isPublic: boolean;
}

/** The method of the only endpoint for which the tables show none. */
const MISSING_METHODS: Readonly<Record<string, string>> = { '/v1/auth/cli-identity': 'POST' };
const PERMISSION = /^(?:READ|TRADE|WITHDRAW|ADMIN)$/;

const tables = readFileSync(new URL('published-endpoints.md', import.meta.url), 'utf8');
const published: PublishedEndpoint[] = [...tables.matchAll(/^\| (.+?)\s+\| `(\S+)`\s+\| (\w*)\s*\|$/gm)].map(
  ([, method = '', path = '', mark]) => ({
    method: MISSING_METHODS[path] ?? method,
    path: path.replace(/<\w+>/g, ':'),
    isPublic: mark === 'public',
  }),
);
/** Returns the path with each parameter written as `:`. */
const withoutNames = (path: string) => path.replace(/:\w+/g, ':');
const named = published.map((entry) => [`${entry.method} ${entry.path}`, entry] as const);

let api: TestRestApi;
let documented: Record<string, Record<string, { 'x-permission'?: string }>>;
beforeAll(async () => {
  api = await startTestRestApi();
  const { status, text } = await send(api, 'GET', '/openapi.json');
  expect(status).toBe(200);
  const paths = JSON.parse(text).paths as Record<string, (typeof documented)[string]>;
  documented = Object.fromEntries(
    Object.entries(paths).map(([path, entry]) => [path.replace(/\{\w+\}/g, ':'), entry]),
  );
});
afterAll(() => api?.close());

it('this file reads every row of the tables', () => {
  const rows = tables.split('\n').filter((line) => line.includes('`/v1/'));
  expect(published).toHaveLength(rows.length);
  expect(published.length).toBeGreaterThan(60);
  for (const { method } of published) expect(method).toMatch(/^(?:GET|POST|PUT|PATCH|DELETE)$/);
});

describe.each(named)('%s', (_name, { method, path, isPublic }) => {
  const target = path.replaceAll(':', 'some-id');

  it('is an operation of the contract, which requires a permission unless the tables mark it as public', () => {
    const operations = OPERATIONS.filter((one) => one.method === method && withoutNames(one.path) === path);
    expect(operations).toHaveLength(1);
    const { access } = operations[0]!;
    if (isPublic) expect(access).toBe('PUBLIC');
    else if (path === '/v1/auth/cli-identity') expect(access).toBe('CHALLENGE');
    else expect(access).toMatch(PERMISSION);
  });

  it.each([target, target.slice('/v1'.length)])('is served at %s', async (requestTarget) => {
    const { status, json } = await send(api, method, requestTarget);
    expect(json.error?.code).not.toBe('route_not_found');
    expect(json.error?.code).not.toBe('method_not_allowed');
    expect(status).toBe(isPublic ? 200 : path === '/v1/auth/cli-identity' ? 422 : 401);
  });

  it('has the same permission in the reference as in the contract', () => {
    const operation = OPERATIONS.find((one) => one.method === method && withoutNames(one.path) === path);
    expect(documented[path]?.[method.toLowerCase()]?.['x-permission']).toBe(operation?.access);
  });
});
