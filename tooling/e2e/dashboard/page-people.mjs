/** The people whose pages are checked, and the records that the pages of single records show. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeDemoData } from '../../demo-data/write-demo-data.mjs';
import { ensureDemo } from '../../launch/demo.mjs';
import { createClient } from '../../launch/first-trade/client.mjs';
import { signInByApiKey } from './browser.mjs';

/** A short record with few trades fills every page, and is written within seconds. */
const SMALL = { days: 45, activity: 0.4 };

/**
 * The demo user with life-like data.
 *
 * @param {import('../product.mjs').Product} product
 */
export async function openTraderWithData(product) {
  const folder = mkdtempSync(join(tmpdir(), 'trading-automation-pages-'));
  try {
    const { api_key: apiKey } = await ensureDemo(join(folder, 'demo.json'), product);
    const { restUrl, paperExchangeUrl, databaseUrl } = product;
    await writeDemoData({ restUrl, paperExchangeUrl, databaseUrl, apiKey, ...SMALL });
    return { api: createClient({ restUrl, apiKey }), apiKey };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Returns the ids that the paths of pages name in braces.
 *
 * @param {import('@trading-automation/sdk').Client} api
 * @returns {Promise<Readonly<Record<string, string>>>}
 */
export async function recordsOf(api) {
  const webhooks = await api.webhooks.list({ limit: 100 }).toArray({ limit: 100 });
  const [withLetters] = await Promise.all(
    webhooks.map(async ({ id }) => ({ id, letters: (await api.webhooks.deadLetters.list(id)).data })),
  ).then((all) => all.filter(({ letters }) => letters.length > 0));
  const healthy = webhooks.find(
    ({ is_active, consecutive_failures: failures }) => is_active && failures === 0,
  );
  const own = await api.strategies.list({ limit: 100 }).toArray({ limit: 100 });
  const [copier] = (await api.copiers.list({ status: 'ACTIVE' })).data;
  const pairs = await api.tradePairs.list({ limit: 100 }).toArray({ limit: 1_000 });
  const firstOf = async (/** @type {PromiseLike<{ data: readonly { id: string }[] }>} */ list) =>
    (await list).data[0]?.id;
  const records = {
    trade: await firstOf(api.trades.list({ status: 'FILLED' })),
    lot: await firstOf(api.lots.list({ status: 'OPEN' })),
    pair: pairs.find(
      ({ symbol, trading_type, is_active }) => is_active && symbol === 'BTC/USDT' && trading_type === 'spot',
    )?.id,
    unknownPair: 'tpr_00000000000000000000000000',
    strategy: own.find(({ visibility }) => visibility === 'PRIVATE')?.id,
    copier: copier?.id,
    copiedStrategy: copier?.strategy_id,
    account: await firstOf(api.exchanges.list({ sort: 'created_at', order: 'asc' })),
    withdrawal: await firstOf(api.withdrawals.list()),
    webhook: healthy?.id,
    deliveredEvent: (await api.webhooks.deliveries(healthy?.id ?? '')).data[0]?.event_id,
    event: (await api.events.list()).data[0]?.event_id,
    webhookWithLetters: withLetters?.id,
    letter: withLetters?.letters[0]?.id,
  };
  return Object.fromEntries(
    Object.entries(records).map(([name, id]) => {
      if (id === undefined) throw new Error(`the demo data has no ${name}`);
      return [name, id];
    }),
  );
}

/**
 * Signs everybody in whose pages are checked.
 *
 * @param {import('./browser.mjs').Browser} browser
 * @param {Awaited<ReturnType<typeof openTraderWithData>>} trader
 */
export async function signEveryoneIn(browser, { api, apiKey }) {
  const { key: readKey } = await api.apiKeys.create({ name: 'reader', permissions: ['READ'] });
  const [visitor, trader, reader, newcomer] = await Promise.all([
    browser.newPerson(),
    browser.newPerson(),
    browser.newPerson(),
    browser.newPerson(),
  ]);
  await signInByApiKey(trader.page, apiKey);
  await signInByApiKey(reader.page, readKey);
  await openNewAccount(newcomer.page);
  return { visitor, trader, reader, newcomer };
}

/** @typedef {Awaited<ReturnType<typeof signEveryoneIn>>} People */

/** Opens an account in the page: it has neither data nor an API key. @param {import('playwright-core').Page} page */
async function openNewAccount(page) {
  await page.goto('/sign-in');
  await page.getByRole('tab', { name: 'New account' }).click();
  await page.getByRole('button', { name: 'Create an account' }).click();
  await page.getByRole('button', { name: 'Save the key file' }).click();
  await page.getByRole('button', { name: 'Continue to the dashboard' }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
}
