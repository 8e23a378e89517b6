/** The dashboard runs from what its image contains, with nothing but its environment, and as a user who cannot change it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../launch/ports.mjs';
import { openTrader } from '../accounts.mjs';
import { startProduct } from '../product.mjs';
import { stageApp } from '../staged-app.mjs';

/** @type {import('../product.mjs').Product} */
let product;
let apiKey = '';
let folder = '';
/** @type {import('node:child_process').ChildProcess | undefined} */
let child;
let url = '';
let output = '';
beforeAll(async () => {
  product = await startProduct({ graphqlApis: 1 });
  const { api } = await openTrader(product, 'dashboard image');
  ({ key: apiKey } = await api.apiKeys.create({ name: 'image', permissions: ['READ'] }));
  folder = mkdtempSync(join(tmpdir(), 'trading-automation-image-'));
  stageApp('dashboard', join(folder, 'app'));
  await start();
}, 120_000);
afterAll(async () => {
  if (child?.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await product?.stop();
  if (folder !== '') rmSync(folder, { recursive: true });
}, 60_000);

/** Starts the process as the image does, and waits until it is ready. */
async function start() {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  child = spawn(process.execPath, ['--enable-source-maps', 'dist/main.js'], {
    cwd: join(folder, 'app'),
    env: {
      NODE_ENV: 'production',
      WORLD: 'test',
      PORT: String(port),
      PUBLIC_URL: url,
      REST_URL: product.restUrl,
      GRAPHQL_URL: product.urlOf('graphql-api'),
      SESSION_KEYS: `k1:${'a1'.repeat(32)}`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the dashboard ended: ${output}`);
  });
  const ready = new Promise((resolve) => {
    for (const stream of [child?.stdout, child?.stderr])
      stream?.setEncoding('utf8').on('data', (text) => {
        output += text;
        if (output.includes('process.ready')) resolve(undefined);
      });
  });
  await Promise.race([ready, ended]);
  ended.catch(() => undefined);
}

it('signs in, shows a page with all of its files, and forwards a request', async () => {
  const signedIn = await fetch(`${url}/api/session/api-key`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: apiKey }),
  });
  expect(signedIn.status).toBe(200);
  const set = signedIn.headers.getSetCookie().find((value) => value.startsWith('session='));
  const headers = { cookie: String(set?.split(';')[0]) };
  const page = await (await fetch(`${url}/trades`, { headers })).text();
  const files = new Set(
    [...page.matchAll(/(?:src|href)="(\/_next\/static\/[^"]+)"/g)].map(([, file]) => file),
  );
  expect(files.size).toBeGreaterThan(5);
  for (const file of files) expect([file, (await fetch(url + file)).status]).toEqual([file, 200]);
  const me = await (await fetch(`${url}/api/v1/me`, { headers })).json();
  expect(me.data.credential).toMatchObject({ kind: 'browser_session' });
});

it('ends in an orderly way', async () => {
  child?.kill('SIGTERM');
  const [code] = child?.exitCode === null ? await once(child, 'exit') : [child?.exitCode];
  expect([code, output]).toEqual([0, expect.stringContaining('process.stopping')]);
});
