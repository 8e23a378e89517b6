/** The packed SDK in a browser: in a page without a bundler, and in an app of Next, on both of its sides. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';
import {
  type ConsumerProjects,
  EXPECTED_RESULT_WITH_REALTIME,
  installConsumers,
  packedTarball,
  runProgram,
} from './consumer-projects.js';
import { type StubRestApi, startStubRestApi } from './stub-rest-api.js';

const BROWSER_ARGUMENTS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];
/** What only code that computes with the curve has in it: the end of its order. */
const CURVE = /baaedce6af48a03bbfd25e8cd0364141/i;

let consumers: ConsumerProjects;
let api: StubRestApi;
let settings: { baseURL: string; apiKey: string; privateKey: string };
let profile: string;
let browser: BrowserContext;
beforeAll(async () => {
  [consumers, api] = await Promise.all([installConsumers(), startStubRestApi()]);
  const privateKey = createHash('sha256').update('key of the pages').digest('hex');
  settings = { baseURL: api.baseURL, apiKey: api.apiKey, privateKey };
  profile = mkdtempSync(join(tmpdir(), 'sdk-browser-spec-'));
  browser = await chromium.launchPersistentContext(profile, {
    executablePath: String(process.env.TEST_BROWSER),
    args: BROWSER_ARGUMENTS,
  });
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await api?.close();
  await consumers?.remove();
  rmSync(profile, { recursive: true, force: true });
});

describe('a page without a bundler', () => {
  let pages: Server;
  beforeAll(async () => {
    pages = await serveFolder(consumers.folder);
  });
  afterAll(() => void pages?.close());

  it('runs the modules as they are published, against an API of another origin', async () => {
    const page = await browser.newPage();
    const faults: string[] = [];
    page.on('pageerror', ({ message }) => faults.push(message));
    await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/browser/index.html`);
    await page.waitForFunction('globalThis.played !== undefined');
    const told = await page.evaluate(`played(${JSON.stringify(settings)})`);
    expect(told).toEqual(EXPECTED_RESULT_WITH_REALTIME);
    expect(faults).toEqual([]);
    expect(new Set(api.requests.map(({ origin }) => origin))).toEqual(new Set([new URL(page.url()).origin]));
  });
});

describe('an app of Next', () => {
  let folder: string;
  let app: NextApp;
  beforeAll(async () => {
    folder = join(consumers.folder, 'next');
    await installNext(folder);
    await runProgram(process.execPath, [next(folder), 'build'], { cwd: folder, env: NEXT_ENVIRONMENT });
    app = await startNext(folder, { ...NEXT_ENVIRONMENT, SETTINGS: JSON.stringify(settings) });
  }, 300_000);
  afterAll(() => app?.stop());

  it('calls the API from a route of its server, signed, and listens to it', async () => {
    const answer = await fetch(`${app.url}/api/trades`);
    expect(await answer.json()).toEqual(EXPECTED_RESULT_WITH_REALTIME);
  });

  it('calls it from a component in the browser', async () => {
    const page = await browser.newPage();
    const { baseURL, apiKey } = settings;
    await page.goto(`${app.url}/#${new URLSearchParams({ baseURL, apiKey })}`);
    const count = page.locator('output', { hasText: /^\d+$/ });
    expect(await count.textContent()).toBe('3');
    expect(api.requests.at(-1)).toMatchObject({ credential: 'API key', origin: app.url });
  });

  it('sends the browser nothing that signs', () => {
    const pagesCode = codeIn(join(folder, '.next', 'static'));
    expect(pagesCode).toContain('x-api-key');
    expect(pagesCode).not.toMatch(CURVE);
    expect(codeIn(join(folder, '.next', 'server'))).toMatch(CURVE);
  });
});

const NEXT_ENVIRONMENT = { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' };
const next = (folder: string) => join(folder, 'node_modules', 'next', 'dist', 'bin', 'next');

/**
 * The packed SDK beside the Next of this workspace, by the workspace's package manager: what is in its store already
 * isn't fetched again. It links what a manifest declares and nothing else.
 */
async function installNext(folder: string): Promise<void> {
  const workspace = join(import.meta.dirname, '..', '..', '..');
  const { packageManager } = JSON.parse(await readFile(join(workspace, 'package.json'), 'utf8'));
  const { storeDir } = JSON.parse(await readFile(join(workspace, 'node_modules', '.modules.yaml'), 'utf8'));
  const own = createRequire(import.meta.url);
  const ofNext = createRequire(own.resolve('next/package.json'));
  const dependencies = {
    '@trading-automation/sdk': `file:${packedTarball()}`,
    next: own('next/package.json').version,
    react: ofNext('react/package.json').version,
    'react-dom': ofNext('react-dom/package.json').version,
    ws: own('ws/package.json').version,
  };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  const options = ['--ignore-workspace', '--ignore-scripts', '--prefer-offline', '--no-lockfile'];
  await runProgram('npx', ['--yes', packageManager, 'install', '--store-dir', storeDir, ...options], {
    cwd: folder,
  });
}

interface NextApp {
  readonly url: string;
  stop(): Promise<void>;
}

async function startNext(folder: string, env: Readonly<Record<string, string>>): Promise<NextApp> {
  const child: ChildProcess = spawn(process.execPath, [next(folder), 'start', '--port', '0'], {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  let said = '';
  for await (const chunk of child.stdout!.iterator({ destroyOnReturn: false })) {
    said += chunk;
    const port = /http:\/\/\S+?:(\d+)/.exec(said)?.[1];
    if (port === undefined || !/Ready/.test(said)) continue;
    child.stdout!.resume();
    return { url: `http://127.0.0.1:${port}`, stop };
  }
  throw new Error(`Next ended: ${said}`);
}

function codeIn(folder: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.js'))
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');
}

/** The files of a folder, each with its type. */
async function serveFolder(folder: string): Promise<Server> {
  const types: Record<string, string> = {
    '.html': 'text/html',
    '.mjs': 'text/javascript',
    '.js': 'text/javascript',
  };
  const server = createServer(async ({ url = '/' }, response) => {
    const file = join(folder, normalize(new URL(url, 'http://pages').pathname));
    const content = await readFile(file).catch(() => undefined);
    const type = types[extname(file)] ?? 'application/octet-stream';
    response.writeHead(content === undefined ? 404 : 200, { 'content-type': type }).end(content);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
