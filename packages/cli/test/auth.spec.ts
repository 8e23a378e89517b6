import { createHash, createPublicKey, verify } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runCaptured, type TestEnvironment } from './support/captured-run.js';
import { emptyFolder } from './support/empty-folder.js';
import { expectGolden } from './support/golden.js';
import { type RecordedRequest, StubApi } from './support/stub-api.js';

const CHALLENGE = 'ab'.repeat(32);
/** Derives a private key from a label, so that no key is in the repository. */
const keyOf = (label: string) => createHash('sha256').update(label).digest('hex');
const API_KEY = `svc_test_${keyOf('api').slice(0, 40)}`;

let api: StubApi;
let folder: string;
beforeAll(async () => {
  api = await StubApi.start();
});
beforeEach(() => {
  api.reset();
  folder = emptyFolder();
  api.on('auth.cliChallenge', {
    body: { success: true, data: { challenge: CHALLENGE, expires_at: '2026-01-31T12:00:00.000Z' } },
  });
  api.on('auth.cliIdentity', (request) => ({
    status: 201,
    body: { success: true, data: { id: 'pbk_1', user_id: 'usr_1', pubkey: bodyOf(request).pubkey } },
  }));
  api.on('me.get', meAs('public_key', 'pbk_1'));
});
afterAll(() => api.close());

const meAs = (kind: string, id: string, world = 'test') => ({
  body: { success: true, data: { id: 'usr_1', world, credential: { kind, id, permissions: ['ADMIN'] } } },
});

const bodyOf = ({ body }: RecordedRequest) => body as Readonly<Record<string, string>>;
const svc = (argv: readonly string[], testEnvironment: TestEnvironment = {}) =>
  runCaptured(argv, { configFolder: folder, ...testEnvironment });
const login = (args: readonly string[] = [], testEnvironment: TestEnvironment = {}) =>
  svc(['auth', 'login', '--base-url', api.url, ...args], testEnvironment);
const credentials = () => readFileSync(join(folder, 'credentials.json'), 'utf8');

/** Verifies a signature with Node's crypto, which is not the library that signs. */
function isSignedBy(pubkey: string, message: string, signature: string): boolean {
  const spki = Buffer.concat([
    Buffer.from('3036301006072a8648ce3d020106052b8104000a032200', 'hex'),
    Buffer.from(pubkey, 'hex'),
  ]);
  const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  return verify(
    'sha256',
    Buffer.from(message),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'hex'),
  );
}

it('logs in with a new key pair, without a prompt, if the configuration folder is empty', async () => {
  const { exitCode, stderr } = await login();
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('Logged in to usr_1 (test world)')]);
  const { pubkey, signature, challenge, label } = bodyOf(api.requestsOf('auth.cliIdentity')[0]!);
  expect(isSignedBy(pubkey!, `svc-cli-identity\n${challenge}\n${pubkey}`, signature!)).toBe(true);
  expect(label).not.toBe('');
  expect(statSync(join(folder, 'credentials.json')).mode & 0o777).toBe(0o600);
});

it('signs requests after the login with the stored key', async () => {
  await login();
  api.requests.length = 0;
  expect((await svc(['me', 'get'])).exitCode).toBe(0);
  const { headers, url } = api.requestsOf('me.get')[0]!;
  const canonical = [
    'GET',
    url,
    headers['x-svc-timestamp'],
    headers['x-svc-nonce'],
    createHash('sha256').digest('hex'),
  ];
  expect(
    isSignedBy(String(headers['x-svc-pubkey']), canonical.join('\n'), String(headers['x-svc-sig'])),
  ).toBe(true);
});

it('does not print the private key at login, even with --debug', async () => {
  const { stdout, stderr } = await login(['--debug']);
  const { private_key } = (JSON.parse(credentials()) as { default: { private_key: string } }).default;
  expect(private_key).toMatch(/^[0-9a-f]{64}$/);
  expect(stdout + stderr).not.toContain(private_key);
});

it('reads a private key from stdin', async () => {
  const key = keyOf('imported');
  expect((await login(['--key-stdin'], { stdin: `${key}\n` })).exitCode).toBe(0);
  expect(credentials()).toContain(key);
});

it('rejects an invalid private key without printing it', async () => {
  const { exitCode, stderr } = await login(['--key-stdin'], { stdin: 'not a key at all' });
  expect([exitCode, stderr]).toEqual([2, expect.not.stringContaining('not a key at all')]);
  expect(existsSync(join(folder, 'credentials.json'))).toBe(false);
});

it('links the key pair to the account of an API key, and stores only the key pair', async () => {
  expect((await login([], { variables: { SVC_API_KEY: API_KEY } })).exitCode).toBe(0);
  expect(api.requestsOf('auth.cliIdentity')[0]!.headers['x-api-key']).toBe(API_KEY);
  expect(credentials()).not.toContain(API_KEY);
});

