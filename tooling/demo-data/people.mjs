import { decodeId } from '@trading-automation/contracts';
import { openAccount } from '../launch/first-trade/client.mjs';
import { openPaperAccount, until } from '../launch/first-trade/scenario.mjs';
import { generatePrivateKey } from '../launch/sdk.mjs';
import { ACCOUNTS, COPIERS, FOLLOWERS, MAIN_ACCOUNT, STRATEGIES } from './cast.mjs';
import { idOf } from './trade-rows.mjs';

/**
 * @typedef {import('@trading-automation/sdk').Client} Api
 *
 * @typedef {{
 *   restUrl: string, paperExchangeUrl: string, demo: Api, demoUserId: string, mainAccountId: string,
 *   balances: ReadonlyMap<string, Readonly<Record<string, number>>>, pairs: ReadonlyMap<string, string>,
 * }} PeopleOptions `balances`: what each account holds, by its key; `pairs`: the public ids of the pairs
 */

/**
 * Creates the users, accounts, strategies and copiers of the cast through the API. The copiers are not started yet.
 *
 * @param {PeopleOptions} options
 * @returns {Promise<import('./trade-rows.mjs').Ids>}
 */
export async function createPeople(options) {
  const { demo, demoUserId, mainAccountId } = options;
  /** @type {Map<string, Api>} */
  const apis = new Map([['demo', demo]]);
  const users = new Map([['demo', demoUserId]]);
  const others = [...new Set(ACCOUNTS.map(({ user }) => user))].filter((user) => !users.has(user));
  await Promise.all(
    others.map(async (user) => {
      const opened = await openAccount({
        restUrl: options.restUrl,
        privateKey: generatePrivateKey(),
        label: user,
      });
      apis.set(user, opened.api);
      users.set(user, opened.identity.user_id);
    }),
  );
  const apiOf = (/** @type {string} */ key) => apiOfUser(apis, key.split('.')[0] ?? '');
  const accounts = new Map([[MAIN_ACCOUNT, mainAccountId]]);
  await Promise.all(
    ACCOUNTS.map(async ({ key, name }) => {
      if (key !== MAIN_ACCOUNT) accounts.set(key, await createAccount(options, apiOf(key), key, name));
    }),
  );
  await Promise.all(ACCOUNTS.map(({ key }) => untilSynced(apiOf(key), idOf(accounts, key))));
  const strategies = await createStrategies(apiOf, accounts, options.pairs);
  const copiers = await createCopiers(apiOf, accounts, strategies);
  for (const { key, account, archived } of STRATEGIES)
    if (archived !== undefined)
      await apiOf(account).strategies.update(idOf(strategies, key), { status: 'ARCHIVED' });
  return {
    users: uuidsOf(users, 'usr'),
    accounts: uuidsOf(accounts, 'exa'),
    pairs: uuidsOf(options.pairs, 'tpr'),
    strategies: uuidsOf(strategies, 'str'),
    copiers: uuidsOf(copiers, 'cpr'),
  };
}

/**
 * @param {ReadonlyMap<string, Api>} apis
 * @param {string} user
 */
function apiOfUser(apis, user) {
  const api = apis.get(user);
  if (api === undefined) throw new RangeError(`there is no user ${user}`);
  return api;
}

/**
 * Opens an account at the paper exchange and connects it.
 *
 * @param {PeopleOptions} options
 * @param {Api} api
 * @param {string} key
 * @param {string} name
 */
async function createAccount({ paperExchangeUrl, balances }, api, key, name) {
  const held = Object.entries(balances.get(key) ?? {}).filter(([, amount]) => amount >= 1e-8);
  const texts = Object.fromEntries(held.map(([asset, amount]) => [asset, amount.toFixed(8)]));
  const credentials = await openPaperAccount(paperExchangeUrl, texts);
  const account = await api.exchanges.create({
    exchange: 'paper',
    account_name: name,
    trading_type: 'spot',
    credentials,
  });
  return account.id;
}

/**
 * @param {Api} api
 * @param {string} accountId
 */
const untilSynced = (api, accountId) =>
  until(
    () => api.exchanges.get(accountId),
    ({ last_sync_at }) => last_sync_at !== null,
  );

/**
 * @param {(account: string) => Api} apiOf
 * @param {ReadonlyMap<string, string>} accounts
 * @param {ReadonlyMap<string, string>} pairs
 */
async function createStrategies(apiOf, accounts, pairs) {
  /** @type {Map<string, string>} */
  const strategies = new Map();
  await Promise.all(
    STRATEGIES.map(async (strategy) => {
      const { key, account, name, description, visibility, profitShare, minCopyEquity, capacity } = strategy;
      const { id } = await apiOf(account).strategies.create({
        name,
        description,
        exchange_account_id: idOf(accounts, account),
        trade_pair_ids: strategy.pairs.map((symbol) => idOf(pairs, symbol)),
        visibility,
        ...(profitShare === undefined ? {} : { profit_share: profitShare }),
        ...(minCopyEquity === undefined ? {} : { min_copy_equity: minCopyEquity }),
        ...(capacity === undefined ? {} : { capacity }),
      });
      strategies.set(key, id);
    }),
  );
  return strategies;
}

/**
 * @param {(account: string) => Api} apiOf
 * @param {ReadonlyMap<string, string>} accounts
 * @param {ReadonlyMap<string, string>} strategies
 */
async function createCopiers(apiOf, accounts, strategies) {
  /** @type {Map<string, string>} */
  const copiers = new Map();
  const copying = COPIERS.map(async ({ key, account, strategy, name, sizing, limits }) => {
    const { id } = await apiOf(account).copiers.create({
      name,
      strategy_id: idOf(strategies, strategy),
      exchange_account_id: idOf(accounts, account),
      sizing,
      ...(limits === undefined ? {} : { limits }),
    });
    copiers.set(key, id);
  });
  const following = FOLLOWERS.map(async ([user, strategy]) => {
    const { id } = await apiOf(user).copiers.create({
      name: strategy,
      strategy_id: idOf(strategies, strategy),
      exchange_account_id: idOf(accounts, user),
      sizing: { mode: 'FIXED_QUOTE', value: 500 },
    });
    copiers.set(`${user}.${strategy}`, id);
  });
  await Promise.all([...copying, ...following]);
  return copiers;
}

/**
 * @param {ReadonlyMap<string, string>} publicIds
 * @param {import('@trading-automation/contracts').IdPrefix} prefix
 */
function uuidsOf(publicIds, prefix) {
  return new Map([...publicIds].map(([key, id]) => [key, uuidOf(prefix, id)]));
}

/**
 * @param {import('@trading-automation/contracts').IdPrefix} prefix
 * @param {string} publicId
 */
export function uuidOf(prefix, publicId) {
  const uuid = decodeId(prefix, publicId);
  if (uuid === null) throw new RangeError(`${publicId} is no id with the prefix ${prefix}`);
  return uuid;
}
