import { createHash } from 'node:crypto';
import { openAccount } from '../launch/first-trade/client.mjs';
import { openPaperAccount, pairNamed, pairsOf, until } from '../launch/first-trade/scenario.mjs';

/**
 * A test key: derived from its label at run time.
 *
 * @param {string} label
 */
export const keyOf = (label) => new Uint8Array(createHash('sha256').update(label).digest());

/**
 * A user with a key pair, and a paper account with money that is linked and synced.
 *
 * @param {{ restUrl: string, paperExchangeUrl: string }} product
 * @param {string} label
 */
export async function openTrader(product, label) {
  const privateKey = keyOf(label);
  const { api } = await openAccount({ restUrl: product.restUrl, privateKey });
  const credentials = await openPaperAccount(product.paperExchangeUrl);
  const account = await api.exchanges.create({
    exchange: 'paper',
    account_name: label,
    trading_type: 'spot',
    credentials,
  });
  await until(
    () => api.exchanges.get(account.id),
    ({ last_sync_at }) => last_sync_at !== null,
  );
  const pair = pairNamed('BTC/USDT', await pairsOf(api));
  return { api, privateKey, credentials, account, pair };
}
