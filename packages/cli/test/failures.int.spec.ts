/** Tests how `svc` explains full disks, unusable folders and servers that are not the API, and its exit codes. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { EXIT, EXIT_MEANINGS } from '../src/failures.js';
import { causeOf, outputFailure } from '../src/file-failure.js';
import { RESOLUTIONS } from '../src/generated/resolutions.js';
import { folderFailure } from '../src/profile/private-file.js';
import { runCaptured, type TestEnvironment } from './support/captured-run.js';
import { emptyFolder } from './support/empty-folder.js';
import { StubApi } from './support/stub-api.js';
import { SVC_FILE } from './support/svc-file.js';

/** A device of Linux that is always full. */
const FULL_DISK = '/dev/full';
/** A folder of Linux in which no user can create a file, not even root. */
const NO_FILES = '/sys';
const STACK = /^\s+at /m;

let api: StubApi;
beforeAll(async () => {
  api = await StubApi.start();
});
beforeEach(() => api.reset());
afterAll(() => api.close());

const svc = (argv: readonly string[], { variables = {}, ...testEnvironment }: TestEnvironment = {}) =>
  runCaptured(argv, {
    ...testEnvironment,
    variables: { SVC_API_KEY: 'svc_test_key', SVC_BASE_URL: api.url, ...variables },
  });

/** Runs the built command line with one stream on a full disk. */
function runOnFullDisk(argv: readonly string[], stream: 'stdout' | 'stderr') {
  const full = openSync(FULL_DISK, 'w');
  const { status, stderr } = spawnSync(process.execPath, [SVC_FILE, ...argv], {
    stdio: ['ignore', stream === 'stdout' ? full : 'ignore', stream === 'stderr' ? full : 'pipe'],
    encoding: 'utf8',
    env: { PATH: process.env.PATH, SVC_CONFIG_DIR: emptyFolder(), SVC_CREDENTIALS: 'file' },
  });
  closeSync(full);
  return { status, stderr };
}

describe('a full disk', () => {
  it.each([
    ['--help', 'Write to another output.'],
    ['--version', 'Write to another output.'],
    ['config path', 'The command may have taken effect.'],
    ['listen --print-secret', 'The command may have taken effect.'],
  ])('behind the output of `svc %s` is explained in words, without a stack trace', (line, advice) => {
    const { status, stderr } = runOnFullDisk(line.split(' '), 'stdout');
    expect(stderr).toContain('Cannot write the output: the disk is full (ENOSPC).');
    expect(stderr).toContain(advice);
    expect(stderr).not.toMatch(STACK);
    expect(status).toBe(EXIT.failure);
  });

  it('behind the messages does not change the exit code of a command', () => {
    expect(runOnFullDisk(['no-such-command'], 'stderr').status).toBe(EXIT.usage);
    expect(runOnFullDisk(['config', 'path'], 'stderr').status).toBe(EXIT.success);
  });

  it.each([
    ['ENOSPC', 'the disk is full'],
    ['EDQUOT', 'your disk quota is used up'],
    ['EROFS', 'the file system is read-only'],
    ['EACCES', 'permission denied'],
  ])('or another cause is named in words, and as a lost output has exit code 1: %s', (code, words) => {
    const error = Object.assign(new Error(`${code}: some text, write`), { code });
    expect(causeOf(error)).toBe(`${words} (${code})`);
    expect(outputFailure(error)).toMatchObject({
      message: `Cannot write the output: ${words} (${code}).`,
      exitCode: EXIT.failure,
    });
  });
});

