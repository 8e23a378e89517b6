/** The main paths of keys and rewards, clicked as people do: create and revoke an API key, claim and withdraw. */
import { readFileSync } from 'node:fs';
import { Client, createSigner } from '../../launch/sdk.mjs';
import { signInByApiKey } from './browser.mjs';
import { openSharedDashboard } from './shared-dashboard.mjs';
import { closeTop, goTo, openPersonOf, untilHeading } from './steps.mjs';

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';

/** @type {import('./shared-dashboard.mjs').SharedDashboard} */
let dashboard;
beforeAll(async () => {
  dashboard = await openSharedDashboard();
}, 120_000);
afterAll(() => dashboard?.close(), 60_000);

/** Reloads the page until it shows an element. */
async function untilShown(page, element) {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const isShown = await element.waitFor({ timeout: 3_000 }).then(
      () => true,
      () => false,
    );
    if (isShown) return;
    await page.reload();
  }
  throw new Error('The page does not show the element.');
}

it('the command palette opens the emergency stop and signs out', async () => {
  const { page, problems, context } = await openPersonOf(dashboard, 'palette');
  const search = page.getByRole('button', { name: 'Search and commands' });
  const choose = async (name) => {
    await search.click();
    await page.getByPlaceholder('Search pages, actions and pairs').fill(name);
    await page.keyboard.press('Enter');
  };
  await goTo(page, 'API keys');
  await choose('emergency stop');
  const question = page.getByRole('dialog', { name: 'Stop all trading?' });
  await question.getByLabel('Type STOP to confirm').waitFor();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'detached' });
  await search.and(page.locator(':focus')).waitFor();
  await choose('keyboard shortcuts');
  await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
  await closeTop(page);
  await search.and(page.locator(':focus')).waitFor();
  await page.getByRole('banner').getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click();
  await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
  await closeTop(page);
  await page.getByRole('dialog', { name: 'Keyboard' }).waitFor({ state: 'detached' });
  await choose('sign out');
  await untilHeading(page, 'Sign in');
  expect(problems).toEqual([]);
  await context.close();
}, 120_000);

it('a request of the reference is found in the request log, and the samples have the typed values', async () => {
  const { page, problems, context } = await openPersonOf(dashboard, 'requests');
  await page.goto('/developers/reference?operation=trades.get');
  await page.locator('form').getByRole('textbox').first().fill('trd_00000000000000000000000000');
  await page.getByRole('tab', { name: 'curl' }).click();
  const { restUrl } = dashboard.product;
  await page.getByText(`"${restUrl}/v1/trades/trd_00000000000000000000000000"`).waitFor();
  await page.getByRole('tab', { name: 'Try it' }).click();
  await page.getByRole('button', { name: 'Send request' }).click();
  await page.getByText('Status 404').waitFor();
  const requestId = String(
    await page.locator('p').filter({ hasText: 'Request id' }).locator('code').textContent(),
  );

  await page.getByRole('button', { name: 'Search and commands' }).click();
  await page.getByPlaceholder('Search pages, actions and pairs').fill('dead letters');
  await page.getByRole('option', { name: 'Webhooks: Dead letters' }).waitFor();
  const drawer = page.getByRole('dialog', { name: 'Request', exact: true });
  await page.getByPlaceholder('Search pages, actions and pairs').fill(requestId);
  await page.getByRole('option', { name: 'Find this request in the request log' }).click();
  await drawer.waitFor();
  // A request appears in the log within some seconds.
  const found = drawer.getByText('not_found', { exact: true });
  await untilShown(page, found);
  await drawer.getByText('/v1/trades/:id').waitFor();
  await drawer.getByText(requestId, { exact: true }).waitFor();
  await closeTop(page);
  await drawer.waitFor({ state: 'detached' });
  // The browser reports the response with the status 404.
  expect(problems).toEqual([expect.stringContaining('status of 404')]);
  await context.close();
}, 120_000);

it('the other browser sessions are ended, and this one stays', async () => {
  const { page, api, problems, context } = await openPersonOf(dashboard, 'sessions');
  const { key } = await api.apiKeys.create({ name: 'other', permissions: ['ADMIN'] });
  const other = await dashboard.browser.newPerson();
  await signInByApiKey(other.page, key);
  await page.goto('/settings/sessions');
  await page.getByRole('button', { name: 'Sign out all others' }).click();
  const question = page.getByRole('dialog', { name: 'Sign out all other browsers?' });
  await question.getByText('The other browser session ends immediately.').waitFor();
  await question.getByRole('button', { name: 'Sign out all others' }).click();
  await question.waitFor({ state: 'detached' });
  await page.getByText('This browser').waitFor();
  expect(await api.browserSessions.list().toArray({ limit: 10 })).toHaveLength(1);
  await page.getByRole('button', { name: 'Sign out all others' }).waitFor({ state: 'detached' });
  expect(problems).toEqual([]);
  await Promise.all([context.close(), other.context.close()]);
}, 120_000);

