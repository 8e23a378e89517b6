import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { eventually } from '@trading-automation/runtime/testing';
import { environmentOf } from '../../src/environment.js';
import { Interrupted } from '../../src/failures.js';
import { run } from '../../src/run.js';
import { StubStreamingApi } from './stub-streaming-api.js';

/**
 * The script that `npm start` runs in the test's clone. It writes the addresses of a platform to .data/dev.json, and
 * exits on SIGTERM.
 */
const LAUNCHER = `
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
const state = new URL('.data/dev.json', import.meta.url);
if (process.argv.includes('--fresh')) writeFileSync(new URL('.data/fresh', import.meta.url), 'yes');
process.on('SIGTERM', () => { rmSync(state); process.exit(0); });
writeFileSync(state, JSON.stringify({
  rest_url: 'http://127.0.0.1:4000', graphql_url: 'http://127.0.0.1:4001', mail_url: 'http://127.0.0.1:4020',
  paper_exchange_url: readFileSync(new URL('paper.txt', import.meta.url), 'utf8'), api_key: 'svc_test_secret', pid: process.pid,
}));
setInterval(() => {}, 1000);
`;

let checkout: string;
let api: StubStreamingApi;
let paper: Server;
let paperRequests: string[];
beforeEach(async () => {
  checkout = mkdtempSync(join(tmpdir(), 'svc-checkout-'));
  mkdirSync(join(checkout, '.data'));
  mkdirSync(join(checkout, 'deep', 'inside'), { recursive: true });
  writeFileSync(
    join(checkout, 'package.json'),
    JSON.stringify({ name: 'trading-automation', type: 'module', scripts: { start: 'node start.mjs' } }),
  );
  writeFileSync(join(checkout, 'start.mjs'), LAUNCHER);
  api = await StubStreamingApi.start();
  paperRequests = [];
  paper = createServer(async (request, response) => {
    paperRequests.push(`${request.method} ${request.url} ${await text(request)}`);
    response.writeHead(200).end('{"api_key":"paper key","api_secret":"paper secret"}');
  });
  await new Promise<void>((resolve) => paper.listen(0, '127.0.0.1', resolve));
  writeFileSync(join(checkout, 'paper.txt'), paperURL());
});
afterEach(async () => {
  await svc(['dev', 'down']);
  await api.close();
  paper.closeAllConnections();
  await new Promise((resolve) => paper.close(resolve));
});

const paperURL = () => `http://127.0.0.1:${(paper.address() as AddressInfo).port}`;

async function svc(
  argv: readonly string[],
  folder = join(checkout, 'deep', 'inside'),
  signal = new AbortController().signal,
) {
  const output = { stdout: '', stderr: '' };
  const stream = (name: 'stdout' | 'stderr') =>
    new PassThrough().setEncoding('utf8').on('data', (chunk: string) => {
      output[name] += chunk;
    });
  const exitCode = await run(argv, {
    streams: { stdin: Readable.from([]), stdout: stream('stdout'), stderr: stream('stderr') },
    environment: environmentOf(
      {
        SVC_CONFIG_DIR: join(checkout, 'home'),
        SVC_CREDENTIALS: 'file',
        SVC_BASE_URL: api.url,
        SVC_API_KEY: 'svc_test_key',
      },
      folder,
    ),
    signal,
  });
  return { exitCode, ...output };
}

/** Waits until a process has ended and its parent has released its id. */
async function waitForEnd(pid: number): Promise<void> {
  await eventually(() => {
    try {
      return !process.kill(pid, 0);
    } catch {
      return true;
    }
  });
}

