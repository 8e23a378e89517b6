import { readJsonIfExists, writePrivateFile } from './files.mjs';
import { createClient, openAccount, outcomeOf } from './first-trade/client.mjs';
import { openPaperAccount, pairNamed, pairsOf } from './first-trade/scenario.mjs';
import { generatePrivateKey } from './sdk.mjs';

/** The initial balances of the demo account on spot. */
const balances = { USDT: '10000000', BTC: '10', ETH: '100', SOL: '1000' };
/** Its initial balance on futures, where the exchange settles everything in USDT. */
const FUTURES_USDT = '1000000';

const PERPETUALS_NAME = 'Demo perpetuals';

/** Opens the demo account at the paper exchange. @param {string} paperExchangeUrl */
export const openDemoPaperAccount = (paperExchangeUrl) =>
  openPaperAccount(paperExchangeUrl, balances, { USDT: FUTURES_USDT });

/**
 * Creates the demo: a paper account, and a user with a key pair and an ADMIN API key. The paper account is linked to the
 * user as two exchange accounts, one of spot and one of perpetuals. The demo is created through the public API at the
 * first start and reused afterwards. A stored demo without perpetuals gets them once; if the user removes that account,
 * it is not created again.
 *
 * @typedef {{
 *   paper: { api_key: string, api_secret: string }, api_key: string,
 *   exchange_account_id: string, trade_pair_id: string, perpetual_account_id?: string,
 * }} Demo `perpetual_account_id` is missing in a demo that was created before perpetuals were offered
 *
 * @param {string} file
 * @param {{ restUrl: string, paperExchangeUrl: string }} urls
 * @returns {Promise<Demo>}
 */
export async function ensureDemo(file, urls) {
  const stored = readJsonIfExists(file);
  const isUsable = stored !== null && (await stillExists(stored, urls.restUrl));
  const demo = isUsable ? stored : await createDemo(urls);
  if (demo.perpetual_account_id !== undefined) return demo;
  // Stored first: if the next call fails, the next start continues with this demo.
  writePrivateFile(file, JSON.stringify(demo));
  const complete = { ...demo, perpetual_account_id: await linkPerpetuals(demo, urls) };
  writePrivateFile(file, JSON.stringify(complete));
  return complete;
}

/**
 * @param {{ restUrl: string, paperExchangeUrl: string }} urls
 * @returns {Promise<Demo>}
 */
async function createDemo({ restUrl, paperExchangeUrl }) {
  const paper = await openDemoPaperAccount(paperExchangeUrl);
  const { api } = await openAccount({ restUrl, privateKey: generatePrivateKey(), label: 'demo' });
  const { key } = await api.apiKeys.create({ name: 'demo', permissions: ['ADMIN'] });
  const account = await api.exchanges.create({
    exchange: 'paper',
    account_name: 'Paper account',
    trading_type: 'spot',
    credentials: paper,
  });
  const pair = pairNamed('BTC/USDT', await pairsOf(api));
  return { paper, api_key: key, exchange_account_id: account.id, trade_pair_id: pair.id };
}

/**
 * Links the paper account as an account of perpetuals, and returns the id. If an interrupted start has linked it already,
 * returns that account.
 *
 * @param {Demo} demo
 * @param {{ restUrl: string, paperExchangeUrl: string }} urls
 */
async function linkPerpetuals({ api_key: apiKey, paper }, { restUrl, paperExchangeUrl }) {
  await fundFutures(paper.api_key, paperExchangeUrl);
  const api = createClient({ restUrl, apiKey });
  for await (const { id, exchange_name, account_name } of api.exchanges.list({ limit: 100 }))
    if (exchange_name === 'paper' && account_name === PERPETUALS_NAME) return id;
  const { id } = await api.exchanges.create({
    exchange: 'paper',
    account_name: PERPETUALS_NAME,
    trading_type: 'perpetual',
    credentials: paper,
  });
  return id;
}

/**
 * Adds the initial balance on futures if the account has none. Paper accounts of older demos were opened without one.
 *
 * @param {string} apiKey
 * @param {string} paperExchangeUrl
 */
async function fundFutures(apiKey, paperExchangeUrl) {
  const ledger = await fetch(`${paperExchangeUrl}/admin/ledger?api_key=${apiKey}`);
  if (!ledger.ok) throw new Error(`could not read the demo account at the paper exchange: ${ledger.status}`);
  const { futures_balances: futures } = /** @type {{ futures_balances: { USDT: { wallet: string } } }} */ (
    await ledger.json()
  );
  if (futures.USDT.wallet !== '0') return;
  const deposit = await fetch(`${paperExchangeUrl}/admin/deposits`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: apiKey, asset: 'USDT', amount: FUTURES_USDT, wallet: 'futures' }),
  });
  if (!deposit.ok) throw new Error(`could not fund the demo account on futures: ${deposit.status}`);
}

/**
 * @param {Demo} demo
 * @param {string} restUrl
 */
async function stillExists(demo, restUrl) {
  const api = createClient({ restUrl, apiKey: demo.api_key });
  const { status } = await outcomeOf(api.exchanges.get(demo.exchange_account_id));
  return status === 200;
}
