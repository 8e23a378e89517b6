import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import { join } from 'node:path';
import { runCaptured } from '../support/captured-run.js';
import { emptyFolder } from '../support/empty-folder.js';
import { StubGraphqlServer } from './stub-graphql-server.js';
import { StubStreamingApi } from './stub-streaming-api.js';

let api: StubStreamingApi;
let graphql: StubGraphqlServer;
let home: string;
beforeEach(async () => {
  api = await StubStreamingApi.start();
  graphql = await StubGraphqlServer.start();
  home = emptyFolder();
  graphql.httpResponse = { data: { health: { status: 'ok' } } };
  api.on('GET /v1/version', { data: { version: '1.2.3', commit: 'abc', api: 'v1', world: 'test' } });
  api.on('GET /v1/me', {
    data: {
      id: 'usr_1',
      world: 'test',
      credential: { kind: 'api_key', id: 'key_1', permissions: ['READ', 'TRADE'] },
    },
  });
});
afterEach(async () => {
  await api.close();
  await graphql.close();
});

const SVC_PRIVATE_KEY = createHash('sha256').update('svc: doctor').digest('hex');
async function doctor(variables: Record<string, string> = { SVC_PRIVATE_KEY }, ...args: string[]) {
  const { exitCode, stdout, stderr } = await runCaptured(['doctor', '--json', ...args], {
    configFolder: home,
    variables: { SVC_BASE_URL: api.url, SVC_GRAPHQL_URL: graphql.url, ...variables },
  });
  const findings: { check: string; status: string; found: string; resolution: string | null }[] =
    JSON.parse(stdout);
  return {
    exitCode,
    stderr,
    findingOf: (check: string) => findings.find((finding) => finding.check === check),
    findings,
  };
}

