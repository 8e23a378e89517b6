/** The paths of a trader with the keyboard alone: no click, and no focus that a script of the test sets. */

import { keyboardOf } from './keyboard.mjs';
import { openSharedDashboard } from './shared-dashboard.mjs';
import { openPersonOf, untilHeading } from './steps.mjs';

/** @type {import('./shared-dashboard.mjs').SharedDashboard} */
let dashboard;
beforeAll(async () => {
  dashboard = await openSharedDashboard();
}, 120_000);
afterAll(() => dashboard?.close(), 60_000);

const openPerson = async (label) => {
  const person = await openPersonOf(dashboard, label);
  return { ...person, keyboard: keyboardOf(person.page) };
};
const dialog = (page, name) => page.getByRole('dialog', { name });
const button = (place, name) => place.getByRole('button', { name, exact: true });
const gone = (locator) => locator.waitFor({ state: 'detached' });

it('signs in by code and out again', async () => {
  const { page, problems, context } = await dashboard.browser.newPerson();
  const home = dashboard.openHome();
  expect(await home.svc(['auth', 'login', '--base-url', dashboard.product.restUrl])).toMatchObject({
    code: 0,
  });
  const keyboard = keyboardOf(page);
  await page.goto('/sign-in');
  await keyboard.tabTo(page.getByRole('tab', { name: 'By code' }));
  await keyboard.press('ArrowRight');
  await keyboard.untilFocused(page.getByRole('tab', { name: 'API key' }));
  await keyboard.press('ArrowLeft');
  await keyboard.enter(button(page, 'Show a code'));
  const code = String(await page.getByTestId('user-code').textContent());
  expect(await home.svc(['auth', 'approve', code, '--yes'])).toMatchObject({ code: 0 });
  await untilHeading(page, 'Overview');
  const account = button(page.getByRole('banner'), 'Account');
  await keyboard.enter(account);
  await page.getByRole('menu').waitFor();
  await keyboard.press('Escape');
  await keyboard.untilFocused(account);
  await keyboard.press('Enter');
  await keyboard.arrowTo(page.getByRole('menuitem', { name: 'Sign out' }));
  await keyboard.press('Enter');
  await untilHeading(page, 'Sign in');
  expect(problems).toEqual([]);
  await context.close();
}, 180_000);

it('reads the list of keys, finds pages and actions by typing, and skips the navigation', async () => {
  const { page, keyboard, problems, context } = await openPerson('keys');
  const search = page.getByRole('button', { name: /^Search and commands/ });
  await keyboard.tabTo(search);
  await keyboard.press('?');
  await dialog(page, 'Keyboard').waitFor();
  await keyboard.press('Escape');
  await gone(dialog(page, 'Keyboard'));
  await keyboard.untilFocused(search);

  await keyboard.press('Enter');
  await dialog(page, 'Search and commands').waitFor();
  await keyboard.press('Escape');
  await gone(dialog(page, 'Search and commands'));
  await keyboard.untilFocused(search);
  await keyboard.press('Control+k');
  await dialog(page, 'Search and commands').waitFor();
  await page.keyboard.type('webhooks');
  await keyboard.press('Enter');
  await untilHeading(page, 'Webhooks');

  await keyboard.press('g');
  await keyboard.press('t');
  await untilHeading(page, 'Trades');
  const skip = page.getByRole('link', { name: 'Skip to the content' });
  await keyboard.enter(skip);
  await keyboard.untilFocused(page.getByRole('main'));
  await keyboard.press('Tab');
  await keyboard.untilFocused(page.getByRole('main').getByRole('button', { name: 'Emergency stop' }));
  expect(problems).toEqual([]);
  await context.close();
}, 180_000);

it('places and cancels an order', async () => {
  const { page, keyboard, api, problems, context } = await openPerson('order');
  await keyboard.press('Control+k');
  await dialog(page, 'Search and commands').waitFor();
  await page.keyboard.type('place an order');
  await keyboard.press('Enter');
  await untilHeading(page, 'Place order');
  await keyboard.write(page.getByRole('combobox', { name: 'Pair' }), 'BTC/USDT');
  await keyboard.press('Enter');
  const ticket = page.getByRole('form', { name: 'Order on BTC/USDT' });
  await keyboard.tabTo(ticket.getByRole('radio', { name: 'Buy' }));
  await keyboard.write(ticket.getByLabel('Type'), 'Limit');
  await keyboard.write(ticket.getByLabel('Limit price'), '10000');
  await keyboard.write(ticket.getByLabel('Amount', { exact: true }), '0.02');
  const review = button(ticket, 'Review buy order');
  await keyboard.enter(review);
  const question = dialog(page, 'Buy 0.02 BTC?');
  await question.waitFor();
  await keyboard.press('Escape');
  await gone(question);
  await keyboard.untilFocused(review);
  await keyboard.press('Enter');
  await keyboard.enter(button(question, 'Place order'));
  const drawer = dialog(page, 'BTC/USDT buy');
  await drawer.getByText('Pending').waitFor();
  await keyboard.press('Escape');
  await gone(drawer);

  const row = page.getByRole('row', { name: /0\.02.*Pending/ }).getByRole('link');
  await keyboard.enter(row);
  await drawer.waitFor();
  await keyboard.press('Escape');
  await gone(drawer);
  await keyboard.untilFocused(row);
  await keyboard.press('Enter');
  const cancel = button(drawer, 'Cancel order');
  await keyboard.enter(cancel);
  const sure = dialog(page, 'Cancel this order?');
  await keyboard.enter(button(sure, 'Keep order'));
  await gone(sure);
  await keyboard.untilFocused(cancel);
  await keyboard.press('Enter');
  await keyboard.enter(button(sure, 'Cancel order'));
  await drawer.getByText('This order is final.').waitFor();
  const { data } = await api.trades.list();
  expect(data).toMatchObject([{ status: 'CANCELLED', price: 10_000, amount: 0.02 }]);
  expect(problems).toEqual([]);
  await context.close();
}, 240_000);
