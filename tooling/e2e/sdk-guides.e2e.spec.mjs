import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { run } from '../launch/commands.mjs';
import { until } from '../launch/first-trade/scenario.mjs';
import { root } from '../launch/paths.mjs';
import { freePort } from '../launch/ports.mjs';
import { openTrader } from './accounts.mjs';
import { compilePages } from './guide-programs.mjs';
import { openSharedProduct } from './shared-product.mjs';

/** Runs each program of the guides as a reader would: in Node, with the packed SDK, against the product. */

const GUIDES = ['quick-start', 'paginate', 'retry-safely', 'verify-a-webhook', 'sign-a-request'];
const SPECIFICATION = 'docs/security/signed-request';
/** The programs of the README repeat parts of those in the guides, so they are only compiled. */
const README = 'packages/sdk/README';
const packed = /** @type {string} */ (process.env.TEST_PACKED_SDK);
const webhookSecret = `whsec_${Buffer.alloc(32, 'a guide').toString('base64')}`;
const eventBody = JSON.stringify({
  event_id: 'evt_01',
  type: 'trade.filled',
  data: { symbol: 'BTC/USDT', average_price: 60_000 },
});

/** @type {import('./shared-product.mjs').SharedProduct} */
let product;
let trader;
let apiKey;
let compiled;
/** @type {string} */
let folder;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'guides-'));
  compiled = await compilePages(packed, [
    ...GUIDES.map((name) => `docs/guides/${name}.md`),
    `${SPECIFICATION}.md`,
    `${README}.md`,
  ]);
  product = await openSharedProduct();
  trader = await openTrader(product, 'guides: trader');
  const permissions = ['READ', 'TRADE', 'ADMIN'];
  ({ key: apiKey } = await trader.api.apiKeys.create({ name: 'guides', permissions }));
  const order = { exchange_account_id: trader.account.id, trade_pair_id: trader.pair.id };
  for (let count = 0; count < 12; count++) {
    const body = { ...order, type: 'MARKET', side: 'BUY', amount: '0.001' };
    const { id } = await trader.api.trades.create(body);
    await trader.api.trades.waitUntil(id, { status: 'FILLED', timeout: 30_000, pollInterval: 50 });
  }
}, 180_000);
afterAll(async () => {
  for (const created of [folder, compiled?.folder])
    if (created !== undefined) rmSync(created, { recursive: true, force: true });
});

const programOf = (name) => {
  const program = compiled.programs.find((each) => each.name === name);
  if (program === undefined) throw new Error(`no guide has a program "${name}"`);
  return program;
};
const guideEnv = (extraEnv = {}) => ({
  ...process.env,
  NODE_OPTIONS: '',
  SVC_BASE_URL: product.restUrl,
  SVC_API_KEY: apiKey,
  SVC_WEBHOOK_SECRET: webhookSecret,
  ...extraEnv,
});
const runProgram = (name, { env = {}, options = [] } = {}) =>
  run(process.execPath, [...options, programOf(name).path], { cwd: folder, env: guideEnv(env) });

