/** The main path of a developer with a webhook: create, break, look at the attempts and the dead letter, retry, rotate. */
import { startReceiver } from '../../launch/first-trade/receiver.mjs';
import { openTrader } from '../accounts.mjs';
import { startProduct } from '../product.mjs';
import { openBrowser, signInByApiKey } from './browser.mjs';
import { closeTop, goTo } from './steps.mjs';

/** @type {import('../product.mjs').Product} */
let product;
/** @type {import('./browser.mjs').Browser} */
let browser;
/** @type {Awaited<ReturnType<typeof startReceiver>>} */
let receiver;
/** @type {Awaited<ReturnType<typeof openTrader>>} */
let trader;
let apiKey = '';
let isBroken = false;
beforeAll(async () => {
  product = await startProduct({
    graphqlApis: 1,
    hasDashboard: true,
    // All five attempts take seconds instead of twelve minutes.
    extraEnv: { 'webhook-dispatcher': { RETRY_DELAYS_MS: '500,500,500,500' } },
  });
  browser = await openBrowser(product.urlOf('dashboard'));
  receiver = await startReceiver({ statusFor: () => (isBroken ? 500 : 204) });
  trader = await openTrader(product, 'dashboard webhooks');
  ({ key: apiKey } = await trader.api.apiKeys.create({ name: 'dashboard', permissions: ['ADMIN'] }));
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await receiver?.stop();
  await product?.stop();
}, 60_000);

/** Places an order that rests, which causes one event: trade.created. */
const placeOrder = () =>
  trader.api.trades.create({
    exchange_account_id: trader.account.id,
    trade_pair_id: trader.pair.id,
    type: 'LIMIT',
    side: 'BUY',
    amount: '0.01',
    price: '10000',
  });

/** Reads the secret that a dialog shows once, and confirms that it was stored. */
async function takeSecret(page, title) {
  const dialog = page.getByRole('dialog', { name: title });
  const secret = await dialog
    .getByText(/^whsec_/)
    .first()
    .textContent();
  await dialog.getByRole('button', { name: 'I stored the secret' }).click();
  await dialog.waitFor({ state: 'detached' });
  return String(secret);
}

async function addWebhook(page) {
  await goTo(page, 'Webhooks');
  await page.getByRole('button', { name: 'Add webhook' }).first().click();
  const form = page.getByRole('dialog', { name: 'Add a webhook' });
  await form.getByLabel('URL').fill(receiver.url);
  await form.getByLabel('Description').fill('Orders');
  await form.getByRole('checkbox', { name: /^All events/ }).uncheck();
  await form.getByRole('button', { name: 'Add webhook' }).click();
  await form.getByText('Choose at least one event.').waitFor();
  await form.getByRole('checkbox', { name: 'trade.created' }).check();
  await form.getByRole('button', { name: 'Add webhook' }).click();
  return await takeSecret(page, 'Signing secret');
}

/** Two pages have their titles in the document for a moment: whichever of them stays has the name of the record once. */
async function namesRecordInEachTitle(page) {
  const title = `${receiver.url} · Webhook · Trading automation`;
  await page.waitForFunction((wanted) => document.title === wanted, title);
  const seen = await page.evaluate(async () => {
    const settled = () => new Promise((go) => setTimeout(go, 50));
    const earlier = document.createElement('title');
    earlier.textContent = 'Webhooks · Trading automation';
    document.head.prepend(earlier);
    await settled();
    const during = document.title;
    earlier.remove();
    await settled();
    return [during, document.title];
  });
  expect(seen).toEqual([`${receiver.url} · Webhooks · Trading automation`, title]);
}