describe('svc dev', () => {
  it('runs the platform of the clone above the working folder, prints its addresses, and stops it', async () => {
    const up = await svc(['dev', 'up', '--detach', '--json']);
    expect(up.exitCode).toBe(0);
    const printed = JSON.parse(up.stdout);
    expect(printed).toMatchObject({ rest_url: 'http://127.0.0.1:4000', pid: expect.any(Number) });
    expect(up.stdout).not.toContain('svc_test_secret');

    const secondUp = await svc(['dev', 'up', '--json']);
    expect([secondUp.exitCode, JSON.parse(secondUp.stdout).pid]).toEqual([0, printed.pid]);
    expect(secondUp.stderr).toContain('Already running');

    expect(await svc(['dev', 'down'])).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('Stopped'),
    });
    await waitForEnd(printed.pid);
    expect(await svc(['dev', 'down'])).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('The platform is not running'),
    });
  });

  it('runs the platform in the foreground until Ctrl-C, and leaves no process running', async () => {
    const interruption = new AbortController();
    const running = svc(['dev', 'up'], checkout, interruption.signal);
    const state = join(checkout, '.data', 'dev.json');
    await eventually(() => existsSync(state) && readFileSync(state, 'utf8') !== '');
    const { pid } = JSON.parse(readFileSync(state, 'utf8'));
    interruption.abort(new Interrupted());
    expect((await running).exitCode).toBe(130);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('resets the data only after confirmation', async () => {
    await svc(['dev', 'up', '--detach']);
    const { pid } = JSON.parse(readFileSync(join(checkout, '.data', 'dev.json'), 'utf8'));
    const unconfirmed = await svc(['dev', 'reset', '--detach']);
    expect([unconfirmed.exitCode, unconfirmed.stderr]).toEqual([2, expect.stringContaining('--yes')]);
    expect(() => process.kill(pid, 0)).not.toThrow();
    const reset = await svc(['dev', 'reset', '--detach', '--yes', '--json']);
    expect([reset.exitCode, JSON.parse(reset.stdout).pid === pid]).toEqual([0, false]);
    expect(readFileSync(join(checkout, '.data', 'fresh'), 'utf8')).toBe('yes');
  });

  it('ignores a state file with the id of a process that is not the launcher', async () => {
    // The platform has ended, and another process (here this test) has got its id.
    writeFileSync(join(checkout, '.data', 'dev.json'), JSON.stringify({ rest_url: 'x', pid: process.pid }));
    expect((await svc(['dev', 'down'])).stderr).toContain('The platform is not running');
  });

  it('reports a state file that cannot be read', async () => {
    const state = join(checkout, '.data', 'dev.json');
    rmSync(state, { force: true });
    mkdirSync(state, { recursive: true });
    const { exitCode, stderr } = await svc(['dev', 'down']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`Cannot read ${state}`)]);
    expect(stderr).toContain('start the platform again');
    expect(stderr).not.toContain('SVC_CONFIG_DIR');
  });

  it('reports a platform that did not start', async () => {
    writeFileSync(join(checkout, 'start.mjs'), 'process.exit(3)');
    const { exitCode, stderr } = await svc(['dev', 'up', '--detach']);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('it ended with exit code 3')]);
  });

  it('fails outside a clone', async () => {
    const { exitCode, stderr } = await svc(['dev', 'up'], tmpdir());
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('is not in a clone')]);
  });
});

