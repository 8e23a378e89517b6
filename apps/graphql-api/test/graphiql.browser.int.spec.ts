/** Tests GraphiQL in a real browser: one click signs the reader in, then schema, queries and subscriptions work. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@trading-automation/runtime/testing';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { TestEnvironment } from '../../rest-api/test/proofs/test-environment.js';
import { PublishedBook } from './sockets/published-book.js';
import { startTestGraphqlApi, type TestGraphqlApi } from './test-graphql-api.js';

const BROWSER_ARGUMENTS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];
const TIMEOUT_MS = 30_000;

let environment: TestEnvironment;
let api: TestGraphqlApi;
let profile: string;
let browser: BrowserContext;
let page: Page;
const problems: string[] = [];
beforeAll(async () => {
  environment = await TestEnvironment.open();
  api = await startTestGraphqlApi(environment.api.databaseUrl, { GRAPHIQL: 'true' });
  profile = mkdtempSync(join(tmpdir(), 'graphiql-spec-'));
  browser = await chromium.launchPersistentContext(profile, {
    executablePath: String(process.env.TEST_BROWSER),
    args: BROWSER_ARGUMENTS,
    viewport: { width: 1280, height: 800 },
  });
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await api?.close();
  await environment?.close();
  rmSync(profile, { recursive: true, force: true });
});
beforeEach(async () => {
  problems.length = 0;
  page = await browser.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  page.on('pageerror', ({ message }) => problems.push(message));
  // A refused asset, a violation of the Content-Security-Policy, or a worker that does not start.
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
  const response = await page.goto(`${api.url}/graphql`);
  if (response?.status() !== 200) throw new Error(await response?.text());
});
afterEach(() => page.close());

const signIn = async () => {
  await page.click('#sign-in');
  await page.waitForSelector('#sign-out:not([hidden])');
};
/** A script that returns the editor whose text is the named file of GraphiQL; undefined if it is not loaded. */
const editorOf = (file: string) => `globalThis.__MONACO?.editor.getEditors()
  .find((editor) => editor.getModel()?.uri.path.endsWith('${file}'))`;
/** Replaces the document in the editor, and waits until GraphiQL has parsed it, which is when it stores the text. */
async function write(text: string): Promise<void> {
  await eventually(async () => {
    const values = await page.evaluate(`(() => {
      const editor = ${editorOf('operation.graphql')};
      const text = ${JSON.stringify(text)};
      if (editor !== undefined && editor.getValue() !== text) editor.setValue(text);
      return [editor?.getValue(), localStorage.getItem('graphiql:query')];
    })()`);
    return (values as unknown[]).every((value) => value === text);
  });
}
const execute = () => page.click('.graphiql-execute-button');
/** Waits for a result; the Content-Security-Policy of the page prevents `waitForFunction`. */
async function resultMatching(pattern: RegExp): Promise<string> {
  let text = '';
  await eventually(async () => {
    text = String(await page.evaluate(`${editorOf('response.json')}?.getValue()`));
    return pattern.test(text);
  });
  return text;
}

describe('GraphiQL in a browser', () => {
  it('signs a query after one click, and after a reload of the page', async () => {
    await signIn();
    await write('{ me { id world credential { kind } } }');
    await execute();
    const first = JSON.parse(await resultMatching(/usr_/));
    expect(first.data.me).toMatchObject({ world: 'test', credential: { kind: 'public_key' } });
    await page.reload();
    await page.waitForSelector('#sign-out:not([hidden])');
    await write('{ me { id } }');
    await execute();
    expect(JSON.parse(await resultMatching(/usr_/)).data.me.id).toBe(first.data.me.id);
    expect(problems).toEqual([]);
  });

  it('shows the schema and completes fields', async () => {
    await signIn();
    await page.click('[aria-label="Show Documentation Explorer"]');
    await page.waitForSelector('.graphiql-doc-explorer >> text=Subscription');
    await write('{ me { id } }');
    await page.evaluate(`(() => {
      const editor = ${editorOf('operation.graphql')};
      editor.focus();
      editor.setPosition({ lineNumber: 1, column: 7 });
    })()`);
    await page.keyboard.press('Control+Space');
    await page.waitForSelector('.suggest-widget >> text=emailVerified');
    expect(page.workers().map((worker) => worker.url())).toContain(`${api.url}/graphiql/graphql.worker.js`);
    expect(problems).toEqual([]);
  });

  it('signs the connection of a subscription and shows its messages', async () => {
    const book = await PublishedBook.open(environment);
    await book.reset([['100', '2']], [['101', '3']]);
    await signIn();
    await write(`subscription { orderbookUpdate(tradePairId: "${book.pairId}", depth: 5) { kind bids } }`);
    await execute();
    expect(await resultMatching(/SNAPSHOT/)).toContain('"100"');
    await book.change([['99', '7']]);
    expect(await resultMatching(/DELTA/)).toContain('"99"');
    // The same button stops the subscription.
    await execute();
    book.close();
    expect([problems, book.errors]).toEqual([[], []]);
  });

  it('sends unsigned requests before the click and after the key is deleted', async () => {
    await write('{ me { id } }');
    await execute();
    await resultMatching(/authentication_required/);
    await signIn();
    await page.click('#sign-out');
    await page.waitForSelector('#sign-in:not([hidden])');
    await write('{ me { id } }');
    await execute();
    await resultMatching(/authentication_required/);
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });
});
