import { readJsonIfExists, writePrivateFile } from './files.mjs';
import { createClient, openAccount, outcomeOf } from './first-trade/client.mjs';
import { openPaperAccount, pairsOf } from './first-trade/scenario.mjs';
import { generatePrivateKey } from './sdk.mjs';

/** The initial balances of the demo account on spot. */
const balances = { USDT: '10000000', BTC: '10', ETH: '100', SOL: '1000' };
/** Its initial balance on futures, where the exchange settles everything in USDT. */
const futuresBalances = { USDT: '1000000' };

/** Opens the demo account at the paper exchange. @param {string} paperExchangeUrl */
export const openDemoPaperAccount = (paperExchangeUrl) =>
  openPaperAccount(paperExchangeUrl, balances, futuresBalances);

/**
 * Creates the demo: a paper account, and a user with a key pair and an ADMIN API key. The paper account is linked to the
 * user as an exchange account. The demo is created through the public API at the first start and reused afterwards.
 *
 * @typedef {{
 *   paper: { api_key: string, api_secret: string }, api_key: string,
 *   exchange_account_id: string, trade_pair_id: string,
 * }} Demo
 *
 * @param {string} file
 * @param {{ restUrl: string, paperExchangeUrl: string }} urls
 * @returns {Promise<Demo>}
 */
export async function ensureDemo(file, { restUrl, paperExchangeUrl }) {
  const stored = readJsonIfExists(file);
  if (stored !== null && (await stillExists(stored, restUrl))) return stored;
  const paper = await openDemoPaperAccount(paperExchangeUrl);
  const { api } = await openAccount({ restUrl, privateKey: generatePrivateKey(), label: 'demo' });
  const { key } = await api.apiKeys.create({ name: 'demo', permissions: ['ADMIN'] });
  const account = await api.exchanges.create({
    exchange: 'paper',
    account_name: 'Paper account',
    trading_type: 'spot',
    credentials: paper,
  });
  const [pair] = await pairsOf(api);
  if (pair === undefined) throw new Error('the paper exchange has no pair');
  const demo = { paper, api_key: key, exchange_account_id: account.id, trade_pair_id: pair.id };
  writePrivateFile(file, JSON.stringify(demo));
  return demo;
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
