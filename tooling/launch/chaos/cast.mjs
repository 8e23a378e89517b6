import { keyOf } from '../e2e/accounts.mjs';
import { createClient, openAccount } from '../first-trade/client.mjs';
import { pairsOf, until } from '../first-trade/scenario.mjs';
import { openVenueAccount } from './venue.mjs';

/**
 * Who takes part: leaders with a strategy each, and copiers that follow them, some of them several on one account.
 *
 * @typedef {{ id: string, credentials: import('./venue.mjs').Credentials }} Account
 * @typedef {{ api: import('../first-trade/client.mjs').Client, account: Account, strategyId: string }} Leader
 * @typedef {{ id: string, strategyId: string, accountId: string }} Copier
 * @typedef {{ leaders: Leader[], copiers: Copier[], accounts: Account[], pairs: any[] }} Cast
 */

const copiersPerUser = 100;
/** Every so many copiers, one has the account of the copier before. */
const sharedEvery = 5;

/** Settings of copiers, in turn. */
const settings = [
  { sizing: { mode: 'MULTIPLIER', value: '1' } },
  { sizing: { mode: 'MULTIPLIER', value: '0.37' }, below_minimum: 'SKIP' },
  { sizing: { mode: 'FIXED_QUOTE', value: '150' } },
  { sizing: { mode: 'FIXED_AMOUNT', value: '0.004' }, limits: { max_trade_quote: '120' } },
  { sizing: { mode: 'EQUITY_RATIO', value: '1' } },
  { sizing: { mode: 'MULTIPLIER', value: '0.05' }, below_minimum: 'ACCUMULATE' },
  { sizing: { mode: 'MULTIPLIER', value: '2' }, limits: { max_open_quote: '2500', max_slippage_bps: 30 } },
];

/**
 * @param {import('../e2e/killable-product.mjs').KillableProduct} product
 * @param {{ strategies: number, copiers: number }} size
 * @returns {Promise<Cast>}
 */
export async function openCast(product, size) {
  const leaders = [];
  for (let i = 0; i < size.strategies; i++) leaders.push(await openLeader(product, i));
  const { api } = /** @type {Leader} */ (leaders[0]);
  const pairs = await until(
    () => pairsOf(api),
    (found) => found.length > 0,
  );
  /** @type {Account[]} */
  const accounts = leaders.map(({ account }) => account);
  /** @type {Copier[]} */
  const copiers = [];
  for (let first = 0; first < size.copiers; first += copiersPerUser) {
    const user = await openUser(product, `chaos copiers ${first}`);
    /** @type {Account | undefined} */
    let account;
    for (let i = first; i < Math.min(first + copiersPerUser, size.copiers); i++) {
      if (account === undefined || i % sharedEvery !== 0) {
        account = await linkAccount(product, user, `copier ${i}`, '20000');
        accounts.push(account);
      }
      const { strategyId } = /** @type {Leader} */ (leaders[i % leaders.length]);
      const { id } = await user.post('/v1/copiers', {
        name: `copier ${i}`,
        strategy_id: strategyId,
        exchange_account_id: account.id,
        ...settings[i % settings.length],
      });
      await user.post(`/v1/copiers/${id}/start`);
      copiers.push({ id, strategyId, accountId: account.id });
    }
  }
  return { leaders, copiers, accounts, pairs };
}

/**
 * @param {import('../e2e/killable-product.mjs').KillableProduct} product
 * @param {number} index
 * @returns {Promise<Leader>}
 */
async function openLeader(product, index) {
  const api = await openUser(product, `chaos leader ${index}`);
  const account = await linkAccount(product, api, `leader ${index}`, '10000000');
  const { id } = await api.post('/v1/strategies', {
    name: `strategy ${index}`,
    exchange_account_id: account.id,
    visibility: 'PUBLIC',
  });
  return { api, account, strategyId: id };
}

/**
 * @param {{ restUrl: string }} product
 * @param {string} label
 */
async function openUser({ restUrl }, label) {
  const { api } = await openAccount({ restUrl, privateKey: keyOf(label) });
  const { key } = await api.post('/v1/api-keys', { name: label, permissions: ['READ', 'TRADE'] });
  return createClient({ restUrl, apiKey: key });
}

/**
 * @param {{ paperExchangeUrl: string }} product
 * @param {import('../first-trade/client.mjs').Client} api
 * @param {string} name
 * @param {string} usdt
 * @returns {Promise<Account>}
 */
async function linkAccount({ paperExchangeUrl }, api, name, usdt) {
  const credentials = await openVenueAccount(paperExchangeUrl, { USDT: usdt });
  const { id } = await api.post('/v1/exchanges', {
    exchange: 'paper',
    account_name: name,
    trading_type: 'spot',
    credentials,
  });
  return { id, credentials };
}
