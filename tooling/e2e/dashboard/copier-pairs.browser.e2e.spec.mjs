/** The settings of single pairs in the form of a copier: added, refused at their fields, saved, read back and removed. */
import { openPaperAccount } from '../../launch/first-trade/scenario.mjs';
import { openSharedDashboard } from './shared-dashboard.mjs';
import { openPersonOf, untilHeading } from './steps.mjs';

/** @type {import('./shared-dashboard.mjs').SharedDashboard} */
let dashboard;
beforeAll(async () => {
  dashboard = await openSharedDashboard();
}, 120_000);
afterAll(() => dashboard?.close(), 60_000);

it('sizing and limits of a pair are added, corrected, read back and removed', async () => {
  const { api, account, page, problems } = await openPersonOf(dashboard, 'single pairs');
  const credentials = await openPaperAccount(dashboard.product.paperExchangeUrl);
  const copies = await api.exchanges.create({
    exchange: 'paper',
    account_name: 'Copies',
    trading_type: 'spot',
    credentials,
  });
  const strategy = await api.strategies.create({ name: 'Pairs', exchange_account_id: account.id });
  const copier = await api.copiers.create({
    name: 'Pairs',
    strategy_id: strategy.id,
    exchange_account_id: copies.id,
    sizing: { mode: 'EQUITY_RATIO', value: '1' },
  });
  await page.goto(`/copiers/${copier.id}`);
  await untilHeading(page, 'Pairs Paused');
  const edit = async () => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Edit settings' }).click();
    const drawer = page.getByRole('dialog', { name: 'Edit settings' });
    await drawer.getByText('Single pairs').click();
    return drawer;
  };
  const save = async (/** @type {import('playwright-core').Locator} */ drawer) => {
    await drawer.getByRole('button', { name: 'Save settings' }).click();
    await drawer.waitFor({ state: 'detached' });
  };

  const form = await edit();
  await form.getByRole('button', { name: 'Add pair' }).click();
  const pair = form.getByRole('group', { name: /^Settings for / });
  await pair.getByRole('textbox', { name: 'Pair' }).fill('btc');
  await pair.getByLabel('Sizing').selectOption({ label: 'Fixed cost' });
  await pair.getByLabel('Cost in USDT').fill('250');
  await pair.getByLabel('Maximum cost of an entry, in USDT').fill('-1');
  await form.getByRole('button', { name: 'Save settings' }).click();
  await pair.getByText('Expected the symbol of a trade pair, like BTC/USDT.').waitFor();
  await pair.getByRole('textbox', { name: 'Pair' }).fill('none/usdt');
  await form.getByRole('button', { name: 'Save settings' }).click();
  const limit = pair.getByLabel('Maximum cost of an entry, in USDT');
  await limit.and(pair.locator('[aria-invalid=true]')).waitFor();
  await limit.fill('300');
  // Only the API knows which pairs the exchanges have.
  await form.getByRole('button', { name: 'Save settings' }).click();
  await pair.getByText(/^No exchange offers the .* NONE\/USDT/).waitFor();
  // The browser reports the refused request.
  expect(problems.splice(0)).toEqual([expect.stringContaining('422')]);
  await pair.getByRole('textbox', { name: 'Pair' }).fill('btc/usdt');
  await pair.getByLabel('Allowed sides').selectOption({ label: 'Buys only' });

  // The API has one entry for each pair.
  await form.getByRole('button', { name: 'Add pair' }).click();
  await pair.last().getByRole('textbox', { name: 'Pair' }).fill('BTC/USDT');
  await form.getByRole('button', { name: 'Save settings' }).click();
  await pair.last().getByText('This pair is listed above.').waitFor();
  await pair.last().getByRole('button', { name: 'Remove settings for BTC/USDT' }).click();
  await save(form);
  expect((await api.copiers.get(copier.id)).overrides).toEqual({
    'BTC/USDT': {
      sizing: { mode: 'FIXED_QUOTE', value: 250 },
      limits: { max_trade_quote: 300, allowed_sides: ['BUY'] },
    },
  });

  await page.reload();
  await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
  const again = await edit();
  await again.getByText('BTC/USDT', { exact: true }).click();
  await again.getByText('3 settings').waitFor();
  expect(await pair.getByLabel('Cost in USDT').inputValue()).toBe('250');
  expect(await limit.inputValue()).toBe('300');
  expect(await pair.getByLabel('Allowed sides').inputValue()).toBe('BUY');
  await pair.getByRole('button', { name: 'Remove settings for BTC/USDT' }).click();
  await save(again);
  expect((await api.copiers.get(copier.id)).overrides).toEqual({});
  expect(problems).toEqual([]);
}, 120_000);