it('a webhook is created and broken; its attempts and its dead letter are shown; a retry delivers, a new secret signs', async () => {
  const { page, problems, context } = await browser.newPerson();
  await signInByApiKey(page, apiKey);
  receiver.useSecret(await addWebhook(page));
  await page.getByRole('link', { name: receiver.url }).click();
  await page.getByRole('button', { name: 'Send test event' }).click();
  await namesRecordInEachTitle(page);
  await page.getByText(/The test event was delivered: status 204/).waitFor();
  const deliveries = page.getByRole('region', { name: 'Deliveries, table' });
  await deliveries.getByRole('row', { name: /webhook\.test Delivered 204/ }).waitFor();

  isBroken = true;
  const { id: tradeId } = await placeOrder();
  // The open page follows all attempts without a reload, and then shows the dead letter.
  await deliveries.getByRole('row', { name: /trade\.created Pending 500.* 1 of 5/ }).waitFor();
  await page.getByRole('heading', { level: 1 }).getByText('Failing').waitFor();
  await deliveries.getByRole('row', { name: /trade\.created Failed 500.* 5 of 5/ }).waitFor();
  await deliveries
    .getByRole('row', { name: / 5 of 5/ })
    .getByRole('link')
    .click();
  const drawer = page.getByRole('dialog', { name: 'trade.created' });
  for (const attempt of [1, 2, 3, 4, 5])
    await drawer.getByRole('button', { name: `Attempt ${attempt} of 5` }).waitFor();
  await drawer.getByText('Status 500.', { exact: true }).waitFor();
  await drawer.getByRole('region', { name: 'Request headers' }).getByText('webhook-signature').waitFor();
  await drawer.getByText(tradeId).first().waitFor();
  await closeTop(page);

  await page.getByRole('link', { name: 'Show', exact: true }).click();
  const letters = page.getByRole('region', { name: 'Dead letters, table' });
  await page.getByRole('button', { name: 'Retry a time range' }).click();
  const range = page.getByRole('dialog', { name: 'Retry pending dead letters' });
  await range.getByRole('checkbox', { name: /^Any time/ }).check();
  await range.getByText('1 pending dead letter matches.').waitFor();
  await range.getByRole('button', { name: 'Retry 1 dead letter' }).waitFor();
  await range.getByRole('button', { name: 'Cancel' }).click();
  await letters
    .getByRole('row', { name: /trade\.created/ })
    .getByRole('link')
    .click();
  const letter = page.getByRole('dialog', { name: 'trade.created' });
  await letter.getByText('5 of 5').waitFor();
  await letter.getByText(tradeId).first().waitFor();
  await page.waitForFunction(() => document.title === 'Dead letter · Trading automation');
  await letter.getByRole('button', { name: 'Retry' }).click();
  const retry = page.getByRole('dialog', { name: /Retry this dead letter/ });
  await retry.getByText('The last 5 attempts of this webhook failed.').waitFor();
  await retry.getByText('after 10 failed attempts in a row').waitFor();
  isBroken = false;
  await retry.getByRole('button', { name: 'Retry delivery' }).click();
  const retried = await receiver.until(
    'the retried event',
    ({ event, attempt, isGenuine }) =>
      event.data.id === tradeId && attempt === 1 && isGenuine && receiver.received.length > 6,
  );
  expect(retried.event.type).toBe('trade.created');
  await letter.getByText('Retried', { exact: true }).first().waitFor();
  await letter.getByRole('link', { name: 'the attempts of the event' }).waitFor();
  await closeTop(page);

  await goTo(page, 'Events');
  const events = page.getByRole('region', { name: 'Events, table' });
  await events
    .getByRole('row', { name: /trade\.created/ })
    .getByRole('link')
    .click();
  const event = page.getByRole('dialog', { name: 'trade.created' });
  const receivers = event.getByRole('list', { name: 'Webhooks' });
  await receivers.getByText('Delivered').waitFor();
  await receivers.getByText('Status 204').waitFor();
  await receivers.getByRole('link', { name: `Show attempts to ${receiver.url}` }).waitFor();
  await closeTop(page);
  // The list without a drawer is another page, with an empty form.
  await page.waitForURL(/\/developers\/events$/);
  await page.getByLabel('Event or record id').fill(tradeId);
  await page.getByRole('button', { name: 'Find events' }).click();
  const found = page.getByRole('region', { name: 'Found events' });
  await found.getByText(/^1 event has this id among/).waitFor();
  await found.getByRole('link', { name: /trade\.created/ }).click();
  await event.getByText(tradeId).first().waitFor();
  await closeTop(page);
  await page.waitForURL(/\/developers\/events\?record=/);
  await page.getByRole('button', { name: 'Close results' }).click();
  await found.waitFor({ state: 'detached' });

  await goTo(page, 'Request log');
  const requests = page.getByRole('region', { name: 'Requests, table' });
  await requests
    .getByRole('row', { name: /This session/ })
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Browser sessions' }).click();
  await page.getByRole('menuitem', { name: 'Hidden' }).click();
  await requests.getByRole('row', { name: /POST \/v1\/trades / }).waitFor();
  expect(await requests.getByRole('row', { name: /This session/ }).count()).toBe(0);
  await goTo(page, 'Webhooks');
  await page.getByRole('link', { name: receiver.url }).click();
  await deliveries.getByRole('row', { name: /trade\.created Delivered 204.* 1 of 5/ }).waitFor();
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByText(receiver.url).waitFor();
  expect(await page.title()).toBe(`${receiver.url} · Webhook · Trading automation`);
  await page.getByRole('heading', { level: 1 }).getByText('Active').waitFor();
  await page.getByRole('button', { name: 'Verify signatures' }).click();
  const sample = page.getByRole('dialog', { name: 'Verify signatures' });
  await sample.getByText('npm install @trading-automation/sdk').waitFor();
  await closeTop(page);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Rotate secret' }).click();
  const question = page.getByRole('dialog', { name: 'Rotate the signing secret?' });
  await question.getByText('The old secret ends at once').waitFor();
  await question.getByRole('button', { name: 'Rotate secret' }).click();
  receiver.useSecret(await takeSecret(page, 'New signing secret'));
  const { id: nextId } = await placeOrder();
  const next = await receiver.until('the next event', ({ event }) => event.data.id === nextId);
  expect(next.isGenuine).toBe(true);
  expect(problems).toEqual([]);
  await context.close();
}, 300_000);
