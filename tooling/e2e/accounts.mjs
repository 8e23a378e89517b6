import { createHash } from 'node:crypto';
import { openAccount } from '../launch/first-trade/client.mjs';
import { openPaperAccount, pairNamed, pairsOf, until } from '../launch/first-trade/scenario.mjs';

/**
 * Derives a private key for tests from a label.
 *
 * @param {string} label
 */
export const keyOf = (label) => new Uint8Array(createHash('sha256').update(label).digest());

/**
 * Creates a user with a key pair, and links a funded account at the paper exchange. Waits for the account's balances.
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