describe('a configuration folder', () => {
  it.each([
    [['config', 'get'], 'Cannot read'],
    [['config', 'set', 'base_url', 'http://a:1'], 'Cannot read'],
    [['auth', 'status'], 'Cannot read'],
  ])('that is a file is named as invalid input by `svc %s`', async (argv, action) => {
    const file = join(emptyFolder(), 'a-file');
    writeFileSync(file, '');
    const { exitCode, stderr } = await svc(argv, { variables: { SVC_CONFIG_DIR: file } });
    expect(stderr).toContain(`${action} ${join(file, 'config.toml')}: a part of the path is a file`);
    expect(stderr).toContain('SVC_CONFIG_DIR');
    expect(stderr).not.toMatch(STACK);
    expect(exitCode).toBe(EXIT.usage);
  });

  it('in which no file can be created is named as invalid input', async () => {
    const variables = { SVC_CONFIG_DIR: NO_FILES };
    const { exitCode, stderr } = await svc(['config', 'set', 'base_url', 'http://a:1'], { variables });
    expect(stderr).toMatch(/Cannot write \/sys\/config\.toml: [a-z -]+ \(E[A-Z]+\)\.\n/);
    expect(stderr).toContain('SVC_CONFIG_DIR');
    expect([exitCode, STACK.test(stderr)]).toEqual([EXIT.usage, false]);
  });

  it.each([
    ['auth login', '/proc/nope'],
    ['auth login', '/proc/nope/deeper'],
    ['auth login', '/sys/nope/deeper'],
    ['config set base_url http://a:1', '/proc/nope'],
  ])(
    'that the system cannot create ends `svc %s` at once, and is named as invalid input: %s',
    (line, folder) => {
      const { status, stderr } = spawnSync(process.execPath, [SVC_FILE, ...line.split(' ')], {
        encoding: 'utf8',
        env: {
          PATH: process.env.PATH,
          SVC_CONFIG_DIR: folder,
          SVC_CREDENTIALS: 'file',
          SVC_BASE_URL: api.url,
        },
        // Far longer than a command takes: without the defence, it would run until it is killed.
        timeout: 20_000,
        killSignal: 'SIGKILL',
      });
      expect(stderr).toContain(`Cannot create the folder ${folder}: `);
      expect(stderr).toContain('SVC_CONFIG_DIR selects another configuration folder.');
      expect([status, STACK.test(stderr)]).toEqual([EXIT.usage, false]);
    },
  );

  it('that does not exist is created with its parents', async () => {
    const folder = join(emptyFolder(), 'one', 'two', 'three');
    const { exitCode } = await svc(['config', 'set', 'base_url', 'http://a:1'], { configFolder: folder });
    expect(exitCode).toBe(0);
    expect(readFileSync(join(folder, 'config.toml'), 'utf8')).toContain('http://a:1');
  });

  it.each([
    ['config.toml', 'profiles = [', 'is not valid TOML'],
    ['config.toml', 'profiles = []', 'profiles must be a table'],
    ['config.toml', 'profiles.default = 1', 'profiles.default must be a table'],
    ['config.toml', 'profiles.default.base_url = 1', 'profiles.default.base_url must be a string'],
    ['credentials.json', '{"default": {', 'is not valid JSON'],
    ['credentials.json', 'null', 'must contain an object'],
    ['credentials.json', '[]', 'must contain an object'],
    ['credentials.json', '{"default": 1}', 'must contain an object'],
    ['credentials.json', '{"default": {"api_key": 1}}', 'must contain an object'],
  ])('with an invalid %s is named as invalid input: %s', async (name, text, message) => {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'config.toml'), '[profiles.default]\ncredential = "api_key"\n');
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    const variables = { SVC_API_KEY: '' };
    const { exitCode, stderr } = await svc(['trades', 'list'], { configFolder: folder, variables });
    expect(stderr).toContain(join(folder, name));
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/delete it and log in again/i);
    expect([exitCode, STACK.test(stderr)]).toEqual([EXIT.usage, false]);
  });

  it.each(['config.toml', 'credentials.json'])('with a folder in place of %s is named', async (name) => {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'config.toml'), '[profiles.default]\ncredential = "api_key"\n');
    rmSync(join(folder, name), { force: true });
    mkdirSync(join(folder, name), { mode: 0o700 });
    const variables = { SVC_API_KEY: '' };
    const { exitCode, stderr } = await svc(['trades', 'list'], { configFolder: folder, variables });
    expect(stderr).toContain(`Cannot read ${join(folder, name)}: the path is a folder, not a file (EISDIR).`);
    expect([exitCode, STACK.test(stderr)]).toEqual([EXIT.usage, false]);
  });

  it.each(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EIO', 'EMFILE'])(
    'that cannot be written because of %s has the exit code for invalid input',
    (code) => {
      const error = Object.assign(new Error(`${code}: some text, write`), { code });
      expect(folderFailure(error, 'Cannot write /a/config.toml')).toMatchObject({
        message: `Cannot write /a/config.toml: ${causeOf(error)}.`,
        resolution: expect.stringContaining('SVC_CONFIG_DIR'),
        exitCode: EXIT.usage,
      });
    },
  );

  it('in which no file can be created does not prevent a command that only reads', async () => {
    expect((await svc(['trades', 'list'], { variables: { SVC_CONFIG_DIR: NO_FILES } })).exitCode).toBe(0);
  });
});