describe('svc doctor', () => {
  it('passes all checks, and shows the permissions of the credential', async () => {
    const { exitCode, findings, findingOf } = await doctor();
    expect(findings.map(({ check, status }) => `${check} ${status}`)).toEqual([
      'node ok',
      'config ok',
      'secrets ok',
      'name ok',
      'encryption ok',
      'api ok',
      'clock ok',
      'credential ok',
      'graphql ok',
    ]);
    expect(exitCode).toBe(0);
    expect(findingOf('api')!.found).toMatch(/^1\.2\.3, v1, test world, responds in \d+ ms$/);
    expect(findingOf('credential')!.found).toBe(
      'api_key key_1 of usr_1, test world, permissions READ, TRADE',
    );
  });

  it('prints one line per check in a pipe', async () => {
    const { stdout } = await runCaptured(['doctor'], {
      configFolder: home,
      variables: { SVC_BASE_URL: api.url, SVC_GRAPHQL_URL: graphql.url, SVC_PRIVATE_KEY },
    });
    for (const line of stdout.split('\n').slice(0, -1)) expect(line.split('\t')).toHaveLength(4);
  });

  it('fails if the API does not respond, and says what to check', async () => {
    const stoppedServer = createNetServer();
    await new Promise<void>((resolve) => stoppedServer.listen(0, '127.0.0.1', resolve));
    const { port } = stoppedServer.address() as AddressInfo;
    await new Promise((resolve) => stoppedServer.close(resolve));
    const { exitCode, findingOf, findings } = await doctor({ SVC_BASE_URL: `http://127.0.0.1:${port}` });
    expect([exitCode, findingOf('api')]).toEqual([1, expect.objectContaining({ status: 'fail' })]);
    expect(findingOf('api')!.resolution).toContain(`127.0.0.1:${port}`);
    expect(findings.at(-1)!.check).toBe('api');
  });

  it.each([
    ['name', 'https://no-such-host.invalid'],
    ['base url', 'no address'],
  ])('fails the check "%s" if the base URL is "%s"', async (check, SVC_BASE_URL) => {
    const { exitCode, findingOf } = await doctor({ SVC_BASE_URL });
    expect([exitCode, findingOf(check)?.status]).toEqual([1, 'fail']);
  });

  it('fails if the server of an https address has no TLS', async () => {
    const { exitCode, findingOf } = await doctor({ SVC_BASE_URL: api.url.replace('http:', 'https:') });
    expect([exitCode, findingOf('encryption')?.status]).toEqual([1, 'fail']);
  });

  it('fails if no file can be written in the configuration folder, and leaves nothing in one that is fine', async () => {
    expect((await doctor()).findingOf('config')!.status).toBe('ok');
    expect(readdirSync(home)).toEqual([]);
    const { exitCode, findingOf } = await doctor({ SVC_PRIVATE_KEY, SVC_CONFIG_DIR: '/proc/svc' });
    expect([exitCode, findingOf('config')]).toEqual([1, expect.objectContaining({ status: 'fail' })]);
    expect(findingOf('config')!.found).toContain('Cannot create the folder /proc/svc');
    expect(findingOf('config')!.resolution).toContain('SVC_CONFIG_DIR');
  });

  it('fails if other users can read the secrets', async () => {
    const file = join(home, 'credentials.json');
    writeFileSync(file, '{}');
    chmodSync(file, 0o644);
    const exposed = await doctor();
    expect([exposed.exitCode, exposed.findingOf('secrets')]).toEqual([
      1,
      expect.objectContaining({ status: 'fail' }),
    ]);
    expect(exposed.findingOf('secrets')!.resolution).toContain(`chmod 600 ${file}`);
    chmodSync(file, 0o600);
    expect((await doctor()).findingOf('secrets')!.status).toBe('ok');
  });

  it('fails if the secrets cannot be read, and still runs the other checks', async () => {
    const file = join(home, 'credentials.json');
    writeFileSync(join(home, 'config.toml'), '[profiles.default]\ncredential = "api_key"\n');
    writeFileSync(file, '{"default": {', { mode: 0o600 });
    const invalid = await doctor({});
    expect([invalid.exitCode, invalid.findingOf('credential')]).toEqual([
      1,
      expect.objectContaining({ status: 'fail', found: `${file} is not valid JSON.` }),
    ]);
    expect(invalid.findings.at(-1)!.check).toBe('graphql');
    rmSync(file);
    mkdirSync(file, { mode: 0o700 });
    const unreadable = await doctor();
    expect([unreadable.exitCode, unreadable.findingOf('secrets')?.status]).toEqual([1, 'fail']);
    expect(unreadable.findingOf('secrets')!.found).toContain(`Cannot read ${file}`);
    expect(unreadable.findings.at(-1)!.check).toBe('graphql');
  });

  it('fails if the credential is rejected, and warns if it is missing or an API key, which cannot sign', async () => {
    const withApiKey = await doctor({ SVC_API_KEY: 'svc_test_key' });
    expect([withApiKey.exitCode, withApiKey.findingOf('signature')?.status]).toEqual([0, 'warn']);
    const withoutCredential = await doctor({});
    expect([withoutCredential.exitCode, withoutCredential.findingOf('credential')]).toEqual([
      0,
      expect.objectContaining({ status: 'warn' }),
    ]);
    api.on('GET /v1/me', { status: 401, code: 'unknown_public_key' });
    const rejected = await doctor();
    expect([rejected.exitCode, rejected.findingOf('credential')?.found]).toEqual([
      1,
      expect.stringContaining('unknown_public_key'),
    ]);
  });

  it('fails for another API version, and warns if the GraphQL address is not a GraphQL API', async () => {
    api.on('GET /v1/version', { data: { version: '2.0.0', commit: 'abc', api: 'v2', world: 'test' } });
    const { exitCode, findingOf } = await doctor({ SVC_PRIVATE_KEY, SVC_GRAPHQL_URL: graphql.url });
    expect([exitCode, findingOf('api')?.status]).toEqual([1, 'fail']);
    api.on('GET /v1/version', { data: { version: '1.0.0', commit: 'abc', api: 'v1', world: 'test' } });
    graphql.httpResponse = { hello: 'world' };
    expect((await doctor()).findingOf('graphql')?.status).toBe('warn');
  });

  it('prints the canonical string with --debug-signature, but not the private key', async () => {
    const { stderr, exitCode } = await doctor({ SVC_PRIVATE_KEY }, '--debug-signature');
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/GET\n\s+\/v1\/me\n\s+\d{13}\n\s+[0-9a-f]{32}\n\s+[0-9a-f]{64}/);
    expect(stderr).not.toContain(SVC_PRIVATE_KEY);
  });
});
