/**
 * Runs the packed SDK in a page without a bundler, and on the server and in the browser of a
 * Next.js app.
 */
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
/** The end of the curve's order, which only code that computes signatures contains. */
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

  it('runs the published modules against an API of another origin', async () => {
    const page = await browser.newPage();
    const pageErrors: string[] = [];
    page.on('pageerror', ({ message }) => pageErrors.push(message));
    await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/browser/index.html`);
    await page.waitForFunction('globalThis.runInPage !== undefined');
    const results = await page.evaluate(`runInPage(${JSON.stringify(settings)})`);
    expect(results).toEqual(EXPECTED_RESULT_WITH_REALTIME);
    expect(pageErrors).toEqual([]);
    expect(new Set(api.requests.map(({ origin }) => origin))).toEqual(new Set([new URL(page.url()).origin]));
  });
});

describe('a Next.js app', () => {
  let folder: string;
  let app: NextApp;
  beforeAll(async () => {
    folder = join(consumers.folder, 'next');
    await installNext(folder);
    await runProgram(process.execPath, [nextBinary(folder), 'build'], { cwd: folder, env: NEXT_ENVIRONMENT });
    app = await startNext(folder, { ...NEXT_ENVIRONMENT, SETTINGS: JSON.stringify(settings) });
  }, 300_000);
  afterAll(() => app?.stop());

  it('sends signed requests and receives live data in a server route', async () => {
    const response = await fetch(`${app.url}/api/trades`);
    expect(await response.json()).toEqual(EXPECTED_RESULT_WITH_REALTIME);
  });

  it('calls the API from a component in the browser', async () => {
    const page = await browser.newPage();
    const { baseURL, apiKey } = settings;
    await page.goto(`${app.url}/#${new URLSearchParams({ baseURL, apiKey })}`);
    const count = page.locator('output', { hasText: /^\d+$/ });
    expect(await count.textContent()).toBe('3');
    expect(api.requests.at(-1)).toMatchObject({ credential: 'API key', origin: app.url });
  });

  it('sends no signing code to the browser', () => {
    const browserCode = codeIn(join(folder, '.next', 'static'));
    expect(browserCode).toContain('x-api-key');
    expect(browserCode).not.toMatch(CURVE);
    expect(codeIn(join(folder, '.next', 'server'))).toMatch(CURVE);
  });
});

const NEXT_ENVIRONMENT = { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' };
const nextBinary = (folder: string) => join(folder, 'node_modules', 'next', 'dist', 'bin', 'next');

/**
 * Installs the packed SDK and the workspace's version of Next.js with the workspace's package
 * manager: packages in its store are not downloaded again, and only declared packages are linked.
 */
async function installNext(folder: string): Promise<void> {
  const workspace = join(import.meta.dirname, '..', '..', '..');
  const { packageManager } = JSON.parse(await readFile(join(workspace, 'package.json'), 'utf8'));
  const { storeDir } = JSON.parse(await readFile(join(workspace, 'node_modules', '.modules.yaml'), 'utf8'));
  const requireHere = createRequire(import.meta.url);
  const requireFromNext = createRequire(requireHere.resolve('next/package.json'));
  const dependencies = {
    '@trading-automation/sdk': `file:${packedTarball()}`,
    next: requireHere('next/package.json').version,
    react: requireFromNext('react/package.json').version,
    'react-dom': requireFromNext('react-dom/package.json').version,
    ws: requireHere('ws/package.json').version,
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
  const child: ChildProcess = spawn(process.execPath, [nextBinary(folder), 'start', '--port', '0'], {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  let output = '';
  for await (const chunk of child.stdout!.iterator({ destroyOnReturn: false })) {
    output += chunk;
    const port = /http:\/\/\S+?:(\d+)/.exec(output)?.[1];
    if (port === undefined || !/Ready/.test(output)) continue;
    child.stdout!.resume();
    return { url: `http://127.0.0.1:${port}`, stop };
  }
  throw new Error(`Next.js ended: ${output}`);
}

function codeIn(folder: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.js'))
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');
}

/** Serves the files of a folder with their content types. */
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
