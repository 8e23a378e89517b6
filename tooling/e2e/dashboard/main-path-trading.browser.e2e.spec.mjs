/** The main path of a trader, clicked as people do: sign in by code, connect an account, place, watch and cancel, sign out. */
import { until } from '../../launch/first-trade/scenario.mjs';
import { openSharedDashboard } from './shared-dashboard.mjs';
import {
  closeTop,
  connectPaperAccount,
  goTo,
  openTicket,
  placeOrder,
  signInByCode,
  signOut,
  untilHeading,
} from './steps.mjs';

/** @type {import('./shared-dashboard.mjs').SharedDashboard} */
let dashboard;
beforeAll(async () => {
  dashboard = await openSharedDashboard();
}, 120_000);
afterAll(() => dashboard?.close(), 60_000);

/** Reads a record with the command line of the person, as JSON. */
const readJson = async (home, args) => JSON.parse((await home.svc([...args, '--json'])).stdout);

it('a new trader signs in by code, connects a paper account, watches a fill, cancels an order and signs out', async () => {
  const { product, browser } = dashboard;
  const home = dashboard.openHome();
  const { page, problems, context } = await browser.newPerson();
  await signInByCode(page, home, product.restUrl);

  await page.getByRole('link', { name: /Connect an exchange/ }).click();
  await untilHeading(page, 'Connect exchange');
  await connectPaperAccount(page, { paperExchangeUrl: product.paperExchangeUrl, name: 'Practice' });
  const account = page.getByRole('dialog', { name: 'Practice' });
  // The balances appear as soon as the worker has read them.
  await account.getByRole('row', { name: /USDT 100,000.00 0.00 100,000.00/ }).waitFor();
  await closeTop(page);
  await page.getByRole('region', { name: 'Practice' }).getByText('All balances read').waitFor();

  await openTicket(page);
  const filled = await placeOrder(page, { amount: '0.0123' });
  await filled.getByText('Filled', { exact: true }).first().waitFor();
  await filled.getByText('This order is final.').waitFor();
  const fills = filled.getByRole('region', { name: 'Fills' });
  await fills.getByRole('row', { name: /0\.0123.*taker/ }).waitFor();
  const [filledId] = new URL(page.url()).pathname.split('/').slice(-1);
  expect(await readJson(home, ['trades', 'get', filledId])).toMatchObject({
    status: 'FILLED',
    type: 'MARKET',
    filled_amount: '0.0123',
  });
  await closeTop(page);
  await page.getByRole('row', { name: /BTC\/USDT.*Buy.*100.%.*Filled/ }).waitFor();

  await openTicket(page);
  const open = await placeOrder(page, { amount: '0.02', price: '10000' });
  await open.getByText('Pending').waitFor();
  await open.getByRole('button', { name: 'Cancel order' }).click();
  const question = page.getByRole('dialog', { name: 'Cancel this order?' });
  await question.getByText('0.02 BTC').waitFor();
  await question.getByRole('button', { name: 'Cancel order' }).click();
  await question.waitFor({ state: 'detached' });
  await open.getByText('Cancelled', { exact: true }).first().waitFor();
  const [cancelledId] = new URL(page.url()).pathname.split('/').slice(-1);
  expect(await readJson(home, ['trades', 'get', cancelledId])).toMatchObject({
    status: 'CANCELLED',
    cancel_reason: 'USER',
    filled_amount: '0',
  });
  await closeTop(page);
  await page.getByRole('row', { name: /0.02.*Cancelled/ }).waitFor();

  await openTicket(page);
  await placeOrder(page, { amount: '0.03', price: '10000' });
  await closeTop(page);
  await page.getByText('Open orders (1)').click();
  const openOrders = page.getByRole('region', { name: 'Open orders', exact: true });
  await openOrders.getByRole('button', { name: 'Cancel order: BTC/USDT buy of 0.03 BTC' }).click();
  await question.getByText('0.03 BTC').waitFor();
  await question.getByRole('button', { name: 'Cancel order' }).click();
  await openOrders.getByText('No order is open.').waitFor();
  await page.getByText('All trades').click();
  await page.getByRole('button', { name: 'Account', exact: true }).last().click();
  await page.getByRole('menuitem', { name: 'Practice' }).click();
  await page.waitForURL(/exchange_account_id=exa_/);
  await page.getByRole('row', { name: /0.03.*Cancelled/ }).waitFor();

  await goTo(page, 'Positions');
  await page
    .getByRole('region', { name: 'Open lots, table' })
    .getByText(/^0\.0122\d*.BTC/)
    .first()
    .waitFor();

  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('Search pages, actions and pairs').fill('eth');
  await page.getByRole('option', { name: /^ETH\/USDT/, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await untilHeading(page, /ETH\/USDT/);
  await signOut(page);
  await until(
    async () => (await home.svc(['sessions', 'list', '--json'])).stdout,
    (text) => !text.includes('"is_current":true'),
  );
  expect(problems).toEqual([]);
  await context.close();
}, 240_000);
