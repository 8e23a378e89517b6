/** The paths of a leader and a copier with the keyboard alone: publish a strategy, copy one, close a lot. */
import { until } from '../../launch/first-trade/scenario.mjs';
import { openTrader } from '../accounts.mjs';
import { keyboardOf } from './keyboard.mjs';
import { openSharedDashboard } from './shared-dashboard.mjs';
import { openPersonOf, untilHeading } from './steps.mjs';

/** @type {import('./shared-dashboard.mjs').SharedDashboard} */
let dashboard;
let leader;
let strategy;
const name = `Keys ${crypto.randomUUID().slice(0, 8)}`;
beforeAll(async () => {
  dashboard = await openSharedDashboard();
  leader = await openTrader(dashboard.product, name);
  strategy = await leader.api.strategies.create({
    name,
    exchange_account_id: leader.account.id,
    visibility: 'PUBLIC',
  });
}, 120_000);
afterAll(() => dashboard?.close(), 60_000);

const buy = (trader, more = {}) =>
  trader.api.trades.create({
    exchange_account_id: trader.account.id,
    trade_pair_id: trader.pair.id,
    type: 'MARKET',
    side: 'BUY',
    amount: '0.02',
    ...more,
  });
const openPerson = async (label) => {
  const person = await openPersonOf(dashboard, label);
  return { ...person, keyboard: keyboardOf(person.page) };
};
const button = (place, label) => place.getByRole('button', { name: label, exact: true });

it('publishes a strategy', async () => {
  const { page, keyboard, api, problems, context } = await openPerson('publisher');
  await keyboard.press('g');
  await keyboard.press('s');
  await untilHeading(page, 'Strategies');
  await keyboard.enter(page.getByRole('main').getByRole('link', { name: 'New strategy' }));
  await untilHeading(page, 'New strategy');
  await keyboard.write(page.getByLabel('Name'), `${name} too`);
  await keyboard.write(page.getByRole('combobox', { name: 'Account' }), 'publisher');
  await keyboard.enter(button(page, 'Create strategy'));
  const heading = page.getByRole('heading', { level: 1, name: new RegExp(`${name} too`) });
  await heading.getByText('Private').waitFor();

  const more = button(page, 'More actions');
  await keyboard.enter(more);
  await keyboard.arrowTo(page.getByRole('menuitem', { name: 'Make public' }));
  await keyboard.press('Enter');
  const question = page.getByRole('dialog', { name: `Make ${name} too public?` });
  await question.waitFor();
  await keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  await keyboard.untilFocused(more);
  await keyboard.press('Enter');
  await keyboard.arrowTo(page.getByRole('menuitem', { name: 'Make public' }));
  await keyboard.press('Enter');
  await keyboard.enter(button(question, 'Make public'));
  await heading.getByText('Public').waitFor();
  await keyboard.untilFocused(more);
  const { data: strategies } = await api.strategies.list({ visibility: 'PUBLIC' });
  expect(strategies.map((each) => each.name)).toContain(`${name} too`);
  expect(problems).toEqual([]);
  await context.close();
}, 180_000);

it('finds a strategy, simulates it and copies it', async () => {
  const { page, keyboard, api, account, problems, context } = await openPerson('copier');
  await keyboard.press('g');
  await keyboard.press('d');
  await untilHeading(page, 'Discover');
  await keyboard.enter(page.getByRole('link', { name: new RegExp(`${name}(?! too)`) }));
  await keyboard.enter(page.getByRole('link', { name: 'Copy this strategy' }));
  await untilHeading(page, `Copy ${name}`);
  await keyboard.toggle(page.getByRole('radio', { name: account.account_name }));
  await keyboard.enter(button(page, 'Continue to the limits'));
  await keyboard.write(page.getByLabel('Maximum cost of an entry, in USDT'), '3000');
  await keyboard.enter(button(page, 'Save and simulate'));
  await page.getByText('Simulated with the settings below.').waitFor();
  await keyboard.enter(button(page, 'Continue to the terms'));
  await keyboard.toggle(page.getByRole('checkbox', { name: /I accept these consequences/ }));
  await keyboard.enter(button(page, 'Start copying'));
  await page
    .getByRole('heading', { level: 1, name: new RegExp(name) })
    .getByText('Active')
    .waitFor();
  await buy(leader, { strategy_id: strategy.id });
  await page
    .getByRole('row', { name: /BTC\/USDT Open/ })
    .getByRole('cell', { name: 'Copied' })
    .waitFor();
  await keyboard.tabTo(page.getByRole('tab', { name: 'Decisions' }));
  await keyboard.press('ArrowRight');
  await page.getByRole('row', { name: /BTC\/USDT.*Open/ }).waitFor();

  const stop = button(page, 'Stop copier');
  await keyboard.enter(stop);
  const question = page.getByRole('dialog', { name: `Stop ${name}?` });
  await question.waitFor();
  await keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  await keyboard.untilFocused(stop);
  const [copier] = (await api.copiers.list()).data;
  expect(copier).toMatchObject({ status: 'ACTIVE', limits: { max_trade_quote: 3_000 } });
  expect(problems).toEqual([]);
  await context.close();
}, 240_000);

it('closes a lot', async () => {
  const person = await openPerson('closer');
  const { page, keyboard, api, problems, context } = person;
  await buy(person);
  await until(
    async () => (await api.lots.list({ status: 'OPEN' })).data.length,
    (count) => count === 1,
  );
  await keyboard.press('g');
  await keyboard.press('p');
  await untilHeading(page, 'Positions');
  const row = page.getByRole('region', { name: 'Open lots, table' }).getByRole('link', { name: 'BTC/USDT' });
  await keyboard.enter(row);
  const drawer = page.getByRole('dialog', { name: 'BTC/USDT long lot' });
  await drawer.waitFor();
  await keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  await keyboard.untilFocused(row);
  const close = page.getByRole('button', { name: /^Close BTC\/USDT lot/ });
  await keyboard.enter(close);
  const question = page.getByRole('dialog', { name: 'Close BTC/USDT lot' });
  await question.waitFor();
  await keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  await keyboard.untilFocused(close);
  await keyboard.press('Enter');
  await keyboard.enter(button(question, 'Close lot'));
  const result = page.getByRole('dialog', { name: 'Order sent' });
  await result.getByRole('definition').getByText('Filled', { exact: true }).waitFor();
  await keyboard.enter(button(result, 'Done'));
  await page.getByText('Nothing is open.').waitFor();
  // The button has disappeared with the lot.
  await keyboard.untilFocused(page.getByRole('main'));
  expect(problems).toEqual([]);
  await context.close();
}, 180_000);
