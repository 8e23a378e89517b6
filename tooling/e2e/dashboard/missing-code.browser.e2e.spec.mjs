/** The dashboard is updated while a tab is open: the code that the tab has not loaded yet is gone from the server. */
import { openTrader } from '../accounts.mjs';
import { signInByApiKey } from './browser.mjs';
import { openSharedDashboard } from './shared-dashboard.mjs';
import { goTo, untilHeading } from './steps.mjs';

/** @type {import('./shared-dashboard.mjs').SharedDashboard} */
let dashboard;
beforeAll(async () => {
  dashboard = await openSharedDashboard();
}, 120_000);
afterAll(() => dashboard?.close(), 60_000);

const CHUNKS = '**/_next/static/chunks/**';
/** Words of the parts that must work in any case: the emergency stop, its frame, the items of the account menu, the toaster. */
const ESSENTIAL = ['Stop all trading?', 'max-w-120', 'Sign out', 'data-sonner-toaster'];

/** Waits until the page has loaded a script that contains the words. */
const untilScript = (page, words) =>
  page.waitForResponse(
    async (response) =>
      response.url().includes('/_next/static/chunks/') && (await response.text()).includes(words),
  );

/** Opens a tab that has loaded what it loads on its own, and then loses the server's code. */
async function openOutdatedTab(label) {
  const trader = await openTrader(dashboard.product, `${label} ${crypto.randomUUID()}`);
  const { key } = await trader.api.apiKeys.create({ name: 'missing code', permissions: ['ADMIN'] });
  const { page, context } = await dashboard.browser.newPerson();
  const isPreloaded = Promise.all(ESSENTIAL.map((words) => untilScript(page, words)));
  await signInByApiKey(page, key);
  await isPreloaded;
  await context.route(CHUNKS, (route) => route.abort());
  return { page, context };
}

const noticeOf = (page) =>
  page
    .getByRole('alert')
    .filter({ hasText: 'The dashboard was updated or cannot be reached.' })
    .getByRole('button', { name: 'Reload page' });

it('the emergency stop and the sign-out still open, and another part says that the page must be reloaded', async () => {
  const { page, context } = await openOutdatedTab('outdated tab');
  await page.getByRole('button', { name: 'Emergency stop' }).click();
  await page
    .getByRole('dialog', { name: 'Stop all trading?' })
    .getByRole('button', { name: 'Cancel' })
    .click();
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
  await page.keyboard.press('Escape');
  expect(await noticeOf(page).count()).toBe(0);

  await page.getByRole('button', { name: 'Search and commands' }).click();
  await noticeOf(page).waitFor();
  expect(await page.getByPlaceholder('Search pages, actions and pairs').count()).toBe(0);

  await context.unroute(CHUNKS);
  await noticeOf(page).click();
  await untilHeading(page, 'Overview');
  await noticeOf(page).waitFor({ state: 'detached' });
  await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Search and commands' }).click();
  await page.getByPlaceholder('Search pages, actions and pairs').waitFor();
  await context.close();
}, 120_000);

it('a page whose code is gone says so in place of its content', async () => {
  const { page, context } = await openOutdatedTab('outdated page');
  const link = page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: 'Rewards', exact: true });
  await link.click();
  await untilHeading(page, 'This page could not be loaded.');
  const reload = page.getByRole('main').getByRole('button', { name: 'Reload page' });
  await context.unroute(CHUNKS);
  await reload.click();
  await untilHeading(page, 'Rewards');
  await goTo(page, 'Overview');
  await context.close();
}, 120_000);
