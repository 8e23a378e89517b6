/** Tests signing in and out of the dashboard in a real browser, against the whole product and the real CLI. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../launch/first-trade/scenario.mjs';
import { openTrader } from '../accounts.mjs';
import { signInByApiKey } from './browser.mjs';
import { openSharedDashboard } from './shared-dashboard.mjs';

/** @type {import('./shared-dashboard.mjs').SharedDashboard} */
let dashboard;
/** @type {import('./shared-dashboard.mjs').SharedDashboard['product']} */
let product;
/** @type {import('./browser.mjs').Browser} */
let browser;
/** @type {ReturnType<import('./shared-dashboard.mjs').SharedDashboard['openHome']>} */
let home;
/** @type {Awaited<ReturnType<typeof openTrader>>} */
let trader;
let apiKey = '';
let adminKey = '';
beforeAll(async () => {
  dashboard = await openSharedDashboard();
  ({ product, browser } = dashboard);
  home = dashboard.openHome();
  trader = await openTrader(product, 'dashboard sign-in');
  ({ key: apiKey } = await trader.api.apiKeys.create({ name: 'pasted', permissions: ['READ', 'TRADE'] }));
  ({ key: adminKey } = await trader.api.apiKeys.create({ name: 'everything', permissions: ['ADMIN'] }));
}, 120_000);
afterAll(() => dashboard?.close(), 60_000);

const onOverview = (page) => page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
const onSignIn = (page) => page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
const sessionCookie = async (context) =>
  (await context.cookies()).find(({ name }) => name === 'session' || name === '__Host-session');

describe('a sign-in by code', () => {
  it('waits for the approval by the CLI and then shows the wanted page of the account', async () => {
    const login = await home.svc(['auth', 'login', '--base-url', product.restUrl]);
    expect(login).toMatchObject({ code: 0 });
    const { page, problems, context } = await browser.newPerson();
    await page.goto('/trades');
    await onSignIn(page);
    await page.getByRole('button', { name: 'Show a code' }).click();
    const shown = await page.getByTestId('user-code').textContent();
    expect(shown).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(await sessionCookie(context)).toBeUndefined();

    const approved = await home.svc(['auth', 'approve', String(shown), '--yes']);
    expect(approved).toMatchObject({ code: 0 });
    expect(approved.stdout + approved.stderr).toContain('Dashboard: Chrome on Linux');
    // The page that was wanted before the sign-in.
    await page.getByRole('heading', { name: 'Trades', level: 1 }).waitFor();
    const id = (await home.svc(['auth', 'whoami'])).stdout.trim();
    await page.getByRole('banner').getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menu').getByText(id.slice(0, 9)).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('ends if the user refuses it', async () => {
    const { page, context } = await browser.newPerson();
    await page.goto('/sign-in');
    await page.getByRole('button', { name: 'Show a code' }).click();
    const code = String(await page.getByTestId('user-code').textContent());
    expect(await home.svc(['auth', 'deny', code])).toMatchObject({ code: 0 });
    await page.getByText('The code was refused.').waitFor();
    expect(await sessionCookie(context)).toBeUndefined();
    await context.close();
  });
});

