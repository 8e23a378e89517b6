/** Positions in perpetuals on the page Positions: from an account at the paper exchange to a changed leverage. */
import { createHmac } from 'node:crypto';
import { openTrader } from '../accounts.mjs';
import { startProduct } from '../product.mjs';
import { openBrowser, signInByApiKey } from './browser.mjs';
import { overflowOf, problemsOf, show } from './page-checks.mjs';

/** @type {import('../product.mjs').Product} */
let product;
/** @type {import('./browser.mjs').Browser} */
let browser;
beforeAll(async () => {
  product = await startProduct({
    graphqlApis: 1,
    hasDashboard: true,
  });
  browser = await openBrowser(product.urlOf('dashboard'));
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await product?.stop();
}, 60_000);

/** Calls the paper exchange as its administrator. */
async function admin(/** @type {string} */ path, /** @type {object} */ body) {
  const response = await fetch(`${product.paperExchangeUrl}/admin/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return await response.json();
}

/** Buys at the exchange directly, as the owner of the account may. */
async function buy(
  /** @type {{ api_key: string, api_secret: string }} */ keys,
  /** @type {string} */ amount,
) {
  const query = new URLSearchParams({
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'MARKET',
    quantity: amount,
    timestamp: String(Date.now()),
  });
  query.set('signature', createHmac('sha256', keys.api_secret).update(query.toString()).digest('hex'));
  const response = await fetch(`${product.paperExchangeUrl}/fapi/v1/order?${query}`, {
    method: 'POST',
    headers: { 'x-mbx-apikey': keys.api_key },
  });
  if (!response.ok) throw new Error(await response.text());
}

it('a position appears while the page is open, shows its margin, and gets another leverage', async () => {
  const { api } = await openTrader(product, 'dashboard perpetuals');
  const { key } = await api.apiKeys.create({ name: 'perpetuals', permissions: ['ADMIN'] });
  const keys = await admin('accounts', { futures_balances: { USDT: 10_000 } });
  const { api_key, api_secret } = keys;
  await api.exchanges.create({
    exchange: 'paper',
    trading_type: 'perpetual',
    account_name: 'Perpetuals',
    credentials: { api_key, api_secret },
  });
  const { page, problems } = await browser.newPerson();
  await signInByApiKey(page, key);
  await page.goto('/positions');
  await page.getByText('No position in a perpetual is open.').waitFor();

  await admin('market', { symbol: 'BTC/USDT:USDT', price: '60000', mark_price: '60000' });
  await buy(keys, '0.2');
  const table = page.getByRole('region', { name: 'Positions in perpetuals' });
  const row = table.getByRole('row', { name: /BTC\/USDT:USDT.*Perpetuals.*Long.*0\.2.*60,000/ });
  await row.waitFor();
  await row.getByText('20×').waitFor();

  await row.getByRole('button', { name: 'Change leverage of BTC/USDT:USDT' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change leverage of BTC/USDT:USDT' });
  await dialog.getByText('on Perpetuals').waitFor();
  await dialog.getByLabel('Leverage').fill('1000');
  await dialog.getByRole('button', { name: 'Change leverage' }).click();
  await dialog
    .getByText('The exchange does not allow this leverage for the market. Use a lower one.')
    .waitFor();
  // The browser reports the refused request.
  expect(problems.splice(0)).toEqual([expect.stringContaining('422')]);
  if (process.env.PICTURES !== undefined)
    await page.screenshot({ path: `${process.env.PICTURES}/dialog.png` });
  await dialog.getByLabel('Leverage').fill('5');
  await dialog.getByRole('button', { name: 'Change leverage' }).click();
  await dialog.waitFor({ state: 'detached' });
  await row.getByText('5×', { exact: true }).waitFor();
  const [position] = (await api.positions.list()).data;
  expect(position).toMatchObject({
    symbol: 'BTC/USDT:USDT',
    side: 'LONG',
    leverage: 5,
    margin_mode: 'CROSS',
  });

  const found = [];
  for (const look of /** @type {const} */ ([
    { theme: 'light', width: 1440 },
    { theme: 'dark', width: 360 },
  ])) {
    await show(page, look);
    found.push(...(await problemsOf(page, { route: '/positions', title: 'Positions', shows: 'table' })));
    if (process.env.PICTURES !== undefined)
      await page.screenshot({ path: `${process.env.PICTURES}/${look.theme}-${look.width}.png` });
  }
  expect([...found, ...(await overflowOf(page)), ...problems]).toEqual([]);
}, 120_000);
