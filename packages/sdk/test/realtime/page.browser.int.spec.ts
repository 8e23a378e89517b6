/** Tests live data in a page, with the WebSocket and the cryptography of the browser, over several disconnects. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { privateKey, StubRealtimeServer } from './stub-realtime-server.js';

const BROWSER_ARGUMENTS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];
const PROGRAM = `
  import { Client } from './src/index.js';
  import { createSigner } from './src/signer/index.js';
  import { Realtime } from './src/realtime/index.js';
  globalThis.openStreams = (baseURL, key) => {
    const live = new Realtime(new Client({ baseURL, signer: createSigner(key) }), { reconnectDelay: () => 1 });
    globalThis.signals = live.tradeSignals('str_1', { afterSequence: 0 });
    globalThis.books = live.orderbook('tpr_1');
    globalThis.live = live;
  };
`;

let server: StubRealtimeServer;
let profile: string;
let browser: BrowserContext;
let page: Page;
let code: string;
beforeAll(async () => {
  profile = mkdtempSync(join(tmpdir(), 'sdk-realtime-spec-'));
  browser = await chromium.launchPersistentContext(profile, {
    executablePath: String(process.env.TEST_BROWSER),
    args: BROWSER_ARGUMENTS,
  });
  const { outputFiles } = await build({
    stdin: { contents: PROGRAM, resolveDir: join(import.meta.dirname, '..', '..') },
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    conditions: ['@trading-automation/source'],
  });
  code = outputFiles[0]!.text;
}, 60_000);
beforeEach(async () => {
  server = await StubRealtimeServer.open();
  server.change([['100', '2']], [['101', '3']]);
  page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.port}/`);
  // A classic script has run when the call returns; a module may run later.
  await page.addScriptTag({ content: code });
  const key = Buffer.from(privateKey).toString('hex');
  await page.evaluate(`openStreams('http://127.0.0.1:${server.port}', '${key}')`);
});
afterEach(async () => {
  await page.close();
  await server.close();
});
afterAll(async () => {
  await browser?.close();
  rmSync(profile, { recursive: true, force: true });
});

const next = (stream: string) => page.evaluate(`${stream}.next().then(({ value }) => value)`);

it('each signal arrives once despite disconnects, and all streams share one signed connection', async () => {
  expect(await next('books')).toMatchObject({ bids: [[100, 2]], asks: [[101, 3]] });
  for (let round = 1; round <= 3; round++) {
    server.signal(2);
    expect(await next('signals')).toMatchObject({ sequence: 2 * round - 1 });
    server.cut();
    expect(await next('signals')).toMatchObject({ sequence: 2 * round });
    await server.waitUntil(() => server.handshakes.length > round && server.openSockets === 1);
  }
  server.change([['100', '0']]);
  await page.evaluate('live.close()');
  await server.waitUntil(() => server.openSockets === 0);
  expect(server.handshakes).toHaveLength(4);
});

it('a fatal close code throws its error', async () => {
  await next('books');
  const failure = page.evaluate(
    `(async () => { for await (const _ of books); })().catch(({ name, code }) => name + ' ' + code)`,
  );
  server.closeAll(4412, 'Credential ended');
  expect(await failure).toBe('AuthenticationError unknown_public_key');
});
