/** Positions in perpetuals in the browser: on the page Positions, in the order ticket, and in the emergency stop. */
import { createHmac } from 'node:crypto';
import { until } from '../../launch/first-trade/scenario.mjs';
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

/** Opens a user with an account of perpetuals at the paper exchange, and a browser that is signed in. */
async function openPerson(/** @type {string} */ label, balance = 10_000) {
  const { api } = await openTrader(product, `dashboard ${label}`);
  const { key } = await api.apiKeys.create({ name: label, permissions: ['ADMIN'] });
  const keys = await admin('accounts', { futures_balances: { USDT: balance } });
  const { api_key, api_secret } = keys;
  const account = await api.exchanges.create({
    exchange: 'paper',
    trading_type: 'perpetual',
    account_name: 'Perpetuals',
    credentials: { api_key, api_secret },
  });
  const person = await browser.newPerson();
  await signInByApiKey(person.page, key);
  return { api, keys, account, ...person };
}

/**
 * Waits until the product knows a position. An order may be filled before the stream of the new account is connected, and the
 * first comparison of an account on which nothing depends waits for the call budget, which the accounts of this suite share.
 *
 * @param {import('@trading-automation/sdk').Client} api
 */
const untilPositions = (api) =>
  until(
    async () => (await api.positions.list()).data,
    (data) => data.length === 1,
    90_000,
  );

it('a position appears while the page is open, shows its margin, and gets another leverage', async () => {
  const { api, keys, page, problems } = await openPerson('perpetuals');
  await page.goto('/positions');
  await page.getByText('No position in a perpetual is open.').waitFor();

  await admin('market', { symbol: 'BTC/USDT:USDT', price: '60000', mark_price: '60000' });
  await buy(keys, '0.2');
  const table = page.getByRole('region', { name: 'Positions in perpetuals' });
  const row = table.getByRole('row', { name: /BTC\/USDT:USDT Long on Perpetuals 0\.2.*60,000/ });
  await row.waitFor();
  await row.getByText('20×').filter({ visible: true }).waitFor();

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
  await row.getByText('5×', { exact: true }).filter({ visible: true }).waitFor();
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
}, 180_000);

it('a narrow screen shows how near a position is to its liquidation', async () => {
  const { api, keys, account, page, problems } = await openPerson('narrow perpetuals', 700);
  await show(page, { theme: 'dark', width: 360 });
  await admin('market', { symbol: 'BTC/USDT:USDT', price: '60000', mark_price: '60000' });
  await buy(keys, '0.2');
  // After the fee, 694 less a loss of 642 is left above a maintenance margin of 45.
  await admin('market', { symbol: 'BTC/USDT:USDT', price: '60000', mark_price: '56790' });
  await api.exchanges.sync(account.id);
  // The margin watch reads the account at the latest.
  await until(
    async () => (await api.positions.list()).data,
    ([position]) => position?.margin_ratio !== undefined && Number(position.margin_ratio) < 1.25,
    60_000,
  );
  await page.goto('/positions');
  const risk = /Near liquidation Margin ratio 1\.[012]\d? Liquidation 56,[\d,.]+ 20× Cross/;
  await page
    .getByRole('region', { name: 'Positions in perpetuals' })
    .getByRole('row', { name: risk })
    .waitFor();
  expect([...(await overflowOf(page)), ...problems]).toEqual([]);
}, 180_000);

/** The person has accounts of spot and of perpetuals, and none of margin. */
async function expectPairsOfAccounts(/** @type {import('playwright-core').Page} */ page) {
  const pair = page.getByRole('combobox', { name: 'Pair' });
  await pair.waitFor();
  expect(await pair.inputValue()).toBe('BTC/USDT, Paper Exchange, spot');
  await pair.click();
  const options = page.getByRole('listbox', { name: 'Pairs' }).getByRole('option');
  await options.first().waitFor();
  const types = (await options.allInnerTexts()).map((text) => text.split(', ').at(-1)?.trim());
  expect([...new Set(types)]).toEqual(['spot', 'perpetual']);
  // Enter is pressed before the search has begun.
  await pair.fill('eth usdt usdt');
  await pair.press('Enter');
  await page.getByRole('form', { name: 'Order on ETH/USDT:USDT' }).waitFor();
  await pair.click();
  await pair.fill('none');
  await page.getByText('No pair matches.').waitFor();
  await pair.press('Enter');
  await pair.press('Escape');
  expect(await pair.inputValue()).toBe('ETH/USDT:USDT, Paper Exchange, perpetual');
}

