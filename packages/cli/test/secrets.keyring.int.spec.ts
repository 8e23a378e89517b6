/** Runs the built command line with a real desktop keyring. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DesktopKeyring } from './support/desktop-keyring.js';
import { emptyFolder } from './support/empty-folder.js';
import { StubApi } from './support/stub-api.js';
import { SVC_FILE } from './support/svc-file.js';

let api: StubApi;
let keyring: DesktopKeyring;
let folder: string;
beforeEach(async () => {
  [api, keyring] = await Promise.all([StubApi.start(), DesktopKeyring.start()]);
  folder = emptyFolder();
  api.on('auth.cliChallenge', {
    body: { success: true, data: { challenge: 'ab'.repeat(32), expires_at: '2026-01-31T12:00:00.000Z' } },
  });
  api.on('auth.cliIdentity', ({ body }) => ({
    status: 201,
    body: { success: true, data: { id: 'pbk_1', user_id: 'usr_1', pubkey: pubkeyIn(body) } },
  }));
  const credential = { kind: 'public_key', id: 'pbk_1', permissions: ['ADMIN'] };
  api.on('me.get', { body: { success: true, data: { id: 'usr_1', world: 'test', credential } } });
});
afterEach(async () => {
  await Promise.all([api.close(), keyring.close()]);
});

const pubkeyIn = (body: unknown) => (body as { pubkey: string }).pubkey;
const fileOf = (name: string) => join(folder, name);

async function svc(argv: readonly string[], { configFolder = folder, stdin = '' } = {}) {
  const env = {
    PATH: process.env.PATH,
    LANG: 'C.UTF-8',
    NO_UPDATE_NOTIFIER: '1',
    ...keyring.variables,
    SVC_CONFIG_DIR: configFolder,
    SVC_BASE_URL: api.url,
  };
  const child = spawn(process.execPath, [SVC_FILE, ...argv], { env });
  child.stdin.end(stdin);
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number]>,
  ]);
  return { exitCode, stdout, stderr };
}

it('stores a key pair only in the keyring, signs with it, and deletes it at logout', async () => {
  const login = await svc(['auth', 'login']);
  expect([login.exitCode, login.stderr]).toEqual([0, expect.stringContaining("the system's keyring")]);
  expect(existsSync(fileOf('credentials.json'))).toBe(false);
  expect(readFileSync(fileOf('config.toml'), 'utf8')).toContain('secrets = "keyring"');
  const pubkey = pubkeyIn(api.requestsOf('auth.cliIdentity')[0]!.body);

  expect(await svc(['auth', 'whoami'])).toMatchObject({ exitCode: 0 });
  expect(api.requestsOf('me.get').at(-1)!.headers['x-svc-pubkey']).toBe(pubkey);

  expect(await svc(['auth', 'logout', '--yes'])).toMatchObject({ exitCode: 0 });
  expect(await svc(['auth', 'whoami'])).toMatchObject({ exitCode: 4 });
});

it('stores separate secrets for each configuration folder and each profile', async () => {
  const secretOf = async (configFolder: string, ...args: string[]) =>
    (await svc(['listen', '--print-secret', ...args], { configFolder })).stdout;
  const selections = [[folder], [emptyFolder()], [folder, '--profile', 'other']] as const;
  const secrets: string[] = [];
  for (const selection of selections) secrets.push(await secretOf(...(selection as [string])));
  expect(new Set(secrets).size).toBe(3);
  for (const [i, selection] of selections.entries())
    expect(await secretOf(...(selection as [string]))).toBe(secrets[i]);
});

it('fails if the keyring is unavailable, and stores no secret in a file instead', async () => {
  const key = `svc_test_${createHash('sha256').update('stored').digest('hex').slice(0, 40)}`;
  expect(await svc(['auth', 'login', '--api-key-stdin'], { stdin: key })).toMatchObject({ exitCode: 0 });
  await keyring.stop();
  const { exitCode, stderr } = await svc(['auth', 'whoami']);
  expect([exitCode, stderr]).toEqual([4, expect.stringContaining('keyring, which is not available')]);
  expect(stderr).not.toContain(key);
  expect(existsSync(fileOf('credentials.json'))).toBe(false);
});
