import pLimit from 'p-limit';
import { keyOf } from '../e2e/accounts.mjs';
import { createClient, openAccount } from '../launch/first-trade/client.mjs';
import { pairsOf } from '../launch/first-trade/scenario.mjs';
import { settingsOf } from './copier-settings.mjs';
import { openVenueAccount } from './venue.mjs';

/**
 * Creates the participants: leaders with one strategy each, and copiers that follow them. Some copiers share an account.
 * On perpetuals, a speculator without copiers trades with little margin, so that the exchange liquidates its positions.
 *
 * @typedef {import('./run.mjs').TradingType} TradingType
 * @typedef {{ id: string, credentials: import('./venue.mjs').Credentials, apiKey: string, tradingType: TradingType }} Account
 *   `apiKey`: of the user of the account
 * @typedef {{ api: import('@trading-automation/sdk').Client, account: Account }} Trader
 * @typedef {Trader & { strategyId: string }} Leader
 * @typedef {{ id: string, strategyId: string, accountId: string }} Copier
 * @typedef {{
 *   leaders: Leader[], copiers: Copier[], accounts: Account[], pairs: readonly any[], speculator?: Trader,
 * }} Participants `accounts`: of all participants; `pairs`: those of the trading type
 *
 * @typedef {{ restUrl: string, paperExchangeUrl: string }} Product
 * @typedef {{ api: import('@trading-automation/sdk').Client, apiKey: string }} User
 */

const copiersPerUser = 100;
/** The quote currency of each account. It suffices for every copy, and a copy by equity has half the leader's size. */
const leaderFunds = '2000000';
const copierFunds = '1000000';
export const speculatorFunds = '1000';
/** Every fifth copier shares the account of the previous copier. */
const sharedEvery = 5;
/** The number of accounts that are linked concurrently. Linking mostly waits for other processes. */
const concurrency = 8;

/**
 * @param {Product} product
 * @param {{ strategies: number, copiers: number, tradingType?: TradingType }} size
 * @returns {Promise<Participants>}
 */
export async function openParticipants(product, { strategies, copiers, tradingType = 'spot' }) {
  const leaders = await Promise.all(
    Array.from({ length: strategies }, (_, index) => openLeader(product, index, tradingType)),
  );
  const { api } = /** @type {Leader} */ (leaders[0]);
  const pairs = await pairsOf(api, tradingType);
  const speculator = tradingType === 'perpetual' ? await openSpeculator(product) : undefined;
  const groups = [];
  for (let first = 0; first < copiers; first += copiersPerUser) {
    const user = await openUser(product, `chaos copiers ${first}`);
    const end = Math.min(first + copiersPerUser, copiers);
    for (const numbers of groupByAccount(first, end)) groups.push({ user, numbers, tradingType });
  }
  const opened = await pLimit(concurrency).map(groups, (group) => openCopiers(product, leaders, group));
  const traders = [...leaders, ...(speculator === undefined ? [] : [speculator])];
  return {
    leaders,
    copiers: opened.flatMap((each) => each.copiers),
    accounts: [...traders, ...opened].map(({ account }) => account),
    pairs,
    ...(speculator === undefined ? {} : { speculator }),
  };
}

/**
 * Groups the numbers of a user's copiers by account.
 *
 * @param {number} first
 * @param {number} end
 */
function groupByAccount(first, end) {
  /** @type {number[][]} */
  const groups = [];
  for (let number = first; number < end; number++) {
    const before = groups.at(-1);
    if (before !== undefined && number % sharedEvery === 0) before.push(number);
    else groups.push([number]);
  }
  return groups;
}

/**
 * Creates an account and its copiers.
 *
 * @param {Product} product
 * @param {readonly Leader[]} leaders
 * @param {{ user: User, numbers: readonly number[], tradingType: TradingType }} group
 */
async function openCopiers(product, leaders, { user, numbers, tradingType }) {
  const terms = { name: `copier ${numbers[0]}`, usdt: copierFunds, tradingType };
  const account = await linkAccount(product, user, terms);
  const { api } = user;
  /** @type {Copier[]} */
  const copiers = [];
  for (const number of numbers) {
    const { strategyId } = /** @type {Leader} */ (leaders[number % leaders.length]);
    const { id } = await api.copiers.create({
      name: `copier ${number}`,
      strategy_id: strategyId,
      exchange_account_id: account.id,
      ...settingsOf(number, tradingType),
    });
    await api.copiers.start(id);
    copiers.push({ id, strategyId, accountId: account.id });
  }
  return { account, copiers };
}

/**
 * @param {Product} product
 * @param {number} index
 * @param {TradingType} tradingType
 * @returns {Promise<Leader>}
 */
async function openLeader(product, index, tradingType) {
  const user = await openUser(product, `chaos leader ${index}`);
  const { api } = user;
  const account = await linkAccount(product, user, {
    name: `leader ${index}`,
    usdt: leaderFunds,
    tradingType,
  });
  const { id } = await api.strategies.create({
    name: `strategy ${index}`,
    exchange_account_id: account.id,
    visibility: 'PUBLIC',
    allow_multiplier: true,
  });
  return { api, account, strategyId: id };
}

/**
 * @param {Product} product
 * @returns {Promise<Trader>}
 */
async function openSpeculator(product) {
  const user = await openUser(product, 'chaos speculator');
  const terms = {
    name: 'speculator',
    usdt: speculatorFunds,
    tradingType: /** @type {const} */ ('perpetual'),
  };
  return { api: user.api, account: await linkAccount(product, user, terms) };
}

/**
 * @param {Product} product
 * @param {string} label
 * @returns {Promise<User>}
 */
async function openUser({ restUrl }, label) {
  const { api } = await openAccount({ restUrl, privateKey: keyOf(label) });
  const { key } = await api.apiKeys.create({ name: label, permissions: ['READ', 'TRADE'] });
  return { api: createClient({ restUrl, apiKey: key }), apiKey: key };
}

/**
 * @param {Product} product
 * @param {User} user
 * @param {{ name: string, usdt: string, tradingType: TradingType }} terms
 * @returns {Promise<Account>}
 */
async function linkAccount({ paperExchangeUrl }, { api, apiKey }, { name, usdt, tradingType }) {
  const credentials =
    tradingType === 'spot'
      ? await openVenueAccount(paperExchangeUrl, { USDT: usdt })
      : await openVenueAccount(paperExchangeUrl, {}, { USDT: usdt });
  const { id } = await api.exchanges.create({
    exchange: 'paper',
    account_name: name,
    trading_type: tradingType,
    credentials,
  });
  return { id, credentials, apiKey, tradingType };
}
