import { openVenueAccount } from '../../chaos/venue.mjs';
import { createClient, openAccount } from '../../launch/first-trade/client.mjs';
import { startReceiver } from '../../launch/first-trade/receiver.mjs';
import { until } from '../../launch/first-trade/scenario.mjs';
import { keyOf } from '../accounts.mjs';

/**
 * Users who exist before the rollout, or are created during it.
 *
 * @typedef {{ restUrl: string, graphqlUrl: string, name: string, isHeld: boolean }} Api the API of one release; `isHeld`: it
 *   does not accept signed requests yet
 * @typedef {import('@trading-automation/sdk').Client} Client
 * @typedef {{
 *   apiKey: string, privateKey: Uint8Array, account: { id: string, credentials: import('../../chaos/venue.mjs').Credentials },
 *   at: (api: Api) => Client, signedAt: (api: Api) => Client,
 * }} User `at` returns a client with an API key, `signedAt` one that signs
 * @typedef {{
 *   label: string, leader: User, follower: User, strategyId: string, copierId: string, webhookId: string, pairId: string,
 *   receiver: import('../../launch/first-trade/receiver.mjs').Receiver,
 * }} Participants
 */

/** @type {import('@trading-automation/sdk').ApiKeyCreate['permissions']} */
const permissions = ['READ', 'TRADE', 'WITHDRAW', 'ADMIN'];

/**
 * Creates a leader, a follower who copies the leader's strategy, and webhooks of the leader: one to a receiver, and one
 * that expects TLS of it, so that each attempt fails for a reason.
 *
 * @param {Api} api
 * @param {string} paperExchangeUrl
 * @param {string} label
 * @returns {Promise<Participants>}
 */
export async function openParticipants(api, paperExchangeUrl, label) {
  const [leader, follower] = await Promise.all([
    openUser(api, paperExchangeUrl, `${label} leader`),
    openUser(api, paperExchangeUrl, `${label} follower`),
  ]);
  const leads = leader.at(api);
  const pair = await pairOf(leads);
  const receiver = await startReceiver();
  const webhook = await leads.webhooks.create({ url: receiver.url, events: ['trade.*'] });
  receiver.useSecret(webhook.secret);
  await leads.webhooks.create({ url: receiver.url.replace('http:', 'https:'), events: ['trade.*'] });
  const strategy = await leads.strategies.create({
    name: label,
    exchange_account_id: leader.account.id,
    visibility: 'PUBLIC',
  });
  const copier = await follower.at(api).copiers.create({
    name: label,
    strategy_id: strategy.id,
    exchange_account_id: follower.account.id,
    sizing: { mode: 'FIXED_QUOTE', value: '200' },
  });
  await follower.at(api).copiers.start(copier.id);
  return {
    label,
    leader,
    follower,
    strategyId: strategy.id,
    copierId: copier.id,
    webhookId: webhook.id,
    pairId: pair.id,
    receiver,
  };
}

/**
 * Returns the pair of spot. The previous release has no filters for a symbol and a trading type, and its API shows pairs of
 * other types once workers of this release have listed them.
 *
 * @param {Client} client
 */
async function pairOf(client) {
  const isWanted = (/** @type {import('@trading-automation/sdk').TradePair} */ { symbol, trading_type }) =>
    symbol === 'BTC/USDT' && trading_type === 'spot';
  const read = async () =>
    (await client.tradePairs.list({ exchange: 'paper', limit: 100 })).data.find(isWanted);
  const pair = await until(read, (found) => found !== undefined);
  return /** @type {NonNullable<typeof pair>} */ (pair);
}

/**
 * Signs a user in by key pair, creates an API key and links an account at the paper exchange.
 *
 * @param {Api} api
 * @param {string} paperExchangeUrl
 * @param {string} label
 * @returns {Promise<User>}
 */
async function openUser(api, paperExchangeUrl, label) {
  const privateKey = keyOf(`rollout ${label}`);
  const { api: signed } = await openAccount({ restUrl: api.restUrl, privateKey, label });
  const { key: apiKey } = await signed.apiKeys.create({ name: label, permissions });
  const at = (/** @type {Api} */ { restUrl, graphqlUrl }) => createClient({ restUrl, graphqlUrl, apiKey });
  const signedAt = (/** @type {Api} */ { restUrl, graphqlUrl }) =>
    createClient({ restUrl, graphqlUrl, privateKey });
  const credentials = await openVenueAccount(paperExchangeUrl, { USDT: '100000' });
  const client = at(api);
  const { id } = await client.exchanges.create({
    exchange: 'paper',
    account_name: label,
    trading_type: 'spot',
    credentials,
  });
  await until(
    () => client.exchanges.get(id),
    ({ last_sync_at }) => last_sync_at !== null,
  );
  return { apiKey, privateKey, account: { id, credentials }, at, signedAt };
}
