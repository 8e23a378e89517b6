/** What a person does in the dashboard with the mouse, step by step. Each step ends with what the page then shows. */
import { openPaperAccount } from '../../launch/first-trade/scenario.mjs';
import { openTrader } from '../accounts.mjs';
import { signInByApiKey } from './browser.mjs';

/** @typedef {import('playwright-core').Page} Page */

/**
 * @param {Page} page
 * @param {string} name
 */
export const untilHeading = (page, name) => page.getByRole('heading', { name, level: 1 }).waitFor();

/**
 * Opens a new funded trader and a browser that is signed in to the account.
 *
 * @param {import('./shared-dashboard.mjs').SharedDashboard} dashboard
 * @param {string} label
 */
export async function openPersonOf({ product, browser }, label) {
  const trader = await openTrader(product, `${label} ${crypto.randomUUID()}`);
  const { key } = await trader.api.apiKeys.create({ name: 'dashboard', permissions: ['ADMIN'] });
  const person = await browser.newPerson();
  await signInByApiKey(person.page, key);
  // From now on the page reacts to keys.
  await person.page.getByRole('status').getByText('Live', { exact: true }).waitFor();
  return { ...trader, ...person };
}

/**
 * Follows a link of the navigation.
 *
 * @param {Page} page
 * @param {string} name of the link and of the page
 */
export async function goTo(page, name) {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();
  await untilHeading(page, name);
}

/**
 * Creates an account with `svc` and signs the browser in to it by a code.
 *
 * @param {Page} page
 * @param {ReturnType<typeof import('../cli-runs.mjs').openHome>} home
 * @param {string} restUrl
 */
export async function signInByCode(page, home, restUrl) {
  const login = await home.svc(['auth', 'login', '--base-url', restUrl]);
  expectSuccess('svc auth login', login);
  await page.goto('/');
  await untilHeading(page, 'Sign in');
  await page.getByRole('button', { name: 'Show a code' }).click();
  const code = String(await page.getByTestId('user-code').textContent());
  expectSuccess('svc auth approve', await home.svc(['auth', 'approve', code, '--yes']));
  await untilHeading(page, 'Overview');
}

/**
 * @param {string} command
 * @param {{ code: number | null, stdout: string, stderr: string }} run
 */
function expectSuccess(command, { code, stdout, stderr }) {
  if (code !== 0) throw new Error(`${command} ended with code ${code}: ${stdout}${stderr}`);
}

/**
 * Opens a paper account at the exchange, tests its credentials and connects it. Ends with the drawer of the account.
 *
 * @param {Page} page
 * @param {{ paperExchangeUrl: string, name: string }} options
 */
export async function connectPaperAccount(page, { paperExchangeUrl, name }) {
  const credentials = await openPaperAccount(paperExchangeUrl);
  await page.getByRole('radio', { name: /Paper Exchange Spot/ }).check();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('checkbox', { name: /The key cannot withdraw/ }).check();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('API key').fill(credentials.api_key);
  await page.getByLabel('API secret').fill(credentials.api_secret);
  await page.getByRole('button', { name: 'Test credentials' }).click();
  await page.getByText('The exchange accepted the credentials').waitFor();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Connect account' }).click();
  await page.getByRole('dialog', { name }).waitFor();
  return credentials;
}

/** Opens the order ticket from the list of trades. @param {Page} page */
export async function openTicket(page) {
  await goTo(page, 'Trades');
  await page.getByRole('main').getByRole('link', { name: 'Place order' }).first().click();
  await untilHeading(page, 'Place order');
}

/**
 * Fills the order ticket, checks the confirmation and places the order. Ends with the drawer of the trade.
 *
 * @param {Page} page on the page of the ticket
 * @param {{ amount: string, price?: string, side?: 'Buy' | 'Sell', strategy?: string }} order a limit order if it has a price
 */
export async function placeOrder(page, { amount, price, side = 'Buy', strategy }) {
  await page.getByRole('combobox', { name: 'Pair' }).click();
  await page.getByRole('combobox', { name: 'Pair' }).fill('BTC/USDT');
  await page.getByRole('option', { name: /^BTC\/USDT/ }).click();
  const ticket = page.getByRole('form', { name: 'Order on BTC/USDT' });
  await ticket.getByText(side, { exact: true }).click();
  await ticket.getByLabel('Type').selectOption(price === undefined ? 'MARKET' : 'LIMIT');
  // Without a price, a buy has no shares of the balance; their buttons keep their place.
  if (price !== undefined && side === 'Buy')
    await ticket.getByRole('button', { name: '25 % of the free balance', disabled: true }).waitFor();
  if (price !== undefined) await ticket.getByLabel('Limit price').fill(price);
  await ticket.getByLabel('Amount', { exact: true }).fill(amount);
  if (strategy !== undefined) await ticket.getByLabel('Strategy').selectOption({ label: strategy });
  await ticket.getByRole('button', { name: `Review ${side.toLowerCase()} order` }).click();
  const confirmation = page.getByRole('dialog', { name: `${side} ${amount} BTC?` });
  await confirmation.getByRole('button', { name: 'Place order' }).click();
  const drawer = page.getByRole('dialog', { name: `BTC/USDT ${side.toLowerCase()}` });
  await drawer.waitFor();
  return drawer;
}

/** Closes the dialog or drawer on top. @param {Page} page */
export const closeTop = (page) =>
  page.getByRole('dialog').last().getByRole('button', { name: 'Close', exact: true }).click();

/** @param {Page} page */
export async function signOut(page) {
  await page.getByRole('banner').getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await untilHeading(page, 'Sign in');
}