describe('a server that is not the API', () => {
  let server: Server;
  let address: string;
  let answer: readonly [status: number, type: string, body: string];
  beforeAll(async () => {
    server = createServer((_request, response) => {
      const [status, type, body] = answer;
      response.writeHead(status, { 'content-type': type }).end(body);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server?.close());

  it.each([
    ['a page', 200, 'text/html', '<h1>Hello</h1>'],
    ['JSON of another service', 200, 'application/json', '{"hello":1}'],
    ['a page with 404', 404, 'text/html', '<h1>Not found</h1>'],
    ['a page with 401', 401, 'text/html', '<h1>Sign in</h1>'],
    ['a page of a proxy', 503, 'text/html', '<h1>Unavailable</h1>'],
  ])('is named with its address and status: %s', async (_case, status, type, body) => {
    answer = [status, type, body];
    const { exitCode, stderr } = await svc(['me', 'get', '--timeout', '20s'], {
      variables: { SVC_BASE_URL: address },
    });
    expect(stderr).toContain(`The server at ${address} is not this API.`);
    expect(stderr).toContain(`status ${status}, ${type}`);
    expect(stderr).toContain('--base-url');
    expect(stderr).not.toContain('asResponse');
    expect(exitCode).toBe(EXIT.network);
  });

  it('ends an event stream that has never opened, instead of reconnecting forever', async () => {
    answer = [500, 'text/html', '<h1>Error</h1>'];
    const { exitCode, stderr } = await svc(['events', 'stream'], { variables: { SVC_BASE_URL: address } });
    expect(stderr).toContain(`The server at ${address} is not this API.`);
    expect(stderr.match(/reconnecting/g)).toHaveLength(2);
    expect(exitCode).toBe(EXIT.network);
  });

  it('but the REST API leads a GraphQL command to the setting of the address', async () => {
    const error = { code: 'route_not_found', message: 'The route does not exist.', details: [] };
    answer = [404, 'application/json', JSON.stringify({ success: false, error })];
    const { exitCode, stderr } = await svc(['graphql', '{ me { id } }'], {
      variables: { SVC_BASE_URL: address, SVC_API_KEY: '', SVC_PRIVATE_KEY: '1'.padStart(64, '0') },
    });
    expect(stderr).toContain(`No GraphQL API responds at ${address}.`);
    expect(stderr).toContain('svc config set graphql_url');
    expect(exitCode).toBe(EXIT.network);
  });
});

describe('the exit code', () => {
  it.each([
    [400, 'invalid_query', EXIT.usage],
    [422, 'validation_failed', EXIT.usage],
    [422, 'exchange_rule_violated', EXIT.usage],
    [422, 'insufficient_balance', EXIT.failure],
    [409, 'limit_reached', EXIT.failure],
    [500, 'internal_error', EXIT.failure],
  ])('for status %i and code %s is %i', async (status, code, exitCode) => {
    api.respondWithError('trades.list', status, { code, message: 'No.' });
    expect((await svc(['trades', 'list'])).exitCode).toBe(exitCode);
  });

  it.each([
    ['an invalid flag', ['trades', 'list', '--limit', 'x']],
    ['a filter that does not compile', ['trades', 'list', '--jq', '.[']],
    ['a filter that fails', ['trades', 'list', '--jq', '.[0] | .[] | error']],
    ['an empty id', ['trades', 'get', '']],
    ['a file that does not exist', ['api', 'POST', '/v1/trades', '--input', '/none.json']],
  ])('for %s is 2, as for invalid input that the API finds', async (_case, argv) => {
    expect((await svc(argv)).exitCode).toBe(EXIT.usage);
  });

  it('has a meaning in the help, the README and the guide', async () => {
    const { stdout } = await svc(['--help']);
    const help = stdout.replaceAll(/\s+/g, ' ');
    const [readme, guide] = ['../README.md', '../../../docs/guides/cli.md'].map((path) =>
      readFileSync(new URL(path, import.meta.url), 'utf8').replaceAll(/\s+/g, ' '),
    );
    for (const name of Object.keys(EXIT) as (keyof typeof EXIT)[]) {
      expect(help).toContain(`${EXIT[name]} ${EXIT_MEANINGS[name]}`);
      expect(readme).toContain(`${EXIT[name]} ${EXIT_MEANINGS[name]}`);
      expect(guide).toContain(`| ${EXIT[name]} | ${EXIT_MEANINGS[name]}`);
    }
  });
});

describe('advice', () => {
  it.each(Object.entries(RESOLUTIONS))('for %s is printed once', async (code, resolution) => {
    api.respondWithError('trades.list', 400, { code, message: `What is wrong. ${resolution}` });
    const { stderr } = await svc(['trades', 'list']);
    expect(stderr).toContain(`What is wrong. (${code})`);
    expect(stderr.split(resolution).length - 1).toBeLessThanOrEqual(1);
    expect(stderr.trim().split('\n')).toHaveLength(3);
  });
});