it('stores an API key as the credential with --with-api-key', async () => {
  api.on('me.get', meAs('api_key', 'key_1'));
  expect((await login(['--with-api-key', '--api-key-stdin'], { stdin: API_KEY })).exitCode).toBe(0);
  expect(credentials()).toContain(API_KEY);
  await svc(['trades', 'list']);
  expect(api.requestsOf('trades.list')[0]!.headers['x-api-key']).toBe(API_KEY);
});

it('sends a stored API key only to the address that it was stored for', async () => {
  api.on('me.get', meAs('api_key', 'key_1'));
  await login(['--with-api-key', '--api-key-stdin'], { stdin: API_KEY });
  api.requests.length = 0;
  const otherAddress = api.url.replace('127.0.0.1', 'localhost');
  expect((await svc(['me', 'get', '--base-url', otherAddress])).exitCode).toBe(2);
  expect(api.requests).toHaveLength(0);
});

it('keeps the previous credential if a login is rejected', async () => {
  await login();
  const before = credentials();
  api.respondWithError('auth.cliIdentity', 409, {
    code: 'already_exists',
    message: 'Another account has it.',
  });
  const { exitCode } = await login(['--key-stdin'], { stdin: keyOf('linked to another account') });
  expect(exitCode).toBe(1);
  expect(credentials()).toBe(before);
});

it('stores no key if the first login is rejected', async () => {
  api.respondWithError('auth.cliIdentity', 403, {
    code: 'permission_denied',
    message: 'This deployment does not open accounts.',
  });
  expect((await login()).exitCode).toBe(4);
  expect(credentials()).toBe('{}\n');
  expect((await svc(['me', 'get', '--base-url', api.url])).exitCode).toBe(4);
});

it('rejects a second login, which would open a second account', async () => {
  await login();
  const { exitCode, stderr } = await login();
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('already logged in')]);
  expect(api.requestsOf('auth.cliIdentity')).toHaveLength(1);
});

it('stores a separate key for each profile', async () => {
  await login(['--profile', 'one']);
  await login(['--profile', 'two']);
  const table = JSON.parse(credentials()) as Record<string, { private_key: string }>;
  expect(table.one!.private_key).not.toBe(table.two!.private_key);
  const { stdout } = await svc(['profile', 'list', '--json', 'name,is_used,world']);
  expect(JSON.parse(stdout)).toEqual([
    { name: 'one', is_used: true, world: 'test' },
    { name: 'two', is_used: false, world: 'test' },
  ]);
});

it('prints a LIVE label for a live profile', async () => {
  api.on('me.get', meAs('public_key', 'pbk_1', 'live'));
  expect((await login()).stderr).toContain(' LIVE ');
  expect((await svc(['auth', 'status'])).stderr).toContain(' LIVE ');
});

