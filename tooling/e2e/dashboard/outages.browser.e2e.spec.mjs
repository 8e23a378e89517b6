/** A part of the product stops responding while a page is open: the page says so and recovers without a reload. */
import { openTrader } from '../accounts.mjs';
import { startKillableProduct } from '../killable-product.mjs';
import { openBrowser, signInByApiKey } from './browser.mjs';

/** Every run stops the API; the nightly run stops the servers behind it, too. */
const parts = process.env.ALL_OUTAGES === 'true' ? ['rest-api', 'postgres', 'redis'] : ['rest-api'];
const LIMIT_MS = 90_000;

/** @type {import('../killable-product.mjs').KillableProduct} */
let product;
/** @type {import('./browser.mjs').Browser} */
let browser;
beforeAll(async () => {
  product = await startKillableProduct({ hasDashboard: true });
  browser = await openBrowser(product.urlOf('dashboard'));
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await product?.stop();
}, 60_000);

const buy = ({ api, account, pair }, amount) =>
  api.trades.create({
    exchange_account_id: account.id,
    trade_pair_id: pair.id,
    type: 'MARKET',
    side: 'BUY',
    amount,
  });

describe.each(parts)('while %s does not respond, the page', (part) => {
  it(
    'says so, keeps what it shows, and shows the current state afterwards, without a reload',
    async () => {
      const trader = await openTrader(product, `outage of ${part}`);
      const { key } = await trader.api.apiKeys.create({ name: 'outages', permissions: ['ADMIN'] });
      await buy(trader, '0.011');
      const { page, context } = await browser.newPerson();
      await signInByApiKey(page, key);
      await page.goto('/trades');
      const rows = page.locator('tbody tr[aria-rowindex]');
      await rows.first().waitFor();
      const loads = await page.evaluate(() => performance.getEntriesByType('navigation').length);
      const countBefore = await rows.count();

      product.pause(part);
      // A filter that the page has not loaded yet.
      await page.getByRole('button', { name: 'Side' }).click();
      await page.getByRole('menuitem', { name: 'Buy' }).click();
      const failure = page
        .getByRole('alert')
        .getByText(/^The (?:service|dashboard) does not respond|may be old/);
      try {
        await failure.waitFor({ timeout: LIMIT_MS });
        // The page tries again, and meanwhile shows the failure, not the placeholder of a first loading.
        await page.waitForRequest(/side=BUY/, { timeout: LIMIT_MS });
        expect(await failure.isVisible()).toBe(true);
      } finally {
        product.resume(part);
      }
      await rows.first().waitFor({ timeout: LIMIT_MS });
      await failure.waitFor({ state: 'detached', timeout: LIMIT_MS });

      await buy(trader, '0.0123');
      await page.getByText('0.0123').waitFor({ timeout: LIMIT_MS });
      expect(await rows.count()).toBe(countBefore + 1);
      await page.getByRole('status').getByText('Live').waitFor({ timeout: LIMIT_MS });
      expect(await page.evaluate(() => performance.getEntriesByType('navigation').length)).toBe(loads);
      await context.close();
    },
    5 * LIMIT_MS,
  );
});
