/** The wizard that connects an exchange account, for exchanges with each form of credentials. No exchange is called. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { openTrader } from '../accounts.mjs';
import { startProduct } from '../product.mjs';
import { openBrowser, signInByApiKey } from './browser.mjs';
import { LOOKS, overflowOf, problemsOf, show } from './page-checks.mjs';

/** @type {import('../product.mjs').Product} */
let product;
/** @type {import('./browser.mjs').Browser} */
let browser;
beforeAll(async () => {
  product = await startProduct({
    graphqlApis: 1,
    hasDashboard: true,
    extraEnv: { dashboard: { DOCS_URL: 'https://docs.example' } },
  });
  browser = await openBrowser(product.urlOf('dashboard'));
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await product?.stop();
}, 60_000);

const rights = (/** @type {string} */ type) => ({
  needed: [`Trade ${type}`],
  refused: [`Withdraw ${type}`],
  notes: [`Note on ${type}.`],
});
/** What a trading worker publishes of the exchanges that it is configured with. */
const EXCHANGES = [
  { code: 'secret', name: 'Secret Exchange', secret: 'HMAC_SECRET', hasPassphrase: false },
  { code: 'phrase', name: 'Phrase Exchange', secret: 'HMAC_SECRET', hasPassphrase: true },
  { code: 'pem', name: 'Pem Exchange', secret: 'EC_PRIVATE_KEY', hasPassphrase: false },
];

async function publishExchanges() {
  const database = new pg.Client({ connectionString: product.databaseUrl });
  await database.connect();
  try {
    for (const { code, name, ...form } of EXCHANGES)
      await database.query(
        `INSERT INTO supported_exchanges (id, code, name, trading_types, is_active, stages, credential_form)
         VALUES ($1, $2, $3, '{spot,margin}', true, '{"spot": "BETA", "margin": "STABLE"}', $4)`,
        [
          randomUUID(),
          code,
          name,
          { ...form, permissions: { spot: rights('spot'), margin: rights('margin') } },
        ],
      );
  } finally {
    await database.end();
  }
}

it('each exchange has its trading types, its permissions, its page and its form of credentials', async () => {
  const { api } = await openTrader(product, 'dashboard venues');
  const { key } = await api.apiKeys.create({ name: 'venues', permissions: ['ADMIN'] });
  await publishExchanges();
  const { page, problems } = await browser.newPerson();
  await signInByApiKey(page, key);
  await page.goto('/exchanges/new');
  const next = () => page.getByRole('button', { name: 'Continue' }).click();
  const back = () => page.getByRole('button', { name: 'Back' }).click();
  const found = [];
  await page.getByRole('radio', { name: 'Pem Exchange Spot Beta' }).waitFor();
  for (const look of LOOKS) {
    await show(page, look);
    const wizard = { route: '/exchanges/new', title: 'Connect exchange', shows: 'role=radio' };
    found.push(...(await problemsOf(page, wizard)), ...(await overflowOf(page)));
  }
  for (const { code, name, secret, hasPassphrase } of EXCHANGES)
    for (const type of ['spot', 'margin']) {
      const label = type === 'spot' ? `${name} Spot Beta` : `${name} Margin`;
      await page.getByRole('radio', { name: label, exact: true }).check();
      await next();
      await page.getByText(`Trade ${type}`).waitFor();
      await page.getByText(`Withdraw ${type}`).waitFor();
      await page.getByText(`Note on ${type}.`).waitFor();
      const guide = page.getByRole('link', { name: `How to create the key at ${name}` });
      expect(await guide.getAttribute('href')).toBe(`https://docs.example/venues/${code}`);
      await page.getByRole('checkbox', { name: /The key cannot withdraw/ }).check();
      await next();
      const isKeyFile = secret === 'EC_PRIVATE_KEY';
      await page.getByLabel(isKeyFile ? 'Private key' : 'API secret').waitFor();
      expect(await page.getByLabel('Passphrase').count()).toBe(hasPassphrase ? 1 : 0);
      if (hasPassphrase) {
        await page.getByLabel('API key').fill('key');
        await page.getByLabel('API secret').fill('secret');
        await page.getByRole('button', { name: 'Test credentials' }).click();
        await page.getByText('Enter the passphrase of the key.').waitFor();
      }
      await back();
      await back();
    }
  expect([...found, ...problems]).toEqual([]);
}, 120_000);
