import pLimit from 'p-limit';
import { keyOf } from '../e2e/accounts.mjs';
import { createClient, openAccount } from '../launch/first-trade/client.mjs';
import { pairsOf } from '../launch/first-trade/scenario.mjs';
import { openVenueAccount } from './venue.mjs';

/**
 * Creates the participants: leaders with one strategy each, and copiers that follow them. Some copiers share an account.
 *
 * @typedef {{ id: string, credentials: import('./venue.mjs').Credentials }} Account
 * @typedef {{ api: import('@trading-automation/sdk').Client, account: Account, strategyId: string }} Leader
 * @typedef {{ id: string, strategyId: string, accountId: string }} Copier
 * @typedef {{ leaders: Leader[], copiers: Copier[], accounts: Account[], pairs: readonly any[] }} Participants
 */

const copiersPerUser = 100;
/** The quote currency of each account. It suffices for every copy, and a copy by equity has half the leader's size. */
const leaderFunds = '2000000';
const copierFunds = '1000000';
/** Every fifth copier shares the account of the previous copier. */
const sharedEvery = 5;
/** The number of accounts that are linked concurrently. Linking mostly waits for other processes. */
const concurrency = 8;

/** @typedef {Pick<import('@trading-automation/sdk').CopierCreate, 'sizing' | 'limits' | 'below_minimum'>} Settings */

/** The settings of the copiers, used in turn. With them, every order of a leader can be copied. @type {Settings[]} */
const settings = [
  { sizing: { mode: 'MULTIPLIER', value: '1' } },
  { sizing: { mode: 'MULTIPLIER', value: '0.37' }, below_minimum: 'SKIP' },
  { sizing: { mode: 'FIXED_QUOTE', value: '150' } },
  { sizing: { mode: 'FIXED_AMOUNT', value: '1' }, limits: { max_trade_quote: '120' } },
  { sizing: { mode: 'EQUITY_RATIO', value: '1' } },
  { sizing: { mode: 'MULTIPLIER', value: '0.25' }, below_minimum: 'ACCUMULATE' },
  { sizing: { mode: 'MULTIPLIER', value: '2' }, limits: { max_open_quote: '1000000', max_slippage_bps: 30 } },
];

/** Settings that exclude or reduce many copies, used in turn by one of `selectiveEvery` copiers. @type {Settings[]} */
const selectiveSettings = [
  { sizing: { mode: 'MULTIPLIER', value: '0.05' }, below_minimum: 'ACCUMULATE' },
  { sizing: { mode: 'MULTIPLIER', value: '2' }, limits: { max_open_quote: '2500' } },
];
const selectiveEvery = 40;

/** @param {number} number */
function settingsOf(number) {
  const isSelective = number % selectiveEvery === selectiveEvery - 1;
  const list = isSelective ? selectiveSettings : settings;
  const turn = isSelective ? Math.floor(number / selectiveEvery) : number;
  return /** @type {Settings} */ (list[turn % list.length]);
}

/**
 * @param {import('../e2e/killable-product.mjs').KillableProduct} product
 * @param {{ strategies: number, copiers: number }} size
 * @returns {Promise<Participants>}
 */
export async function openParticipants(product, size) {
  const leaders = await Promise.all(
    Array.from({ length: size.strategies }, (_, index) => openLeader(product, index)),
  );
  const { api } = /** @type {Leader} */ (leaders[0]);
  const pairs = await pairsOf(api);
  const groups = [];
  for (let first = 0; first < size.copiers; first += copiersPerUser) {
    const user = await openUser(product, `chaos copiers ${first}`);
    const end = Math.min(first + copiersPerUser, size.copiers);
    for (const numbers of groupByAccount(first, end)) groups.push({ user, numbers });
  }
  const opened = await pLimit(concurrency).map(groups, (group) => openCopiers(product, leaders, group));
  return {
    leaders,
    copiers: opened.flatMap(({ copiers }) => copiers),
    accounts: [...leaders, ...opened].map(({ account }) => account),
    pairs,
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
 * @param {import('../e2e/killable-product.mjs').KillableProduct} product
 * @param {readonly Leader[]} leaders
 * @param {{ user: import('@trading-automation/sdk').Client, numbers: readonly number[] }} group
 */
async function openCopiers(product, leaders, { user, numbers }) {
  const account = await linkAccount(product, user, `copier ${numbers[0]}`, copierFunds);
  /** @type {Copier[]} */
  const copiers = [];
  for (const number of numbers) {
    const { strategyId } = /** @type {Leader} */ (leaders[number % leaders.length]);
    const { id } = await user.copiers.create({
      name: `copier ${number}`,
      strategy_id: strategyId,
      exchange_account_id: account.id,
      ...settingsOf(number),
    });
    await user.copiers.start(id);
    copiers.push({ id, strategyId, accountId: account.id });
  }
  return { account, copiers };
}

/**
 * @param {import('../e2e/killable-product.mjs').KillableProduct} product
 * @param {number} index
 * @returns {Promise<Leader>}
 */
async function openLeader(product, index) {
  const api = await openUser(product, `chaos leader ${index}`);
  const account = await linkAccount(product, api, `leader ${index}`, leaderFunds);
  const { id } = await api.strategies.create({
    name: `strategy ${index}`,
    exchange_account_id: account.id,
    visibility: 'PUBLIC',
    allow_multiplier: true,
  });
  return { api, account, strategyId: id };
}

/**
 * @param {{ restUrl: string }} product
 * @param {string} label
 */
async function openUser({ restUrl }, label) {
  const { api } = await openAccount({ restUrl, privateKey: keyOf(label) });
  const { key } = await api.apiKeys.create({ name: label, permissions: ['READ', 'TRADE'] });
  return createClient({ restUrl, apiKey: key });
}

/**
 * @param {{ paperExchangeUrl: string }} product
 * @param {import('@trading-automation/sdk').Client} api
 * @param {string} name
 * @param {string} usdt
 * @returns {Promise<Account>}
 */
async function linkAccount({ paperExchangeUrl }, api, name, usdt) {
  const credentials = await openVenueAccount(paperExchangeUrl, { USDT: usdt });
  const { id } = await api.exchanges.create({
    exchange: 'paper',
    account_name: name,
    trading_type: 'spot',
    credentials,
  });
  return { id, credentials };
}