/** Runs a program and returns the lines that it printed. */
async function linesOf(name, env = {}) {
  const { code, stdout, stderr } = await runProgram(name, { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.trimEnd().split('\n');
}

/** Creates the headers of a webhook with the SDK's helper for tests. */
async function signed(body) {
  const { generateTestHeaders } = await import(pathToFileURL(join(packed, 'sdk-webhooks.mjs')).href);
  return generateTestHeaders({ payload: body, secret: webhookSecret });
}

const TESTED = [
  'quick-start, 3. The same with the SDK',
  'quick-start, 3. The same with the SDK (2)',
  'paginate, Paginate',
  'paginate, Paginate (2)',
  'paginate, Page by page',
  'paginate, Resume from a cursor',
  'retry-safely, What the SDK retries',
  'retry-safely, An order that survives a crash',
  'retry-safely, When there is still no response',
  'verify-a-webhook, TypeScript and JavaScript',
  'verify-a-webhook, TypeScript and JavaScript (2)',
  'verify-a-webhook, Try it',
  'sign-a-request, With the SDK',
  `${SPECIFICATION}, Linking a key`,
];

describe('the TypeScript of the guides', () => {
  it('compiles in strict mode against the packed SDK, like the programs of the README', () => {
    expect(compiled.errors).toBe('');
  });

  it('consists of the programs that are run here', () => {
    const names = compiled.programs.map(({ name }) => name);
    expect(names.filter((name) => !name.startsWith(README))).toEqual(TESTED);
  });
});

describe('quick start', () => {
  it('the first trade is filled', async () => {
    const lines = await linesOf('quick-start, 3. The same with the SDK');
    expect(lines.join('\n')).toMatch(
      /^FILLED 0\.01 @ \d+(\.\d+)? fee \{ amount: [\d.e-]+, currency: 'BTC' \}/,
    );
  });

  it('the program prints the code and the request id of an error', async () => {
    const [line] = await linesOf('quick-start, 3. The same with the SDK (2)');
    expect(line).toMatch(/^true 404 not_found \S+$/);
  });
});

describe('paginate', () => {
  const tradesOf = (query = {}) => trader.api.trades.list(query).toArray({ limit: 1_000 });

  it('iterating prints each filled trade once', async () => {
    const lines = await linesOf('paginate, Paginate');
    const filled = await tradesOf({ status: 'FILLED' });
    expect(lines).toEqual(filled.map(({ created_at, symbol, cost }) => `${created_at} ${symbol} ${cost}`));
    expect(lines.length).toBeGreaterThanOrEqual(12);
  });

  it('toArray returns all trades', async () => {
    expect(await linesOf('paginate, Paginate (2)')).toEqual([String((await tradesOf()).length)]);
  });

  it('page by page prints the total and each trade once', async () => {
    const [total, ...lines] = await linesOf('paginate, Page by page');
    const trades = await tradesOf();
    expect(total).toBe(`${trades.length} trades in all`);
    expect(lines).toEqual(trades.map(({ id, status }) => `${id} ${status}`));
  });

  it('a cursor leads to the page after the first ten trades', async () => {
    const count = (await tradesOf()).length;
    expect(await linesOf('paginate, Resume from a cursor')).toEqual([String(Math.min(count - 10, 10))]);
  });
});

describe('retry safely', () => {
  const tradeIds = async () => (await trader.api.trades.list().toArray({ limit: 1_000 })).map(({ id }) => id);

  it('the program sets retries and a timeout, and prints the id of the account', async () => {
    expect(await linesOf('retry-safely, What the SDK retries')).toEqual([(await trader.api.me.get()).id]);
  });

  it('an order is placed once although its process dies after the request: the next process gets its id', async () => {
    const name = 'retry-safely, An order that survives a crash';
    const before = await tradeIds();
    const crash = join(folder, 'crash.mjs');
    // Exits as soon as the server has responded, before the program receives the response.
    writeFileSync(
      crash,
      `const { fetch } = globalThis;
globalThis.fetch = async (url, init) => {
  const response = await fetch(url, init);
  if (init.method === 'POST') process.exit(9);
  return response;
};`,
    );
    expect((await runProgram(name, { options: ['--import', pathToFileURL(crash).href] })).code).toBe(9);
    const created = (await tradeIds()).filter((id) => !before.includes(id));
    expect(created).toHaveLength(1);
    expect(JSON.parse(readFileSync(join(folder, 'intended-order.json'), 'utf8')).order.amount).toBe('0.01');

    expect(await linesOf(name)).toEqual(created);
    expect((await tradeIds()).filter((id) => !before.includes(id))).toEqual(created);
  });

  it('the program prints nothing after a success, that the outcome is unknown without a response, and the code of an error', async () => {
    const name = 'retry-safely, When there is still no response';
    expect(await linesOf(name)).toEqual(['']);
    const unusedUrl = `http://127.0.0.1:${await freePort()}`;
    expect((await runProgram(name, { env: { SVC_BASE_URL: unusedUrl } })).stderr).toContain(
      'The outcome is unknown',
    );
    const rejected = await runProgram(name, { env: { SVC_API_KEY: `${apiKey.slice(0, -4)}xxxx` } });
    expect(rejected.stderr).toMatch(/The API responded with \w+; request \S+/);
  });
});

describe('verify a webhook', () => {
  it('the receiver accepts a valid webhook, rejects a changed body, and logs the reason', async () => {
    const port = await freePort();
    const receiver = spawn(
      process.execPath,
      [programOf('verify-a-webhook, TypeScript and JavaScript').path],
      {
        cwd: folder,
        env: guideEnv({ PORT: String(port) }),
      },
    );
    try {
      const output = { stdout: '', stderr: '' };
      for (const stream of /** @type {const} */ (['stdout', 'stderr']))
        receiver[stream].setEncoding('utf8').on('data', (text) => {
          output[stream] += text;
        });
      const headers = await signed(eventBody);
      const post = (body) => fetch(`http://127.0.0.1:${port}/hook`, { method: 'POST', body, headers });
      const accepted = await until(
        () => post(eventBody).catch(() => undefined),
        (response) => response !== undefined,
      );
      expect(accepted.status).toBe(204);
      expect((await post(eventBody.replace('60000', '1'))).status).toBe(400);
      await until(
        async () => output,
        ({ stdout, stderr }) => stdout !== '' && stderr !== '',
      );
      expect(output.stdout).toBe('BTC/USDT 60000\n');
      expect(output.stderr).toContain('signature_mismatch');
    } finally {
      const ended = once(receiver, 'exit');
      receiver.kill();
      await ended;
    }
  });

  it('the route accepts a valid webhook and throws for an invalid one', async () => {
    const { path } = programOf('verify-a-webhook, TypeScript and JavaScript (2)');
    const route = join(folder, 'route.mjs');
    writeFileSync(
      route,
      `const { POST } = await import(${JSON.stringify(pathToFileURL(path).href)});
const [body, headers] = JSON.parse(process.argv[2]);
const request = (text) => new Request('http://127.0.0.1/hook', { method: 'POST', body: text, headers });
console.log((await POST(request(body))).status);
await POST(request(body + ' ')).catch((error) => console.log(error.code));`,
    );
    const args = JSON.stringify([eventBody, await signed(eventBody)]);
    const { stdout } = await run(process.execPath, [route, args], { cwd: folder, env: guideEnv() });
    expect(stdout).toBe('evt_01 trade.filled\n204\nsignature_mismatch\n');
  });

  it('the program for tests signs a webhook and verifies it', async () => {
    expect(await linesOf('verify-a-webhook, Try it')).toEqual(['trade.filled']);
  });
});

describe('sign a request', () => {
  it('a new key pair is linked to the account of the API key, and signs requests of that account', async () => {
    const count = async () => (await trader.api.publicKeys.list().toArray({ limit: 100 })).length;
    const before = await count();
    expect(await linesOf('sign-a-request, With the SDK')).toEqual(['public_key']);
    expect(await count()).toBe(before + 1);
  });

  it('the program of the specification links a key pair, and its answer has the documented fields', async () => {
    const page = readFileSync(join(root, `${SPECIFICATION}.md`), 'utf8');
    const documented = JSON.parse(/```json\n([\s\S]*?)```/.exec(page)?.[1] ?? '{}');
    const [status, text = ''] = await linesOf(`${SPECIFICATION}, Linking a key`);
    const answer = JSON.parse(text);
    expect(status).toBe('201');
    expect(Object.keys(answer)).toEqual(Object.keys(documented));
    expect(Object.keys(answer.data)).toEqual(Object.keys(documented.data));
    expect(answer.data.user_id).toBe((await trader.api.me.get()).id);
  });

  it('the API accepts the headers that the program for Node prints', async () => {
    const path = '/v1/trades?limit=5';
    const program = join(root, 'packages/signed-request/examples/javascript/sign-request.mjs');
    const env = guideEnv({ SVC_PRIVATE_KEY: Buffer.from(trader.privateKey).toString('hex') });
    const { stdout } = await run(process.execPath, [program, 'GET', path], { env });
    const headers = stdout
      .trim()
      .split('\n')
      .map((line) => /** @type {[string, string]} */ (line.split(': ')));
    const response = await fetch(product.restUrl + path, { headers });
    expect({ status: response.status, count: (await response.json()).data.length }).toEqual({
      status: 200,
      count: 5,
    });
  });
});
