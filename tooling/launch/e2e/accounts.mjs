import { createHash } from 'node:crypto';
import { openAccount } from '../first-trade/client.mjs';
import { openPaperAccount, pairsOf, until } from '../first-trade/scenario.mjs';

/**
 * A test key: derived from its label at run time.
 *
 * @param {string} label
 */
export const keyOf = (label) => new Uint8Array(createHash('sha256').update(label).digest());

/**
 * A user with a key pair, and a paper account with money that is linked and synced.
 *
 * @param {import('./product.mjs').Product} product
 * @param {string} label
 */
export async function openTrader(product, label) {
  const privateKey = keyOf(label);
  const { api } = await openAccount({ restUrl: product.restUrl, privateKey });
  const credentials = await openPaperAccount(product.paperExchangeUrl);
  const account = await api.post('/v1/exchanges', {
    exchange: 'paper',
    account_name: label,
    trading_type: 'spot',
    credentials,
  });
  await until(
    () => api.get(`/v1/exchanges/${account.id}`),
    ({ last_sync_at }) => last_sync_at !== null,
  );
  const pairs = await pairsOf(api);
  const pair = pairs.find((/** @type {any} */ { symbol }) => symbol === 'BTC/USDT');
  return { api, privateKey, credentials, account, pair };
}
