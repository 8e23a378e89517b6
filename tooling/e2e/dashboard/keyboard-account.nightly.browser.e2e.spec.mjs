/** The paths of a developer and of a receiver of rewards with the keyboard alone: webhook, API key, withdrawal. */
import { startReceiver } from '../../launch/first-trade/receiver.mjs';
import { keyboardOf } from './keyboard.mjs';
import { openSharedDashboard } from './shared-dashboard.mjs';
import { openPersonOf, untilHeading } from './steps.mjs';

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';

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
const button = (place, label) => place.getByRole('button', { name: label, exact: true });

it('adds a webhook, stores its secret and sends a test event', async () => {
  const receiver = await startReceiver();
  try {
    const { page, keyboard, problems, context } = await openPerson('webhooks');
    await keyboard.press('g');
    await keyboard.press('h');
    await untilHeading(page, 'Webhooks');
    const add = button(page.getByRole('main'), 'Add webhook').first();
    await keyboard.enter(add);
    const form = page.getByRole('dialog', { name: 'Add a webhook' });
    await form.waitFor();
    await keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    await keyboard.untilFocused(add);
    await keyboard.press('Enter');
    await keyboard.write(form.getByLabel('URL'), receiver.url);
    await keyboard.enter(button(form, 'Add webhook'));
    const secret = page.getByRole('dialog', { name: 'Signing secret' });
    await secret.waitFor();
    await keyboard.press('Escape');
    await secret.getByText(/Copy the secret first/).waitFor();
    await keyboard.enter(button(secret, 'I stored the secret'));
    await secret.waitFor({ state: 'detached' });
    await keyboard.enter(page.getByRole('link', { name: receiver.url }));
    await keyboard.enter(button(page, 'Send test event'));
    await page.getByText(/The test event was delivered: status 204/).waitFor();
    expect(receiver.received.map(({ event }) => event.type)).toContain('webhook.test');
    expect(problems).toEqual([]);
    await context.close();
  } finally {
    await receiver.stop();
  }
}, 180_000);

it('creates and revokes an API key', async () => {
  const { page, keyboard, api, problems, context } = await openPerson('keys');
  await keyboard.press('g');
  await keyboard.press('k');
  await untilHeading(page, 'API keys');
  await keyboard.enter(button(page.getByRole('main'), 'Create key'));
  const form = page.getByRole('dialog', { name: 'Create an API key' });
  await keyboard.write(form.getByLabel('Name'), 'Bot');
  await keyboard.toggle(form.getByRole('checkbox', { name: /^Trade/ }));
  await keyboard.enter(button(form, 'Create key'));
  const shown = page.getByRole('dialog', { name: 'API key “Bot”' });
  await keyboard.enter(button(shown, 'I stored the key'));
  await shown.waitFor({ state: 'detached' });

  const actions = button(page, 'Actions of Bot');
  await keyboard.enter(actions);
  await keyboard.arrowTo(page.getByRole('menuitem', { name: 'Revoke key' }));
  await keyboard.press('Enter');
  const question = page.getByRole('dialog', { name: 'Revoke “Bot”?' });
  await question.waitFor();
  await keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  await keyboard.untilFocused(actions);
  await keyboard.press('Enter');
  await keyboard.arrowTo(page.getByRole('menuitem', { name: 'Revoke key' }));
  await keyboard.press('Enter');
  await keyboard.enter(button(question, 'Revoke key'));
  await question.waitFor({ state: 'detached' });
  await actions.waitFor({ state: 'detached' });
  await keyboard.untilFocused(page.getByRole('main'));
  const { data: keys } = await api.apiKeys.list({ include: 'revoked' });
  expect(keys.find(({ name }) => name === 'Bot')).toMatchObject({
    permissions: ['READ', 'TRADE'],
    revoked_at: expect.any(String),
  });
  expect(problems).toEqual([]);
  await context.close();
}, 180_000);

it('claims a reward and withdraws it', async () => {
  const { page, keyboard, api, problems, context } = await openPerson('rewards');
  await keyboard.press('g');
  await keyboard.press('r');
  await untilHeading(page, 'Rewards');
  const claim = button(page, 'Claim all');
  await keyboard.enter(claim);
  const question = page.getByRole('dialog', { name: 'Claim 1 reward?' });
  await question.waitFor();
  await keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  await keyboard.untilFocused(claim);
  await keyboard.press('Enter');
  await keyboard.enter(button(question, 'Claim all'));
  await question.waitFor({ state: 'detached' });
  await keyboard.enter(page.getByRole('main').getByRole('link', { name: 'Withdraw tokens' }));
  await untilHeading(page, 'Withdraw tokens');
  await keyboard.write(page.getByRole('textbox', { name: /^Amount in/ }), '5');
  await keyboard.press('Enter');
  await keyboard.write(page.getByLabel('Wallet address'), WALLET);
  await keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Check and confirm' }).waitFor();
  await keyboard.toggle(page.getByRole('checkbox', { name: /I compared the address/ }));
  await keyboard.enter(button(page, 'Withdraw 5 SVC-TEST'));
  await page.getByRole('heading', { name: 'The withdrawal is requested' }).waitFor();
  await keyboard.enter(page.getByRole('link', { name: 'Follow its progress' }));
  const drawer = page.getByRole('dialog', { name: 'Withdrawal' });
  await drawer.waitFor();
  await keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  await keyboard.untilFocused(page.getByRole('row', { name: /5\.00.SVC-TEST/ }).getByRole('link'));
  expect((await api.withdrawals.list()).data).toMatchObject([{ amount: 5, status: 'PENDING' }]);
  expect(problems).toEqual([]);
  await context.close();
}, 180_000);