it('the order ticket offers the pairs of the accounts, and shows the position, the leverage and the margin that the order needs', async () => {
  const { api, keys, account, page, problems } = await openPerson('perpetual ticket');
  await admin('market', { symbol: 'BTC/USDT:USDT', price: '50000', mark_price: '50000' });
  const pairs = (await api.tradePairs.list({ limit: 100 })).data;
  const pairId = pairs.find(({ symbol }) => symbol === 'BTC/USDT:USDT')?.id;
  await page.goto('/trades/new');
  await expectPairsOfAccounts(page);
  await page.goto(`/trades/new?pair=${pairId}`);
  // From now on the page reacts to what is typed.
  await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
  const ticket = page.getByRole('form', { name: 'Order on BTC/USDT:USDT' });
  const detail = (/** @type {string} */ name) =>
    ticket.getByRole('term').filter({ hasText: name }).locator('xpath=following-sibling::dd');
  await detail('Leverage').getByText('Not known without a position').waitFor();
  await detail('Wallet balance, margin in use included').getByText('10,000').waitFor();
  await ticket.getByRole('button', { name: '25 % of the wallet balance' }).waitFor();
  await ticket.getByLabel('Limit price').fill('50000');
  await ticket.getByLabel('Amount', { exact: true }).fill('0.1');
  // 5,000 and the fee of 0.05 %.
  await detail('Margin and fee, at most').getByText('5,002.5').waitFor();

  await ticket.getByRole('button', { name: 'Change leverage' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change leverage of BTC/USDT:USDT' });
  await dialog.getByLabel('Leverage').fill('10');
  // Enter submits the dialog alone, and not the ticket behind it.
  await dialog.getByLabel('Leverage').press('Enter');
  await dialog.waitFor({ state: 'detached' });
  expect(await page.getByRole('dialog').count()).toBe(0);
  await detail('Leverage').getByText('10×, cross').waitFor();
  await detail('Margin and fee, about').getByText('502.5').waitFor();

  await buy(keys, '0.04');
  await detail('Open position').getByText('Long 0.04').waitFor();
  await ticket.getByText('Sell', { exact: true }).click();
  await ticket.getByLabel('Limit price').fill('90000');
  // 0.04 of the sale close the position; 0.06 open a short one.
  await detail('Margin and fee, about').getByText('542.7').waitFor();
  await ticket.getByRole('checkbox', { name: /^Reduce only/ }).check();
  await detail('Margin and fee, about').getByText('0.00').waitFor();
  await ticket.getByRole('button', { name: 'Review sell order' }).click();
  const question = page.getByRole('dialog', { name: 'Sell 0.1 BTC?' });
  await question.getByText('Reduce only').waitFor();
  await question.getByText('10×, cross').waitFor();
  expect([account.trading_type, ...problems]).toEqual(['perpetual']);
}, 180_000);

it('the emergency stop leaves positions open, unless it is asked to close them', async () => {
  const { api, keys, page, problems } = await openPerson('perpetual stop');
  await admin('market', { symbol: 'BTC/USDT:USDT', price: '60000', mark_price: '60000' });
  await buy(keys, '0.05');
  await page.goto('/positions');
  await page
    .getByRole('region', { name: 'Positions in perpetuals' })
    .getByRole('row', { name: /Long on Perpetuals 0\.05/ })
    .waitFor();
  const stop = async (/** @type {boolean} */ closes) => {
    await page.getByRole('button', { name: 'Emergency stop' }).click();
    const question = page.getByRole('dialog', { name: 'Stop all trading?' });
    const choice = question.getByRole('checkbox', { name: /^Also close all positions in perpetuals/ });
    expect(await choice.isChecked()).toBe(false);
    await question.getByText(/1 open lot worth .* stays open\. Nothing is sold\./).waitFor();
    if (closes) {
      await choice.check();
      await question.getByText(/1 position in perpetuals worth .* will be closed at market\./).waitFor();
      await question.getByText('Nothing else is open.').waitFor();
    }
    await question.getByLabel('Type STOP to confirm').fill('STOP');
    await question.getByRole('button', { name: 'Stop all trading' }).click();
    return page.getByRole('dialog', { name: 'Trading is stopped' });
  };
  const kept = await stop(false);
  await kept.getByText('They are not closed automatically.').waitFor();
  expect((await api.positions.list()).data).toMatchObject([{ side: 'LONG', amount: 0.05 }]);
  await kept.getByRole('button', { name: 'Close', exact: true }).last().click();

  const closed = await stop(true);
  await closed.getByRole('heading', { name: 'Orders that close positions' }).waitFor();
  await closed.getByRole('link', { name: 'BTC/USDT:USDT sell' }).waitFor();
  await closed.getByText('No order is left to cancel.').waitFor();
  await closed.getByRole('button', { name: 'Close', exact: true }).last().click();
  await page.getByText('No position in a perpetual is open.').waitFor();
  const { data: trades } = await api.trades.list({ side: 'SELL' });
  expect(trades).toMatchObject([{ status: 'FILLED', type: 'MARKET', reduce_only: true, amount: 0.05 }]);
  expect(problems).toEqual([]);
}, 180_000);

it('a position of an account in hedge mode says that it is not read, and the emergency stop leaves it open', async () => {
  const { api, keys, account, page, problems } = await openPerson('perpetual hedge');
  await admin('market', { symbol: 'BTC/USDT:USDT', price: '60000', mark_price: '60000' });
  await buy(keys, '0.05');
  await untilPositions(api);
  await admin('accounts/position-mode', { api_key: keys.api_key, dual: true });
  // The exchange refuses the order because of the mode.
  const pairs = (await api.tradePairs.list({ limit: 100 })).data;
  await api.trades.create({
    exchange_account_id: account.id,
    trade_pair_id: pairs.find(({ symbol }) => symbol === 'BTC/USDT:USDT')?.id ?? '',
    type: 'MARKET',
    side: 'BUY',
    amount: '0.01',
  });
  await until(
    async () => (await api.exchanges.get(account.id)).inactive_reason,
    (reason) => reason === 'POSITION_MODE',
  );
  await page.goto('/');
  await page
    .getByRole('list', { name: 'Alerts' })
    .getByText('Nothing is traded on Perpetuals. Switch the account to one-way mode at the exchange')
    .waitFor();

  await page.goto('/positions');
  await page
    .getByRole('region', { name: 'Positions in perpetuals' })
    .getByRole('row', { name: /Long on Perpetuals Read / })
    .waitFor();
  const found = [];
  for (const look of /** @type {const} */ ([
    { theme: 'dark', width: 360 },
    { theme: 'light', width: 1440 },
  ])) {
    await show(page, look);
    found.push(...(await problemsOf(page, { route: '/positions', title: 'Positions', shows: 'table' })));
  }
  await page.getByRole('button', { name: 'Emergency stop' }).click();
  const question = page.getByRole('dialog', { name: 'Stop all trading?' });
  await question.getByRole('checkbox', { name: /^Also close all positions in perpetuals/ }).check();
  await question.getByText('No position in a perpetual can be closed.').waitFor();
  const left =
    /^BTC\/USDT:USDT long, 0\.05.BTC on Perpetuals: (the account is not active|the product only lists)/;
  await question.getByText('This position stays open:').waitFor();
  await question.getByRole('listitem').filter({ hasText: left }).waitFor();
  await question.getByLabel('Type STOP to confirm').fill('STOP');
  await question.getByRole('button', { name: 'Stop all trading' }).click();
  const done = page.getByRole('dialog', { name: 'Trading is stopped' });
  await done.getByRole('heading', { name: 'Positions that the stop does not close' }).waitFor();
  await done.getByRole('listitem').filter({ hasText: left }).waitFor();
  expect([...found, ...problems]).toEqual([]);
}, 180_000);