it('shows the credential in use, but not the private key', async () => {
  await login();
  const { stdout } = await svc(['auth', 'status', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({
    profile: 'default',
    world: 'test',
    user_id: 'usr_1',
    credential: 'public_key',
  });
  const { private_key } = (JSON.parse(credentials()) as { default: { private_key: string } }).default;
  expect(stdout).not.toContain(private_key);
  expect((await svc(['auth', 'whoami'])).stdout).toBe('usr_1\n');
});

it('deletes the key at logout, and revokes it only with --revoke', async () => {
  await login();
  expect((await svc(['auth', 'logout'])).exitCode).toBe(0);
  expect(api.requestsOf('publicKeys.revoke')).toHaveLength(0);
  expect(credentials()).toBe('{}\n');
  expect((await svc(['trades', 'list'])).exitCode).toBe(4);
  await login();
  expect((await svc(['auth', 'logout', '--revoke', '--yes'])).exitCode).toBe(0);
  expect(api.requestsOf('publicKeys.revoke')[0]!.url).toBe('/v1/auth/public-keys/pbk_1');
});

it('names the command that revokes the type of the credential, at logout', async () => {
  await login();
  const keyPair = await svc(['auth', 'logout']);
  expect(keyPair.stderr).toContain('`svc public-keys revoke`');
  expect(keyPair.stderr).not.toContain('api-keys');
  api.on('me.get', meAs('api_key', 'key_1'));
  await login(['--with-api-key', '--api-key-stdin'], { stdin: API_KEY });
  const apiKey = await svc(['auth', 'logout']);
  expect(apiKey.stderr).toContain('`svc api-keys revoke`');
  expect(apiKey.stderr).not.toContain('public-keys');
});

it('deletes the cached ids at logout', async () => {
  await login();
  await svc(['trades', 'list']);
  expect(existsSync(join(folder, 'known-ids.json'))).toBe(true);
  await svc(['auth', 'logout']);
  expect(existsSync(join(folder, 'known-ids.json'))).toBe(false);
});

it('prints the credential and the profiles as in the golden file, on a screen and in a pipe', async () => {
  await login(['--key-stdin'], { stdin: keyOf('golden') });
  await svc(['profile', 'add', 'away', '--base-url', 'http://away:1']);
  const transcriptOf = async (argv: readonly string[], isScreen: boolean) => {
    const { stdout, stderr } = await svc(argv, { isScreen, variables: { NO_COLOR: '1' } });
    const text = `$ svc ${argv.join(' ')}${isScreen ? '' : ' | cat'}\n${stdout}${stderr}`;
    return text.replaceAll(folder, '(folder)').replaceAll(api.url, 'http://127.0.0.1:40000');
  };
  const transcripts = [];
  for (const argv of [
    ['auth', 'status'],
    ['auth', 'whoami'],
    ['profile', 'list'],
    ['config', 'get'],
  ])
    transcripts.push(await transcriptOf(argv, true), await transcriptOf(argv, false));
  expectGolden('auth-and-profiles', transcripts.join('\n'));
});

it('exports the private key only after confirmation', async () => {
  await login(['--key-stdin'], { stdin: keyOf('exported') });
  const unconfirmed = await svc(['auth', 'keys', 'export']);
  expect([unconfirmed.exitCode, unconfirmed.stdout]).toEqual([2, '']);
  expect((await svc(['auth', 'keys', 'export', '--yes'])).stdout).toBe(`${keyOf('exported')}\n`);
});

it('rejects two credentials in the environment', async () => {
  const variables = { SVC_API_KEY: API_KEY, SVC_PRIVATE_KEY: keyOf('both'), SVC_BASE_URL: api.url };
  expect(await svc(['me', 'get'], { variables })).toMatchObject({ exitCode: 2 });
});

it('uses a private key from the environment without storing it', async () => {
  const variables = { SVC_PRIVATE_KEY: keyOf('environment'), SVC_BASE_URL: api.url };
  expect((await svc(['me', 'get'], { variables })).exitCode).toBe(0);
  expect(api.requestsOf('me.get')[0]!.headers['x-svc-sig']).toMatch(/^[0-9a-f]{128}$/);
  expect(existsSync(join(folder, 'credentials.json'))).toBe(false);
});

it('adds, uses and removes profiles together with their keys', async () => {
  await svc(['profile', 'add', 'away', '--base-url', 'http://away:1']);
  await login(['--profile', 'home']);
  await svc(['profile', 'use', 'home']);
  expect((await svc(['config', 'get', 'base_url'])).stdout).toBe(`${api.url}\n`);
  expect((await svc(['profile', 'remove', 'home'])).exitCode).toBe(2);
  expect((await svc(['profile', 'remove', 'home', '--yes'])).exitCode).toBe(0);
  expect(credentials()).toBe('{}\n');
  expect((await svc(['profile', 'use', 'home'])).exitCode).toBe(3);
});

it('sets the settings of a profile, but no secret', async () => {
  expect((await svc(['config', 'set', 'base_url', 'http://home:1'])).exitCode).toBe(0);
  expect((await svc(['config', 'get', 'base_url'])).stdout).toBe('http://home:1\n');
  expect((await svc(['config', 'set', 'api_key', API_KEY])).exitCode).toBe(2);
  expect((await svc(['config', 'set', 'base_url', 'home'])).exitCode).toBe(2);
  expect((await svc(['config', 'path'])).stdout).toBe(`${join(folder, 'config.toml')}\n`);
});

describe('auth approve', () => {
  const approve = (...args: string[]) => svc(['auth', 'approve', 'bcdf-ghjk', ...args]);
  beforeEach(() =>
    api.on('deviceAuthorizations.get', {
      body: {
        success: true,
        data: {
          user_code: 'BCDF-GHJK',
          client_name: 'A browser',
          address: '192.0.2.7',
          permissions: ['READ', 'TRADE'],
          status: 'PENDING',
          created_at: '2026-01-31T12:00:00.000Z',
          expires_at: '2026-01-31T12:10:00.000Z',
        },
      },
    }),
  );
  const approvals = () => api.requestsOf('deviceAuthorizations.approve').map(bodyOf);

  it('shows who requests the sign-in, and approves it only after confirmation', async () => {
    await login();
    const unconfirmed = await approve();
    expect([unconfirmed.exitCode, unconfirmed.stdout, approvals()]).toEqual([2, '', []]);
    const { exitCode, stdout, stderr } = await approve('--yes');
    expect([exitCode, approvals()]).toEqual([0, [{ user_code: 'bcdf-ghjk' }]]);
    const shown = 'A browser at 192.0.2.7 requested READ, TRADE at 2026-01-31T12:00:00.000Z.';
    expect([unconfirmed.stderr, stderr]).toEqual(Array(2).fill(expect.stringContaining(shown)));
    expect(stdout).toMatch(/^id\tpbk_\w+$/m);
  });

  it('grants only the permissions that --permissions names', async () => {
    await login();
    expect((await approve('--permissions', 'READ', '--yes')).exitCode).toBe(0);
    expect(approvals()).toEqual([{ user_code: 'bcdf-ghjk', permissions: ['READ'] }]);
  });
});