it('an API key is shown once, works until it is revoked, and is then refused', async () => {
  const { page, problems, context } = await openPersonOf(dashboard, 'keys');
  const statusWith = async (key) =>
    (await fetch(`${dashboard.product.restUrl}/v1/me`, { headers: { 'x-api-key': key } })).status;
  await goTo(page, 'API keys');
  await page.getByRole('button', { name: 'Create key' }).first().click();
  const form = page.getByRole('dialog', { name: 'Create an API key' });
  await form.getByText('withdraw tokens').waitFor();
  await form.getByRole('button', { name: 'Create key' }).click();
  await form.getByLabel('Name').and(page.locator('[aria-invalid=true]')).waitFor();
  await form.getByLabel('Name').fill('Bot');
  await form.getByRole('button', { name: 'Create key' }).click();
  const shown = page.getByRole('dialog', { name: 'API key “Bot”' });
  const key = String(await shown.getByText(/^svc_test_/).textContent());
  expect(await statusWith(key)).toBe(200);
  // The key cannot be lost by one careless click.
  await closeTop(page);
  await shown.getByText(/Copy the key first/).waitFor();
  await shown.getByRole('button', { name: 'I stored the key' }).click();
  await shown.waitFor({ state: 'detached' });
  expect(await page.content()).not.toContain(key);

  const row = page.getByRole('row', { name: /^Bot/ });
  await row.getByText('Read', { exact: true }).waitFor();
  expect(await row.getByText('Trade').count()).toBe(0);
  await row.getByRole('button', { name: 'Actions of Bot' }).click();
  await page.getByRole('menuitem', { name: 'Revoke key' }).click();
  const question = page.getByRole('dialog', { name: 'Revoke “Bot”?' });
  await question.getByText('It was last used').waitFor();
  await question.getByRole('button', { name: 'Revoke key' }).click();
  await question.waitFor({ state: 'detached' });
  await row.waitFor({ state: 'detached' });
  expect(await statusWith(key)).toBe(401);
  expect(problems).toEqual([]);
  await context.close();
}, 180_000);

it('a key pair that the page made is linked, and signs for the account', async () => {
  const { page, api, problems, context } = await openPersonOf(dashboard, 'identities');
  await goTo(page, 'Identities');
  await page.getByRole('button', { name: 'Link public key' }).click();
  const form = page.getByRole('dialog', { name: 'Link a public key' });
  await form.getByLabel('Label').fill('Price bot');
  await form.getByRole('button', { name: 'Create key pair' }).click();
  const link = form.getByRole('button', { name: 'Link public key' });
  // A key that was not saved must not become a way into the account.
  expect(await link.isDisabled()).toBe(true);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    form.getByRole('button', { name: 'Save the key file' }).click(),
  ]);
  await link.click();
  await form.waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /^Price bot/ }).waitFor();
  const signer = createSigner(readFileSync(String(await download.path()), 'utf8').trim());
  const owner = new Client({ baseURL: dashboard.product.restUrl, signer });
  expect((await owner.me.get()).id).toBe((await api.me.get()).id);

  await page.goto('/settings/notifications');
  const byMail = page.getByRole('checkbox', { name: 'Trade filled, by mail' });
  await page.getByRole('link', { name: 'Add your address' }).waitFor();
  expect(await byMail.isDisabled()).toBe(true);
  expect(problems).toEqual([]);
  await context.close();
}, 120_000);

it('a reward is claimed and withdrawn, and the withdrawal is cancelled', async () => {
  const { page, api, problems, context } = await openPersonOf(dashboard, 'rewards');
  await goTo(page, 'Rewards');
  await page.getByRole('button', { name: 'Claim all' }).click();
  const question = page.getByRole('dialog', { name: 'Claim 1 reward?' });
  await question.getByText('25.00 SVC-TEST').waitFor();
  await question.getByRole('button', { name: 'Claim all' }).click();
  await question.waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /Sign-up 25.00.SVC-TEST Claimed/ }).waitFor();

  await page.getByRole('link', { name: 'Withdraw tokens' }).click();
  await untilHeading(page, 'Withdraw tokens');
  await page.getByRole('textbox', { name: /^Amount in/ }).fill('26');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.locator('[aria-invalid=true]').waitFor();
  await page.getByRole('button', { name: 'Use all' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('Wallet address').fill(WALLET);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Check and confirm' }).waitFor();
  await page.getByRole('checkbox', { name: /I compared the address/ }).check();
  await page.getByRole('button', { name: 'Withdraw 25 SVC-TEST' }).click();
  await page.getByRole('heading', { name: 'The withdrawal is requested' }).waitFor();
  await page.getByRole('link', { name: 'Follow its progress' }).click();
  const drawer = page.getByRole('dialog', { name: 'Withdrawal' });
  await drawer.getByText('Pending').first().waitFor();
  const { data: requested } = await api.withdrawals.list();
  expect(requested).toMatchObject([{ status: 'PENDING', amount: 25, wallet_address: WALLET }]);
  expect(await api.rewards.balance()).toMatchObject({ available: 0, held: 25 });

  await drawer.getByRole('button', { name: 'Cancel withdrawal' }).click();
  const cancel = page.getByRole('dialog', { name: /Cancel/ }).last();
  await cancel.getByRole('button', { name: 'Cancel withdrawal' }).click();
  await drawer.getByText('Cancelled', { exact: true }).first().waitFor();
  await closeTop(page);
  await page.getByText('Available 25.00').waitFor();
  expect(await api.rewards.balance()).toMatchObject({ available: 25, held: 0 });
  expect(problems).toEqual([]);
  await context.close();
}, 180_000);
