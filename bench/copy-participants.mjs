/** Creates the participants through the REST API: one leader, and ten users with up to a hundred accounts each, on which
 * copiers trade. */
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeId } from '@trading-automation/contracts';
import { generatePrivateKey } from '@trading-automation/signed-request';
import { createClient, openAccount } from '../tooling/launch/first-trade/client.mjs';
import { pairsOf, until } from '../tooling/launch/first-trade/scenario.mjs';
import { mapConcurrently, openVenueAccount } from './copy-venue.mjs';

const USERS = 10;
/** The amount of BTC that a copier buys per lot, worth about 24 USDT. */
const COPY_AMOUNT = '0.0004';
const CONCURRENCY = 16;

/**
 * @typedef {{ id: string, uuid: string, credentials: import('./copy-venue.mjs').Credentials }} Account
 */

/** @param {number} accountsPerUser 100 at most */
export async function createParticipants({ restUrl, paperExchangeUrl, database }, accountsPerUser) {
  const leader = await openLeader({ restUrl, paperExchangeUrl });
  const users = [];
  for (let i = 0; i < USERS; i++) users.push(await openUser(restUrl, `copiers ${i}`));
  // The users alternate, because concurrent requests of one user wait for each other's locks.
  const owners = Array.from({ length: accountsPerUser }, () => users).flat();
  const accounts = await mapConcurrently(owners, CONCURRENCY, async (api, i) => ({
    api,
    ...(await linkAccount({ paperExchangeUrl }, api, `copier ${i}`)),
  }));
  // These accounts exist only at the exchange; the baseline trades on them.
  const baselineAccounts = await mapConcurrently(owners, CONCURRENCY, () =>
    openVenueAccount(paperExchangeUrl),
  );
  await waitUntilStreaming(database, accounts.length + 1);
  return { leader, accounts, baselineAccounts };
}

async function openLeader({ restUrl, paperExchangeUrl }) {
  const api = await openUser(restUrl, 'leader');
  const account = await linkAccount({ paperExchangeUrl }, api, 'leader');
  const { id } = await api.strategies.create({
    name: 'bench',
    exchange_account_id: account.id,
    visibility: 'PUBLIC',
  });
  const pairs = await pairsOf(api);
  const pair = pairs.find(({ symbol }) => symbol === 'BTC/USDT');
  return { api, account, strategyId: id, pairId: pair.id };
}

async function openUser(restUrl, name) {
  const { api } = await openAccount({ restUrl, privateKey: generatePrivateKey() });
  const { key } = await api.apiKeys.create({ name, permissions: ['READ', 'TRADE'] });
  return createClient({ restUrl, apiKey: key });
}

/** @returns {Promise<Account>} */
async function linkAccount({ paperExchangeUrl }, api, name) {
  const credentials = await openVenueAccount(paperExchangeUrl);
  const { id } = await api.exchanges.create({
    exchange: 'paper',
    account_name: name,
    trading_type: 'spot',
    credentials,
  });
  return { id, uuid: decodeId('exa', id), credentials };
}

/** Waits until the worker receives the streams of all accounts. */
async function waitUntilStreaming(database, count) {
  const liveCount = `SELECT count(*)::int AS count FROM account_watches WHERE state = 'LIVE'`;
  await until(
    async () => {
      await sleep(500);
      return (await database.query(liveCount)).rows[0].count;
    },
    (live) => live >= count,
    180_000,
  );
}

/** Creates and starts another copier on each account. */
export async function addCopiers({ leader, accounts }, name) {
  await mapConcurrently(accounts, CONCURRENCY, async ({ api, id: exchange_account_id }) => {
    const { id } = await api.copiers.create({
      name,
      strategy_id: leader.strategyId,
      exchange_account_id,
      sizing: { mode: 'FIXED_AMOUNT', value: COPY_AMOUNT },
    });
    await api.copiers.start(id);
  });
}