describe('a sign-in with an API key', () => {
  it('exchanges the key for a session with its permissions, and keeps the key nowhere', async () => {
    const { page, context, problems } = await browser.newPerson();
    await signInByApiKey(page, apiKey);
    const { data } = await trader.api.browserSessions.list();
    expect(data[0]).toMatchObject({
      client_name: 'Dashboard: Chrome on Linux',
      permissions: ['READ', 'TRADE'],
      address: '127.0.0.1',
      approved_by: { kind: 'api_key' },
    });
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    expect(kept + JSON.stringify(await context.cookies()) + (await page.content())).not.toContain(apiKey);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('says what is wrong with another key', async () => {
    const { page, context } = await browser.newPerson();
    await page.goto('/sign-in');
    await page.getByRole('tab', { name: 'API key' }).click();
    const field = page.getByPlaceholder('svc_…');
    for (const [key, message] of [
      ['secret', 'This is not an API key.'],
      [`${apiKey.slice(0, -4)}0000`, 'The API key'],
    ]) {
      await field.fill(key);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').getByText(message).waitFor();
      expect(await field.inputValue()).toBe('');
    }
    expect(await sessionCookie(context)).toBeUndefined();
    await context.close();
  });
});

describe('a new account', () => {
  it('is opened by a key pair of the page, whose file signs the CLI in to the same account', async () => {
    const { page, context, problems } = await browser.newPerson({ acceptDownloads: true });
    /** @type {string[]} */
    const sent = [];
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
    await page.goto('/sign-in');
    await page.getByRole('tab', { name: 'New account' }).click();
    await page.getByRole('button', { name: 'Create an account' }).click();
    const go = page.getByRole('button', { name: 'Continue to the dashboard' });
    await go.waitFor();
    expect(await go.isDisabled()).toBe(true);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save the key file' }).click(),
    ]);
    const file = join(home.folder, 'trading-automation.key');
    writeFileSync(file, readFileSync(await download.path()));
    const key = readFileSync(file, 'utf8').trim();
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(sent.filter((text) => text.includes(key))).toEqual([]);
    await go.click();
    await onOverview(page);
    const ofPage = await page.evaluate(async () => (await (await fetch('/api/v1/me')).json()).data);
    expect(ofPage.credential).toMatchObject({ kind: 'browser_session' });

    const login = `svc auth login --profile saved --base-url ${product.restUrl} --key-stdin < ${file}`;
    expect(await home.shell(login)).toMatchObject({ code: 0 });
    const { stdout } = await home.svc(['auth', 'whoami', '--profile', 'saved']);
    expect(stdout.trim()).toBe(ofPage.id);

    // It is also the way back into the account in this browser. A page that stays open would navigate to the sign-in at the same time.
    const comeBack = async () => {
      await page.goto('about:blank');
      await context.clearCookies();
      await page.goto('/sign-in');
    };
    await comeBack();
    await page.getByRole('tab', { name: 'Key file' }).click();
    const choose = (/** @type {string} */ content) =>
      page
        .getByLabel('Key file')
        .and(page.locator('input'))
        .setInputFiles({ name: 'any.key', mimeType: 'text/plain', buffer: Buffer.from(content) });
    await choose('not a key');
    await page.getByText('This file holds no private key.').waitFor();
    await choose(`${key}\n`);
    await onOverview(page);
    expect(await page.evaluate(async () => (await (await fetch('/api/v1/me')).json()).data.id)).toBe(
      ofPage.id,
    );
    expect(sent.filter((text) => text.includes(key))).toEqual([]);
    expect(problems).toEqual([]);

    // A key without an account opens none.
    await comeBack();
    await page.getByRole('tab', { name: 'Key file' }).click();
    await choose('3'.padStart(64, '0'));
    await page.getByRole('alert').waitFor();
    expect(await sessionCookie(context)).toBeUndefined();
    await context.close();
  });
});

describe('a session', () => {
  it('ends at the API when the user signs out; an old cookie is worth nothing', async () => {
    const { page, context } = await browser.newPerson();
    await signInByApiKey(page, apiKey);
    const cookie = await sessionCookie(context);
    await page.getByRole('banner').getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await onSignIn(page);
    expect(await sessionCookie(context)).toBeUndefined();
    await context.addCookies([cookie]);
    const status = await page.evaluate(async () => (await fetch('/api/v1/me')).status);
    expect(status).toBe(401);
    await context.close();
  });

  it('ends in every browser when the user signs out everywhere', async () => {
    const people = [await browser.newPerson(), await browser.newPerson()];
    for (const { page } of people) await signInByApiKey(page, adminKey);
    const [{ page: here, context }, { page: there, context: otherContext }] = people;
    const cookies = await Promise.all(people.map((each) => sessionCookie(each.context)));
    await there.goto('/trades');
    await here.goto('/settings/sessions');
    await here.getByRole('button', { name: 'Sign out everywhere' }).click();
    await here
      .getByRole('alertdialog')
      .or(here.getByRole('dialog'))
      .getByRole('button', { name: /sign out/i })
      .click();
    // The other browser leaves its page on its own.
    await Promise.all([onSignIn(here), onSignIn(there)]);
    expect(await trader.api.browserSessions.list().toArray({ limit: 10 })).toEqual([]);
    await context.addCookies([cookies[0]]);
    await otherContext.addCookies([cookies[1]]);
    for (const page of [here, there])
      expect(await page.evaluate(async () => (await fetch('/api/v1/me')).status)).toBe(401);
    for (const each of people) await each.context.close();
  });

  it('that was ended elsewhere leads to the sign-in with the reason, and back afterwards', async () => {
    const { page, context } = await browser.newPerson();
    await signInByApiKey(page, apiKey);
    await page.goto('/trades?status=FILLED');
    await page.getByRole('heading', { name: 'Trades', level: 1 }).waitFor();
    await trader.api.browserSessions.revokeAll();
    // The page leaves on its own: its live data ends with the session.
    await onSignIn(page);
    await page.getByText('Your session was signed out.').waitFor();
    await page.getByRole('tab', { name: 'API key' }).click();
    await page.getByPlaceholder('svc_…').fill(apiKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await until(
      async () => new URL(page.url()),
      ({ pathname, search }) => pathname === '/trades' && search === '?status=FILLED',
    );
    await context.close();
  });
});