describe('svc dev seed', () => {
  const account = {
    id: 'exa_1',
    exchange_name: 'paper',
    account_name: 'practice',
    trading_type: 'spot',
    is_active: true,
    last_sync_at: 'now',
  };
  beforeEach(() => {
    api.onList('GET /v1/exchanges', []);
    api.on('POST /v1/exchanges', { data: { ...account, last_sync_at: null } });
    let reads = 0;
    api.on('GET /v1/exchanges/exa_1', () => ({
      data: { ...account, last_sync_at: ++reads > 2 ? 'now' : null },
    }));
    api.onList('GET /v1/trade-pairs', [
      { id: 'tpr_1', trading_type: 'spot' },
      { id: 'tpr_2', trading_type: 'perpetual' },
      { id: 'tpr_3', trading_type: 'margin' },
    ]);
  });
  const created = () => api.requests.filter(({ route }) => route === 'POST /v1/exchanges');

  it('opens an account at the paper exchange, links it and waits for its balances', async () => {
    const seeded = await svc(['dev', 'seed', '--paper-url', paperURL(), '--balance', 'USDT=5000', '--json']);
    expect([seeded.exitCode, JSON.parse(seeded.stdout)]).toEqual([0, account]);
    expect(paperRequests).toEqual([
      'POST /admin/accounts {"balances":{"USDT":"5000"},"margin_balances":{"USDT":"5000"},"futures_balances":{"USDT":"100000"}}',
    ]);
    expect(JSON.parse(created()[0]!.body)).toEqual({
      exchange: 'paper',
      account_name: 'practice',
      trading_type: 'spot',
      credentials: { api_key: 'paper key', api_secret: 'paper secret' },
    });
    expect(seeded.stdout + seeded.stderr).not.toContain('paper secret');
  });

  it('links no second account, except under another name', async () => {
    api.onList('GET /v1/exchanges', [account]);
    expect((await svc(['dev', 'seed', '--paper-url', paperURL()])).exitCode).toBe(0);
    expect(created()).toEqual([]);
    await svc(['dev', 'seed', '--paper-url', paperURL(), '--name', 'copies']);
    expect(JSON.parse(created()[0]!.body).account_name).toBe('copies');
  });

  it('links accounts of perpetuals and margin beside one of spot', async () => {
    api.onList('GET /v1/exchanges', [account]);
    const seed = ['dev', 'seed', '--paper-url', paperURL(), '--trading-type'];
    expect((await svc([...seed, 'perpetual'])).exitCode).toBe(0);
    expect(JSON.parse(created()[0]!.body)).toMatchObject({
      account_name: 'practice perpetuals',
      trading_type: 'perpetual',
    });
    expect((await svc([...seed, 'margin'])).exitCode).toBe(0);
    expect(JSON.parse(created()[1]!.body)).toMatchObject({
      account_name: 'practice margin',
      trading_type: 'margin',
    });
    expect(paperRequests[1]).toContain('"margin_balances":{"USDT":"100000"}');
    expect((await svc([...seed, 'options'])).exitCode).toBe(2);
    expect(created()).toHaveLength(2);
  });

  it('finds the paper exchange of the running platform, and stores the GraphQL URL in the profile', async () => {
    await svc(['dev', 'up', '--detach']);
    expect((await svc(['dev', 'seed'])).exitCode).toBe(0);
    expect(paperRequests).toHaveLength(1);
    expect(readFileSync(join(checkout, 'home', 'config.toml'), 'utf8')).toContain(
      'graphql_url = "http://127.0.0.1:4001"',
    );
  });

  it('reports an unknown or unavailable paper exchange, and invalid options', async () => {
    expect(await svc(['dev', 'seed'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('svc dev up'),
    });
    expect((await svc(['dev', 'seed', '--paper-url', 'nowhere'])).exitCode).toBe(2);
    expect((await svc(['dev', 'seed', '--balance', 'USDT'])).exitCode).toBe(2);
    const stoppedURL = paperURL();
    paper.closeAllConnections();
    await new Promise((resolve) => paper.close(resolve));
    expect(await svc(['dev', 'seed', '--paper-url', stoppedURL])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('No response from the paper exchange'),
    });
    await new Promise<void>((resolve) => paper.listen(0, '127.0.0.1', resolve));
  });
});

describe('svc open and svc docs', () => {
  it('print addresses, and open no browser without an interactive terminal', async () => {
    expect(await svc(['open', 'docs'])).toMatchObject({ exitCode: 0, stdout: `${api.url}/docs\n` });
    expect(await svc(['docs', 'dead-letters'])).toMatchObject({
      stdout: `${api.url}/docs#tag/dead-letters\n`,
    });
    expect((await svc(['open'])).stdout).toContain(`openapi\t${api.url}/openapi.json\t`);
    expect((await svc(['docs'])).stdout).toContain(`webhooks\tWebhooks\t${api.url}/docs#tag/webhooks`);
  });

  it('include the pages of the running platform', async () => {
    expect((await svc(['open', 'mail'])).exitCode).toBe(3);
    await svc(['dev', 'up', '--detach']);
    expect(await svc(['open', 'mail'])).toMatchObject({ exitCode: 0, stdout: 'http://127.0.0.1:4020\n' });
  });

  it('list the valid names if a name is unknown', async () => {
    expect(await svc(['open', 'x'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('graphiql'),
    });
    expect(await svc(['docs', 'toString'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('webhooks'),
    });
  });
});
