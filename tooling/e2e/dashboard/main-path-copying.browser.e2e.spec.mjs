/** The main path of a leader and of a copier, clicked as people do, from the new strategy to the closed lot of the copy. */
import { openSharedDashboard } from './shared-dashboard.mjs';
import { closeTop, goTo, openPersonOf, openTicket, placeOrder, untilHeading } from './steps.mjs';

/** @type {import('./shared-dashboard.mjs').SharedDashboard} */
let dashboard;
let leader;
let follower;
const name = `Swing ${crypto.randomUUID().slice(0, 8)}`;
beforeAll(async () => {
  dashboard = await openSharedDashboard();
  leader = await openPersonOf(dashboard, `leader of ${name}`);
  follower = await openPersonOf(dashboard, `follower of ${name}`);
}, 120_000);
afterAll(() => dashboard?.close(), 60_000);

const idIn = (page) => new URL(page.url()).pathname.split('/').at(-1);

async function publishStrategy({ page, account, api }) {
  await goTo(page, 'Strategies');
  await page.getByRole('link', { name: 'New strategy' }).first().click();
  await untilHeading(page, 'New strategy');
  await page.getByLabel('Name').fill(name);
  // The only account is chosen already.
  expect(await page.getByRole('combobox', { name: 'Account' }).inputValue()).toBe(account.id);
  await page.getByLabel('Visibility').selectOption('PUBLIC');
  await page.getByRole('button', { name: 'Create strategy' }).click();
  const heading = page.getByRole('heading', { name: new RegExp(name), level: 1 });
  await heading.getByText('Public').waitFor();
  expect(await api.strategies.get(idIn(page))).toMatchObject({
    name,
    visibility: 'PUBLIC',
    status: 'ACTIVE',
  });
}

async function buyWithStrategy({ page }, amount) {
  await openTicket(page);
  const drawer = await placeOrder(page, { amount, strategy: name });
  await drawer.getByText('Filled', { exact: true }).first().waitFor();
  await closeTop(page);
}

/** Finds the strategy and copies it, with a limit of 3,000 USDT an entry. Ends with the page of the active copier. */
async function copyStrategy({ page, account }) {
  await goTo(page, 'Discover');
  await page.getByRole('link', { name }).click();
  // Strategies of others belong to Discover.
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByText('Discover').waitFor();
  await page
    .getByRole('navigation', { name: 'Main' })
    .locator('[aria-current]', { hasText: 'Discover' })
    .waitFor();
  await page.getByRole('link', { name: 'Copy this strategy' }).click();
  await untilHeading(page, `Copy ${name}`);
  await page.getByRole('radio', { name: account.account_name, checked: true }).waitFor();
  await page.getByRole('button', { name: 'Continue to the limits' }).click();
  await page.getByLabel('Maximum cost of an entry, in USDT').fill('3000');
  await page.getByRole('button', { name: 'Save and simulate' }).click();
  await page.getByText('Simulated with the settings below.').waitFor();
  // The simulation replays the first purchase, which the limit reduces.
  await page.getByText('by a limit').waitFor();
  await page.getByRole('listitem').filter({ hasText: 'BTC/USDT' }).getByText('Reduced').first().waitFor();
  await page.getByRole('button', { name: 'Continue to the terms' }).click();
  await page.getByRole('checkbox', { name: /I accept these consequences/ }).check();
  await page.getByRole('button', { name: 'Start copying' }).click();
  await page
    .getByRole('heading', { name: new RegExp(name), level: 1 })
    .getByText('Active')
    .waitFor();
}

it('a strategy is published, found by a second user, simulated and copied, and the copied lot is closed', async () => {
  await publishStrategy(leader);
  await buyWithStrategy(leader, '0.1');
  const { page, api } = follower;
  await copyStrategy(follower);
  const copierId = idIn(page);
  expect(await api.copiers.get(copierId)).toMatchObject({
    status: 'ACTIVE',
    limits: { max_trade_quote: 3_000 },
  });

  await buyWithStrategy(leader, '0.2');
  // The open page of the copier shows the decision and its reason without a reload.
  const decision = page.getByRole('row', { name: /BTC\/USDT Open/ });
  await decision.getByRole('cell', { name: 'Reduced' }).waitFor();
  await decision
    .getByText(/limit for one entry.*3,000/)
    .first()
    .waitFor();
  await page.getByRole('tab', { name: 'Lots and trades' }).click();
  await page.getByRole('row', { name: /BTC\/USDT.*Open/ }).waitFor();
  const { data: open } = await api.lots.list({ copier_id: copierId });
  expect(open).toMatchObject([{ status: 'OPEN', copier_id: copierId }]);

  await goTo(page, 'Positions');
  await page.getByRole('button', { name: /^Close BTC\/USDT lot/ }).click();
  const question = page.getByRole('dialog', { name: 'Close BTC/USDT lot' });
  await question.getByText('This lot is a copy.').waitFor();
  await question.getByText('Fee of closing', { exact: true }).waitFor();
  await question.getByText('The tables value lots at the last price').waitFor();
  await question.getByRole('button', { name: 'Close lot' }).click();
  const result = page.getByRole('dialog', { name: 'Order sent' });
  await result.getByRole('definition').getByText('Filled', { exact: true }).waitFor();
  await result.getByRole('button', { name: 'Done' }).click();
  await page.getByText('Nothing is open.').waitFor();
  await page.getByRole('group', { name: 'Lots' }).getByText('Closed').click();
  await page
    .getByRole('region', { name: 'Closed lots, table' })
    .getByRole('row', { name: /BTC\/USDT/ })
    .waitFor();
  expect((await api.lots.list({ copier_id: copierId })).data).toMatchObject([
    { id: open[0].id, status: 'CLOSED', remaining_amount: 0 },
  ]);

  await page.getByRole('button', { name: 'Emergency stop' }).click();
  await page.getByLabel('Type STOP to confirm').fill('STOP');
  await page.getByRole('button', { name: 'Stop all trading' }).click();
  const stopped = page.getByRole('dialog', { name: 'Trading is stopped' });
  await stopped.getByText('Start each copier again').waitFor();
  await stopped.getByRole('button', { name: 'Close', exact: true }).last().click();
  const notice = page.getByRole('complementary', { name: 'Copying is stopped' });
  for (const name of ['Trades', 'Exchanges', 'Copiers']) {
    await goTo(page, name);
    await notice.getByText('Your copier is paused').waitFor();
  }
  expect([leader.problems, follower.problems]).toEqual([[], []]);
}, 300_000);
