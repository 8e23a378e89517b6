import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCaptured, type TestEnvironment } from '../support/captured-run.js';
import { StubStreamingApi } from './stub-streaming-api.js';

let api: StubStreamingApi;
beforeEach(async () => {
  api = await StubStreamingApi.start();
});
afterEach(() => api.close());

const svc = (argv: readonly string[], testEnvironment: TestEnvironment = {}) =>
  runCaptured(['api', ...argv], {
    variables: { SVC_BASE_URL: api.url, SVC_API_KEY: 'svc_test_key', NO_COLOR: '1' },
    ...testEnvironment,
  });
const bodyOf = (route: string) => JSON.parse(api.requests.find((request) => request.route === route)!.body);

describe('svc api', () => {
  it('prints the response unchanged in a pipe, and indented on a screen', async () => {
    api.on('GET /v1/me', { data: { id: 'usr_1', name: 'a\u0007b' } });
    expect(await svc(['GET', '/v1/me'])).toMatchObject({
      exitCode: 0,
      stdout: '{"success":true,"data":{"id":"usr_1","name":"a\\u0007b"}}\n',
    });
    const screen = await svc(['get', '/v1/me'], { isScreen: true });
    expect(screen.stdout).toContain('\n  "data": {\n    "id": "usr_1",\n');
  });

  it('appends fields of a GET to its query', async () => {
    api.onList('GET /v1/trades', []);
    await svc(['GET', '/v1/trades?limit=1', '-f', 'status=FILLED', '-f', 'side=BUY']);
    expect(api.requests[0]!.url).toBe('/v1/trades?limit=1&status=FILLED&side=BUY');
    expect(api.requests[0]!.body).toBe('');
  });

  it('builds the body of other methods from fields, with nested fields and without loss of digits', async () => {
    api.on('POST /v1/copiers', { data: {} });
    const fields = [
      'name=my copier',
      'sizing.mode=FIXED_QUOTE',
      'sizing.value=0.123456789012345678',
      'limits={"a":1.5}',
      'on=true',
    ];
    await svc(['POST', '/v1/copiers', ...fields.flatMap((field) => ['-f', field])]);
    expect(bodyOf('POST /v1/copiers')).toEqual({
      name: 'my copier',
      sizing: { mode: 'FIXED_QUOTE', value: '0.123456789012345678' },
      limits: { a: 1.5 },
      on: true,
    });
  });

  it('reads the body from a file or from stdin, without loss of digits', async () => {
    api.on('PUT /v1/settings/a', { data: {} }).on('PATCH /v1/me', { data: {} });
    const file = join(mkdtempSync(join(tmpdir(), 'svc-test-')), 'body.json');
    writeFileSync(file, '{"value":0.123456789012345678}');
    expect((await svc(['PUT', '/v1/settings/a', '--input', file])).exitCode).toBe(0);
    expect(bodyOf('PUT /v1/settings/a')).toEqual({ value: '0.123456789012345678' });
    await svc(['PATCH', '/v1/me', '--input', '-'], { stdin: '{"email":"a@example.com"}' });
    expect(bodyOf('PATCH /v1/me')).toEqual({ email: 'a@example.com' });
  });

  it('prints all pages of a list as one array, up to --limit items', async () => {
    api.on('GET /v1/trades', ({ url }) => {
      const search = new URL(url, api.url).searchParams;
      const page = Number(search.get('cursor') ?? 0);
      return {
        data: [{ id: `trd_${2 * page}` }, { id: `trd_${2 * page + 1}` }],
        pagination: { has_more: page < 2, next_cursor: page < 2 ? String(page + 1) : null },
      };
    });
    const allPages = await svc(['GET', '/v1/trades?side=BUY&offset=0', '--paginate']);
    expect(JSON.parse(allPages.stdout).map(({ id }: { id: string }) => id)).toEqual(
      [0, 1, 2, 3, 4, 5].map((i) => `trd_${i}`),
    );
    expect(api.requests.map(({ url }) => url)).toEqual([
      '/v1/trades?side=BUY&offset=0',
      '/v1/trades?side=BUY&cursor=1',
      '/v1/trades?side=BUY&cursor=2',
    ]);
    api.requests.length = 0;
    const limited = await svc(['GET', '/v1/trades', '--paginate', '--limit', '3', '--jq', '.[].id']);
    expect([limited.stdout, api.requests.length]).toEqual(['trd_0\ntrd_1\ntrd_2\n', 2]);
  });

  it('also prints status and headers with --include', async () => {
    api.on('GET /v1/me', { data: {} });
    const { stdout } = await svc(['GET', '/v1/me', '--include']);
    expect(stdout).toMatch(/^HTTP 200\n(?:[\w-]+: .*\n)*x-request-id: req_test\n(?:[\w-]+: .*\n)*\n\{/);
  });

  it.each([
    [['FETCH', '/v1/me']],
    [['GET', 'v1/me']],
    [['GET', '/v1/me', '--input', '-']],
    [['POST', '/v1/x', '--input', '-', '-f', 'a=1']],
    [['POST', '/v1/x', '--input', '/nowhere.json']],
    [['POST', '/v1/x', '--paginate']],
    [['POST', '/v1/x', '-f', 'a']],
    [['POST', '/v1/x', '-f', 'a=1', '-f', 'a.b=1']],
  ])('rejects %j before a request is sent', async (argv) => {
    const { exitCode } = await svc(argv, { stdin: '{}' });
    expect([exitCode, api.requests]).toEqual([2, []]);
  });

  it('rejects a body that is not JSON, and --paginate for a response that is not a list', async () => {
    expect(await svc(['POST', '/v1/x', '--input', '-'], { stdin: '{"a":' })).toMatchObject({ exitCode: 2 });
    api.on('GET /v1/me', { data: {} });
    expect(await svc(['GET', '/v1/me', '--paginate'])).toMatchObject({ exitCode: 2 });
  });

  it.each([
    [404, 'not_found', 3],
    [403, 'permission_denied', 4],
    [422, 'validation_failed', 2],
  ])('after the API error %i %s ends with exit code %i', async (status, code, expectedExitCode) => {
    api.on('GET /v1/x', { status, code });
    const { exitCode, stderr } = await svc(['GET', '/v1/x']);
    expect([exitCode, stderr]).toEqual([expectedExitCode, expect.stringContaining(`(${code})`)]);
  });
});
